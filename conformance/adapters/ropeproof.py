"""Turns a Python function into a kernel that ropeproof can test.

    import ropeproof

    @ropeproof.kernel(name="my-rope", version="1.0", operations=["rope"],
                      dtypes=["f32"], pairings=["half_split"],
                      angle_class="A1")
    def rope(p):
        return my_rope(p.q, p.positions, p.base)

    ropeproof.serve()

One file, NumPy only: copy it next to your adapter. README.md, beside this
file, has the words that the decorator takes and the protocol underneath.
"""

import json
import mmap
import os
import struct
import sys
import traceback

import numpy as np

ABI_VERSION = 1

# bf16 has no NumPy type: it travels as bit patterns.
DTYPES = {"f64": np.float64, "f32": np.float32, "f16": np.float16,
          "bf16": np.uint16}

_description = None
_function = None


class Unsupported(Exception):
    """Raise it for a problem outside what the kernel offers."""


class Invalid(Exception):
    """Raise it for a problem that contradicts itself."""


_CLAIM = ("angle_class", "angle_dtype", "power", "power_ulp", "trig_ulp",
          "table_dtype", "rounding")


def kernel(*, name, version, operations, dtypes, pairings,
           features=("out_of_place",), claims=None, **more):
    """Registers the decorated function as the kernel that serve() runs.

    It gets a Problem and returns arrays of NumPy, in the problem's dtypes:
        rope, rotate    q, or (q, k) where the problem has a k
        table           (cos, sin)
        frequencies     inv_freq
        permute         the permuted weight
    """
    def register(function):
        global _description, _function
        _function = function
        _description = dict(
            status="ok", abi_version=ABI_VERSION, name=name, version=version,
            operations=list(operations), dtypes=list(dtypes),
            pairings=list(pairings), features=list(features),
            claims=claims or [{key: more.pop(key) for key in _CLAIM
                               if key in more}], **more)
        return function
    return register


class Problem:
    """One problem. Arrays are dense, row-major, writable, and yours.

    operation, dtype, table_dtype, pairing    words, as in the description
    direction                                 1, or -1: the adjoint
    batch, seq, head_dim, rotary_dim, rotary_offset, q_heads, k_heads
    pair_distance, pairing_blocks             0, or as ropeproof_kernel.h says
    base, amplitude                           floats; base 0: use inv_freq
    scaling                                   None, or a dict of its parameters
    q, k            [batch, seq, heads, head_dim] of dtype
    cos, sin        [batch, seq, rotary_dim/2] of table_dtype (rotate)
    positions       int64 [batch, seq]; with axes [position_axes, batch, seq]
    real_positions  float64, in place of positions
    axis_of_pair    int32 [rotary_dim/2]
    axis_weights    float64 [position_axes, rotary_dim/2]
    pair_amplitude  float64 [batch, seq, rotary_dim/2], in place of amplitude
    inv_freq, inv_freq_lo    float64 [rotary_dim/2]; their sum is the frequency
    permute_in      [permute_heads * head_dim, permute_columns] of dtype

    What the operation does not need is None; a q of 0 heads is an empty array.
    """

    def __init__(self, header, stream, files):
        self.q = self.k = self.cos = self.sin = self.positions = None
        self.axis_of_pair = self.inv_freq = self.inv_freq_lo = None
        self.real_positions = self.axis_weights = self.pair_amplitude = None
        self.permute_in = None
        buffers = header.pop("buffers")
        header.pop("op")
        header.pop("id", None)
        path = header.pop("file", None)
        self._answer = header.pop("answer", None)
        self._file = None if path is None else files.map(path)
        self.__dict__.update(header)
        self.base = _from_hex(self.base)
        self.amplitude = _from_hex(self.amplitude)
        if self.scaling:
            self.scaling = {key: _scaling_value(key, value)
                            for key, value in self.scaling.items()}
        for name, size, *offset in buffers:
            array = np.empty(*self._form(name))
            if array.nbytes != size:
                raise ValueError(f"{name} has {size} bytes, "
                                 f"its shape {array.shape} {array.nbytes}")
            if offset:
                _bytes(array)[:] = self._file[offset[0]:offset[0] + size]
            else:
                _fill(array, stream)
            setattr(self, name, array)
        self._given = [name for name, *_ in buffers]
        if self.operation in ("rope", "rotate") and self.q is None:
            self.q = np.empty(*self._form("q"))

    def _form(self, name):
        """Shape and dtype of a buffer."""
        pairs = self.rotary_dim // 2
        if name in ("q", "k"):
            heads = self.q_heads if name == "q" else self.k_heads
            return ((self.batch, self.seq, heads, self.head_dim),
                    DTYPES[self.dtype])
        if name in ("cos", "sin"):
            return (self.batch, self.seq, pairs), DTYPES[self.table_dtype]
        if name == "inv_freq_out":
            return (pairs,), DTYPES[self.table_dtype]
        if name in ("permute_in", "permute_out"):
            return ((self.permute_heads * self.head_dim, self.permute_columns),
                    DTYPES[self.dtype])
        if name in ("positions", "real_positions"):
            axes = () if self.position_axes == 1 else (self.position_axes,)
            return ((*axes, self.batch, self.seq),
                    np.int64 if name == "positions" else np.float64)
        if name == "axis_weights":
            return (self.position_axes, pairs), np.float64
        if name == "pair_amplitude":
            return (self.batch, self.seq, pairs), np.float64
        return (pairs,), np.int32 if name == "axis_of_pair" else np.float64

    def _outputs(self):
        """Names of what the function returns, in order."""
        if self.operation in ("rope", "rotate"):
            return [n for n in ("q", "k") if getattr(self, n) is not None]
        return {"table": ["cos", "sin"], "frequencies": ["inv_freq_out"],
                "permute": ["permute_out"]}[self.operation]


