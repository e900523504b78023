"""Triton's interpreter: what launch code wants without a GPU, and bf16.

The interpreter holds bf16 as bit patterns and computes with these, and what it
rounds to bf16 it truncates. Its operations are mended here: each in f32 or f64,
rounded once to nearest even, as PTX does. A release of Triton that needs none of
it is left as it is; where mending does not help, bf16 is declined.

Its loads and stores take any address of the process: each is held against what
the kernel was given, and what torch.empty makes is NaNs.
"""

import contextlib
import dataclasses
import types

import numpy as np
import torch
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.runtime import autotuner, driver, interpreter, jit

from ropeproof.arrays import bf16_to_f32, rounded

Builder = interpreter.InterpreterBuilder
Handle = interpreter.TensorHandle
# Multiprocessors: launch code that divides work among them gives few programs.
FEW = 2


def is_so():
    """Whether Triton was imported with TRITON_INTERPRET=1: functions of its own
    are interpreted, too."""
    return not isinstance(tl.standard.cdiv, jit.JITFunction)


def prepare():
    _stand_in_for_devices()
    torch.use_deterministic_algorithms(True, warn_only=True)  # fills what is empty
    _watch_bounds()
    _draw_order()
    if not _is_bf16_right():
        _mend_bf16()
    return {} if _is_bf16_right() else {"bf16": "the interpreter gets it wrong"}


class _Device(contextlib.nullcontext):
    """torch.cuda.device, of a device that is not there."""


class _Driver:
    """What kernels ask of the driver before they are launched: the answers of
    an A100 that has few multiprocessors."""
    utils = types.SimpleNamespace(get_device_properties=lambda device: dict(
        max_shared_mem=166912, multiprocessor_count=FEW, warpSize=32,
        max_num_regs=65536))

    def get_current_target(self):
        return GPUTarget("cuda", 80, 32)

    def get_current_device(self):
        return 0

    def get_current_stream(self, device=None):
        return 0

    def get_active_torch_device(self):
        return torch.device("cpu")

    def get_device_interface(self):
        return torch.cuda


def _stand_in_for_devices():
    torch.cuda.device = torch.cuda.device_of = _Device
    torch.cuda.current_device = lambda: 0
    torch.cuda.get_device_capability = lambda device=None: (8, 0)
    torch.cuda.get_device_properties = lambda device=None: types.SimpleNamespace(
        multi_processor_count=FEW, name="A100", major=8, minor=0)
    wrapped = torch.library.wrap_triton
    torch.library.wrap_triton = lambda kernel: (
        wrapped(kernel) if isinstance(kernel, jit.JITFunction) else kernel)
    driver.set_active(_Driver())
    autotuner.Autotuner.run = _first_configuration
    # As devices do unless they debug; asking costs half of the time.
    builder = interpreter.interpreter_builder
    if hasattr(builder.options, "sanitize_overflow"):
        builder.options = dataclasses.replace(builder.options, sanitize_overflow=False)


def _first_configuration(self, *args, **kwargs):
    """Autotuner.run, which measures nothing."""
    config = self.configs[0]
    given = {**config.all_kwargs(), **kwargs}
    if config.pre_hook is not None:
        config.pre_hook({**dict(zip(self.arg_names, args)), **given})
    return self.fn.run(*args, **given)


# Of the kernel that runs, first byte, the one past the last and name of each array;
# none where it makes pointers of numbers.
_given = []


def _watch_bounds():
    """Makes an access beyond the kernel's arguments an IndexError that names one."""
    executor = interpreter.GridExecutor
    to_host = executor._init_args_hst

    def with_places(self, args, kwargs):
        args, kwargs = to_host(self, args, kwargs)
        _given[:] = [(*place, name) for name, value in
                     [*zip(self.arg_names, args), *kwargs.items()]
                     for place in _places(value)]
        return args, kwargs
    executor._init_args_hst = with_places

    def watched(name, verb, mask_at=None):
        before = getattr(Builder, name)

        def method(self, *operands):
            _check_bounds(operands[0], mask_at and operands[mask_at], verb)
            return before(self, *operands)
        setattr(Builder, name, method)
    watched("create_masked_load", "reads", 1)
    watched("create_masked_store", "writes", 2)
    watched("create_atomic_rmw", "writes", 3)
    watched("create_atomic_cas", "writes")
    to_pointer = Builder.create_int_to_ptr

    def create_int_to_ptr(self, *operands):
        _given.clear()
        return to_pointer(self, *operands)
    Builder.create_int_to_ptr = create_int_to_ptr


def _places(value):
    """First byte and the one past the last of each storage in an argument."""
    if isinstance(value, tuple):
        return [place for part in value for place in _places(part)]
    value = getattr(value, "base", value)  # of a descriptor
    if not hasattr(value, "untyped_storage"):
        return []
    storage = value.untyped_storage()
    return [(storage.data_ptr(), storage.data_ptr() + storage.nbytes())]


