"""OpenCL kernels on PoCL, OpenCL of the processor, by pyopencl.

    rope = pocl.kernel("rope.cl", "rope_f32")
    rope((groups * 64, heads), (64, 1), x, positions, y, np.int32(n))
"""

import functools
import pathlib
import re
import warnings

import numpy as np
import pyopencl as cl

from ropeproof.errors import Error

MARGIN = 4096  # bytes before and behind each buffer
POISON = 0x7FA5A5A5  # a NaN that no operation passes on as it is


@functools.lru_cache(maxsize=None)
def _queue():
    """PoCL's processor, whatever other devices the machine has. ImportError without it."""
    try:
        platforms = cl.get_platforms()
    except cl.LogicError:
        platforms = []
    for platform in platforms:
        for device in platform.get_devices() if "Portable" in platform.name else ():
            return cl.CommandQueue(cl.Context([device]), device)
    raise ImportError("OpenCL has no PoCL; pip install pocl-binary-distribution")


def is_so():
    return True


def version():
    return re.search(r"PoCL (\S+)", _queue().device.platform.version)[1]


def prepare():
    declined = {"bf16": "OpenCL has no such type"}
    if "cl_khr_fp16" not in _queue().device.extensions:
        declined["f16"] = "the driver has no cl_khr_fp16"
    return declined


def _made(file, name, flags):
    text = pathlib.Path(file).read_text()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", cl.CompilerWarning)
            return cl.Kernel(cl.Program(_queue().context, text).build(list(flags)), name)
    except cl.Error as error:
        at = re.search(r"error: \S*(:\d+:\d+: .*)", str(error))
        raise Error(f"{file}{at[1] if at else f': {name}: {error}'.splitlines()[0]}") from None


def poison(size):
    """Bytes of a buffer with its margins."""
    return np.full((size + 3) // 4 + MARGIN // 2, POISON, np.uint32).view(np.uint8)


@functools.lru_cache(maxsize=None)
def kernel(file, name, *flags):
    """A kernel of a file, as a function of a global and a local size and its arguments.
    An array is a buffer, which is read back; other arguments are NumPy's numbers.
    Before and behind each buffer are NaNs; ValueError where a kernel wrote there."""
    made = _made(file, name, flags)
    device = _queue().device
    own = made.get_work_group_info(cl.kernel_work_group_info.LOCAL_MEM_SIZE, device)

    def check_room(arguments=()):
        """Error for more local memory than there is: PoCL would end the process, or
        take it from elsewhere."""
        asked = own + sum(x.size for x in arguments if isinstance(x, cl.LocalMemory))
        if asked > device.local_mem_size:
            raise Error(f"{file}: {name} asks for {asked} bytes of local memory; the device "
                        f"has {device.local_mem_size}")
    check_room()

    def launch(total, local, *arguments):
        check_room(arguments)
        queue, buffers, given = _queue(), {}, []
        for number, x in enumerate(arguments):
            if isinstance(x, np.ndarray):
                whole = poison(x.nbytes)
                whole[MARGIN:MARGIN + x.nbytes] = x.reshape(-1).view(np.uint8)
                buffer = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE |
                                   cl.mem_flags.COPY_HOST_PTR, hostbuf=whole)
                buffers[number] = buffer, whole
                x = buffer.get_sub_region(MARGIN, max(x.nbytes, 1))
            given.append(x)
        try:
            made(queue, total, local, *given)
            for number, (buffer, whole) in buffers.items():
                cl.enqueue_copy(queue, whole, buffer)
        except cl.Error as error:
            is_lack = isinstance(error, cl.MemoryError)
            raise (Error if is_lack else ValueError)(
                f"{name}: {str(error).splitlines()[0]}") from None
        for number, (_, whole) in buffers.items():
            size = arguments[number].nbytes
            was = poison(size)
            for where, part in (("before", slice(MARGIN)),
                                ("past the end of", slice(MARGIN + size, None))):
                if (whole[part] != was[part]).any():
                    raise ValueError(f"{name} writes {where} its argument {number}")
            if arguments[number].flags.writeable:
                arguments[number].reshape(-1).view(np.uint8)[:] = whole[MARGIN:MARGIN + size]
    return launch