def bf16_to_f32(bits):
    """float32 values of bf16 bit patterns (uint16); exact."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def f32_to_bf16(values):
    """bf16 bit patterns (uint16) of float32, to nearest, ties to even."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    quiet = bits >> 16 | 0x40  # rounding could turn a NaN into an infinity
    return np.where(np.isnan(values), quiet, rounded).astype(np.uint16)


def to_torch(array, dtype=None):
    """The same memory as a torch tensor; dtype "bf16" makes it bfloat16."""
    import torch
    if dtype == "bf16":
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def from_torch(tensor):
    """A torch tensor as an array; bfloat16 becomes bit patterns."""
    import torch
    tensor = tensor.detach().cpu().contiguous()
    if tensor.dtype == torch.bfloat16:
        return tensor.view(torch.int16).numpy().view(np.uint16)
    return tensor.numpy()


def serve():
    """Answers the runner until it closes the connection."""
    if _function is None:
        raise SystemExit("ropeproof: decorate a function with "
                         "@ropeproof.kernel(...) before serve()")
    # The protocol moves to descriptors of its own: a stray print() goes to
    # standard error, a stray input() reads nothing.
    stream = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    files = _Files()
    while line := stream.readline():
        header = json.loads(line)
        if header["op"] == "describe":
            reply, arrays = dict(_description), []
            if "shared_file" in header.get("offers", []):
                reply["accepts"] = ["shared_file"]
        else:
            number = header.get("id")
            reply, arrays = _solve(Problem(header, stream, files))
            if number is not None:
                reply["id"] = number
        answers.write(json.dumps(reply).encode() + b"\n")
        for array in arrays:
            answers.write(_bytes(array))
        answers.flush()


class _Files:
    """The runner's shared file, mapped once, and again when it has grown."""

    def __init__(self):
        self._path = self._map = None

    def map(self, path):
        size = os.stat(path).st_size
        if path != self._path or size > len(self._map):
            with open(path, "r+b") as file:
                self._map = mmap.mmap(file.fileno(), size)
            self._path = path
        return np.frombuffer(self._map, np.uint8)


def _solve(problem):
    try:
        arrays = _function(problem)
        arrays = _checked(problem, arrays)
    except Unsupported as error:
        return dict(status="unsupported", message=str(error)), []
    except Invalid as error:
        return dict(status="invalid", message=str(error)), []
    except Exception as error:  # pylint: disable=broad-except
        frame = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{os.path.basename(frame.filename)}:{frame.lineno}"
        message = f"{where}: {type(error).__name__}: {error}"
        return dict(status="error", message=message), []
    # A tensor without heads did not come and does not go.
    results = [(n, a) for n, a in zip(problem._outputs(), arrays)
               if n not in ("q", "k") or n in problem._given]
    arrays = [array for _, array in results]
    sizes = [[name, array.nbytes] for name, array in results]
    if problem._answer is None:
        return dict(status="ok", buffers=sizes), arrays
    # Large results go where the request wants them.
    streamed = []
    for (_, size, *offset), array in zip(problem._answer, arrays):
        if offset:
            problem._file[offset[0]:offset[0] + size] = _bytes(array)
        else:
            streamed.append(array)
    return dict(status="ok", buffers=problem._answer), streamed


def _checked(problem, arrays):
    names = problem._outputs()
    if not isinstance(arrays, (tuple, list)):
        arrays = (arrays,)
    if len(arrays) != len(names):
        raise ValueError(f"the kernel returned {len(arrays)} arrays, not "
                         f"{len(names)} ({', '.join(names)})")
    for name, array in zip(names, arrays):
        shape, dtype = problem._form(name)
        if not isinstance(array, np.ndarray):
            raise TypeError(f"{name} is a {type(array).__name__}, not an array "
                            "of NumPy")
        if array.shape != shape or array.dtype != dtype:
            raise ValueError(f"{name} is {array.dtype}{list(array.shape)}, not "
                             f"{np.dtype(dtype)}{list(shape)}")
    return [np.ascontiguousarray(array) for array in arrays]


def _from_hex(bits):
    return struct.unpack(">d", bytes.fromhex(bits))[0]


def _scaling_value(key, value):
    if key in ("kind", "truncate"):
        return value
    if isinstance(value, list):
        return [_from_hex(bits) for bits in value]
    return _from_hex(value)


def _fill(array, stream):
    rest = _bytes(array)
    while rest.size > 0:
        count = stream.readinto(rest)
        if not count:
            raise SystemExit("ropeproof: the runner is gone")
        rest = rest[count:]


def _bytes(array):
    return array.reshape(-1).view(np.uint8)