def _check_bounds(pointers, mask, verb):
    first = pointers.data if mask is None else pointers.data[
        np.broadcast_to(mask.data, pointers.data.shape)]
    if not _given or first.size == 0:
        return
    size = pointers.get_element_ty().primitive_bitwidth // 8
    low, high = int(first.min()), int(first.max()) + size
    if any(start <= low and high <= end for start, end, _ in _given):
        return  # all in one array, as most are
    for stray in map(int, first.flat):
        if not any(start <= stray <= end - size for start, end, _ in _given):
            start, _, name = min(_given, key=lambda place: max(
                place[0] - stray, stray - place[1]))
            where = "before" if stray < start else "past the end of"
            raise IndexError(f"{verb} {where} {name}")


def _draw_order():
    """The programs of a grid run in an order that is drawn for each launch."""
    set_dim, set_index = Builder.set_grid_dim, Builder.set_grid_idx
    random = np.random.default_rng(1)

    def set_grid_dim(self, *grid):
        set_dim(self, *grid)
        self.order = random.permutation(int(np.prod(grid)))

    def set_grid_idx(self, *index):
        grid = self.grid_dim
        number = self.order[np.ravel_multi_index(index, grid)]
        set_index(self, *map(int, np.unravel_index(number, grid)))
    Builder.set_grid_dim, Builder.set_grid_idx = set_grid_dim, set_grid_idx


def _is_bf16(handle):
    return handle.dtype.scalar == tl.bfloat16


def _wide(handle):
    """Its values as an array that computes, bf16 as f32."""
    return bf16_to_f32(handle.data) if _is_bf16(handle) else handle.data


def _narrow(values):
    """A handle of values rounded once to bf16."""
    return Handle(rounded(np.asarray(values, np.float64), "bf16"), tl.bfloat16)


def _mended(compute):
    """A method of the builder that computes with values in place of patterns:
    compute(*values), where an operand is bf16."""
    def replace(name):
        before = getattr(Builder, name)

        def method(self, *operands):
            handles = [x for x in operands if isinstance(x, Handle)]
            if not any(map(_is_bf16, handles)):
                return before(self, *operands)
            found = np.asarray(compute(before, operands, [
                _wide(x) if isinstance(x, Handle) else x for x in operands]))
            # A comparison, and a choice between other types.
            if found.dtype == np.bool_ or not _is_bf16(handles[-1]):
                return Handle(found, handles[0].dtype.scalar
                              if found.dtype == np.bool_ else handles[-1].dtype.scalar)
            return _narrow(found)
        setattr(Builder, name, method)
    return replace


def _cast(before):
    """cast_impl and create_fp_to_fp: from bf16 or to it, rounded once."""
    def method(self, source, to, *rounding):
        if not _is_bf16(source) and to.scalar != tl.bfloat16:
            return before(self, source, to, *rounding)
        values = _wide(source)
        if to.scalar == tl.bfloat16:
            return _narrow(values)
        if to.scalar.primitive_bitwidth < 16 and to.scalar.is_floating():
            return before(self, Handle(values, tl.float32), to, *rounding)
        return Handle(values.astype(interpreter._get_np_dtype(to)), to.scalar)
    return method


def _mend_bf16():
    of_values = lambda before, operands, values: values[-1](*values[:-1])
    for name in ("unary_op", "binary_op", "ternary_op"):
        _mended(of_values)(name)
    _mended(lambda before, operands, xyz: (
        xyz[0].astype(np.float64) * xyz[1] + xyz[2]))("create_fma")
    for name in ("cast_impl", "create_fp_to_fp"):
        setattr(Builder, name, _cast(getattr(Builder, name)))
    dot = Builder.create_dot

    def create_dot(self, a, b, *more):
        a, b = (Handle(_wide(x), tl.float32) if _is_bf16(x) else x for x in (a, b))
        return dot(self, a, b, *more)
    Builder.create_dot = create_dot


def _is_bf16_right():
    """Of each mended operation, where a result of bit patterns, of truncation or
    of two roundings is another."""
    builder = Builder()

    def made(*values):
        return Handle(rounded(np.array(values), "bf16"), tl.bfloat16)

    def is_it(handle, *want):
        return (handle.data.view(np.uint16) == made(*want).data).all()
    try:
        x, y = made(1.5, -2.0), made(3.0, 0.00390625)
        f32 = Handle(np.float32([1.00390625, 1.01171875]), tl.float32)
        return bool(
            is_it(builder.create_fmul(x, y), 4.5, -0.0078125)
            and is_it(builder.create_fadd(x, y), 4.5, -1.99609375)
            and is_it(builder.create_fneg(x), -1.5, 2)
            and is_it(builder.create_fma(x, y, x), 6, -2.0078125)
            and is_it(builder.create_fp_trunc(f32, tl.bfloat16), 1, 1.015625)
            and (builder.create_fp_ext(x, tl.float32).data == [1.5, -2]).all()
            and (builder.create_fcmpOLT(x, y).data == [True, True]).all()
            and is_it(builder.create_select(
                Handle(np.array([True, False]), tl.int1), x, y), 1.5, 0.00390625))
    except Exception:  # of another release
        return False
