"""One result of a RoPE, judged in a test of one's own."""

import ctypes
import os
import pathlib

import numpy as np

from ropeproof import arrays
from ropeproof.errors import Error

BITS = {word: 1 << i for i, word in enumerate(("f64", "f32", "f16", "bf16"))}
PAIRINGS = {word: 1 << i for i, word in enumerate(
    ("interleaved", "half_split", "interleaved_to_half"))}
SCALINGS = {word: 1 << i for i, word in enumerate(
    ("linear", "ntk", "dynamic_ntk", "yarn", "long_rope", "llama3",
     "frequency_factors"))}
TABLE, ROTATE, ROPE = 1 << 1, 1 << 2, 1 << 3
ORDERS = ("bshd", "bhsd", "sbhd", "shd")

u32, i32, i64 = ctypes.c_uint32, ctypes.c_int32, ctypes.c_int64
f64, pointer = ctypes.c_double, ctypes.c_void_p


def _struct(name, fields):
    return type(name, (ctypes.Structure,), {"_fields_": [
        (word, kind) for words, kind in fields for word in words.split()]})


# As conformance/include/ropeproof_kernel.h has them.
Claim = _struct("Claim", [
    ("dtypes angle_class angle_dtype power power_ulp trig_ulp table_dtype "
     "rounding", u32)])
Tensor = _struct("Tensor", [
    ("data out", pointer),
    ("heads in_batch_stride in_token_stride in_head_stride "
     "out_batch_stride out_token_stride out_head_stride", i64)])
Scaling = _struct("Scaling", [
    ("struct_size kind", u32),
    ("factor original_length seq_len beta_fast beta_slow low_freq_factor "
     "high_freq_factor", f64), ("truncate", i32),
    ("short_factor long_factor", pointer),
    ("attention_factor mscale mscale_all_dim", f64)])
Problem = _struct("Problem", [
    ("struct_size operation dtype table_dtype pairing", u32),
    ("direction", i32),
    ("batch seq head_dim rotary_dim rotary_offset", i64), ("q k", Tensor),
    ("positions", pointer),
    ("position_axes position_axis_stride position_batch_stride", i64),
    ("axis_of_pair", pointer), ("axis_map", u32), ("axis_sections", i32 * 8),
    ("base", f64),
    ("inv_freq inv_freq_lo pair_bases exponent_numerators "
     "exponent_denominators", pointer), ("amplitude", f64),
    ("cos sin", pointer), ("table_batch_stride table_token_stride", i64),
    ("cache", u32), ("cache_rows", i64),
    ("ids inv_freq_out permute_in permute_out", pointer),
    ("permute_heads permute_columns pair_distance pairing_blocks", i64),
    ("real_positions axis_weights pair_amplitude scaling", pointer)])

_library = None


def _load():
    global _library
    if _library is None:
        beside = pathlib.Path(__file__).parent / "lib" / "libropeproof_judge.so"
        path = os.environ.get("ROPEPROOF_JUDGE_LIBRARY", str(beside))
        try:
            library = ctypes.CDLL(path)
        except OSError as error:
            raise Error(f"the library of the judge cannot be loaded: {error}"
                        ) from None
        for name, result in (("golden", ctypes.POINTER(f64)),
                             ("bound", ctypes.POINTER(f64)),
                             ("text", ctypes.c_char_p), ("worst", f64),
                             ("elements", i64), ("wrong", i64)):
            function = getattr(library, "ropeproof_" + name)
            function.restype, function.argtypes = result, [pointer]
        library.ropeproof_error.restype = ctypes.c_char_p
        library.ropeproof_free.argtypes = [pointer]
        _library = library
    return _library


def _numpy(name, array):
    """Its numbers, bf16 as bits, and its dtype as a word."""
    kind = type(array).__module__.split(".")[0]
    reader = {"torch": arrays.from_torch, "jax": arrays.from_jax,
              "jaxlib": arrays.from_jax, "mlx": arrays.from_mlx}.get(kind)
    if reader is None and not isinstance(array, np.ndarray):
        raise ValueError(f"{name} is a {type(array).__name__}; expected an "
                         f"array of NumPy, torch, JAX or MLX")
    is_bf16 = str(getattr(array, "dtype", "")).split(".")[-1] == "bfloat16"
    found = np.ascontiguousarray((reader or arrays.from_numpy)(array))
    words = {np.dtype(kind): word for word, kind in arrays.DTYPES.items()
             if word != "bf16"}
    word = "bf16" if is_bf16 else words.get(found.dtype)
    if word is None:
        raise ValueError(f"{name} holds {found.dtype}; expected float64, "
                         f"float32, float16 or bfloat16")
    return found, word


class _Call:
    """A problem for the library, and the memory that it points to."""

    def __init__(self):
        self.problem = Problem(struct_size=ctypes.sizeof(Problem),
                               amplitude=1.0)
        self._kept = []

    def keep(self, array, dtype=None):
        array = np.ascontiguousarray(array, dtype)
        self._kept.append(array)
        return array.ctypes.data

    def tensor(self, name, order, given, out):
        x, word = _numpy(name, given)
        y, of_result = _numpy(f"the result for {name}", out)
        if x.shape != y.shape or word != of_result:
            raise ValueError(f"{name} is {word} {list(x.shape)}, its result "
                             f"{of_result} {list(y.shape)}")
        if x.ndim != len(order):
            raise ValueError(f"{name} has shape {list(x.shape)}; order="
                             f"{order!r} needs {len(order)} dimensions")
        sizes = dict(zip(order, x.shape))
        strides = dict(zip(order, np.array(x.strides) // x.itemsize))
        b, s, h = (int(strides.get(axis, 0)) for axis in "bsh")
        data, written = self.keep(x), self.keep(y)
        return Tensor(data, written, sizes["h"], b, s, h, b, s, h), sizes, word


def _positions(call, positions, batch, seq):
    array = np.asarray(_plain(positions))
    if array.dtype.kind not in "iuf" or not np.isfinite(array).all():
        raise ValueError("positions are not all finite numbers")
    axes = array.shape[0] if array.ndim == 3 else 1
    shape = {1: (1, 1, seq), 2: (1, batch, seq), 3: (axes, batch, seq)}
    wanted = shape.get(array.ndim)
    given = (1,) * (3 - array.ndim) + array.shape
    if wanted is None or given != wanted:
        raise ValueError(f"positions has shape {list(array.shape)}; expected "
                         f"[{seq}], [{batch}, {seq}] or [axes, {batch}, {seq}]")
    array = np.broadcast_to(array.reshape(given), (axes, batch, seq))
    p = call.problem
    if array.dtype.kind == "f":
        p.real_positions = call.keep(array, np.float64)
    else:
        p.positions = call.keep(array, np.int64)
    p.position_axes, p.position_batch_stride = axes, seq
    p.position_axis_stride = batch * seq
    return axes


def _plain(array):
    """As NumPy sees it, also of a device."""
    return arrays.from_torch(array) if hasattr(array, "detach") else array


def _sections(call, sections, axes, pairs):
    if axes == 1 and sections is None:
        return
    if sections is None or len(sections) != axes or sum(sections) != pairs:
        raise ValueError(f"sections is {sections}; expected pairs of each of "
                         f"{axes} axes, {pairs} in all")
    axis = np.repeat(np.arange(axes), sections)
    call.problem.axis_of_pair = call.keep(axis, np.int32)


def _scaling(call, scaling, pairs):
    given = dict(scaling)
    kind = given.pop("kind", None)
    if kind not in SCALINGS:
        raise ValueError(f"scaling's kind is {kind!r}; known are "
                         f"{', '.join(SCALINGS)}")
    made = Scaling(struct_size=ctypes.sizeof(Scaling), kind=SCALINGS[kind])
    if kind == "yarn":
        made.beta_fast, made.beta_slow, made.truncate = 32, 1, 1
    for word, value in given.items():
        if word not in dict(Scaling._fields_) or word == "struct_size":
            raise ValueError(f"scaling has no {word!r}")
        if np.ndim(value) == 1:
            if len(value) != pairs:
                raise ValueError(f"scaling's {word} has {len(value)} entries "
                                 f"for {pairs} pairs")
            value = call.keep(value, np.float64)
        setattr(made, word, value)
    call.problem.scaling = ctypes.addressof(made)
    call.scaling = made


def _table(call, name, table, batch, seq, pairs):
    array, word = _numpy(name, table)
    if array.shape[-1] == 2 * pairs:
        half = array.reshape(*array.shape[:-1], 2, pairs)
        if not np.array_equal(half[..., 0, :], half[..., 1, :]):
            raise ValueError(f"{name} is as wide as the window, and its halves "
                             f"differ")
        array = half[..., 0, :]
    rows = array.reshape(-1, array.shape[-1])
    if array.shape[-1] != pairs or len(rows) not in (seq, batch * seq):
        raise ValueError(f"{name} has shape {list(array.shape)}; expected "
                         f"[{seq}, {pairs}] or [{batch}, {seq}, {pairs}], or "
                         f"twice as wide")
    rows = np.broadcast_to(rows.reshape(-1, seq, pairs), (batch, seq, pairs))
    return call.keep(rows), word


def _call(results, inputs, positions, base, inv_freq, scaling, amplitude, cos,
          sin, pairing, order, rotary_dim, rotary_offset, sections, direction):
    if order not in ORDERS:
        raise ValueError(f"order is {order!r}; known are {', '.join(ORDERS)}")
    if pairing not in PAIRINGS:
        raise ValueError(f"pairing is {pairing!r}; known are "
                         f"{', '.join(PAIRINGS)}")
    if direction not in ("forward", "adjoint"):
        raise ValueError(f"direction is {direction!r}; forward or adjoint")
    if len(results) != len(inputs) or len(inputs) not in (1, 2):
        raise ValueError("expected a result for each of q and k, or of one x")
    call = _Call()
    p = call.problem
    for name, x, y in zip("qk", inputs, results):
        tensor, sizes, word = call.tensor(name, order, x, y)
        setattr(p, name, tensor)
        found = (sizes.get("b", 1), sizes["s"], sizes["d"], BITS[word])
        if name == "k" and found != (p.batch, p.seq, p.head_dim, p.dtype):
            raise ValueError("q and k differ in more than their heads")
        p.batch, p.seq, p.head_dim, p.dtype = found
    p.rotary_dim = rotary_dim or p.head_dim - rotary_offset
    p.rotary_offset = rotary_offset
    p.pairing, p.direction = PAIRINGS[pairing], (-1 if direction == "adjoint"
                                                 else 1)
    pairs = p.rotary_dim // 2
    if (cos is None) != (sin is None) or (cos is None) == (positions is None):
        raise ValueError("give positions, or cos and sin")
    if cos is not None:
        p.operation, p.table_token_stride = ROTATE, pairs
        p.table_batch_stride = p.seq * pairs
        p.cos, word = _table(call, "cos", cos, p.batch, p.seq, pairs)
        p.sin, other = _table(call, "sin", sin, p.batch, p.seq, pairs)
        if word != other:
            raise ValueError(f"cos holds {word}, sin {other}")
        p.table_dtype = BITS[word]
        return call
    p.operation, p.amplitude = ROPE, amplitude
    _sections(call, sections, _positions(call, positions, p.batch, p.seq), pairs)
    if inv_freq is None:
        p.base = base
    else:
        given = np.asarray(_plain(inv_freq), np.float64)
        if given.shape != (pairs,):
            raise ValueError(f"inv_freq has shape {list(given.shape)}; "
                             f"expected [{pairs}]")
        p.inv_freq = call.keep(given)
    if scaling is not None:
        _scaling(call, scaling, pairs)
    return call


def _claim(claim):
    words = {"angle_class": claim} if isinstance(claim, str) else dict(claim)
    known = {"angle_class": {"A0": 0, "A1": 1, "A2": 2, "A3": 3},
             "angle_dtype": BITS, "table_dtype": BITS,
             "power": {"pow": 0, "exp2": 1},
             "rounding": {"once": 0, "each": 1, "truncate": 2}}
    made = Claim(power_ulp=1, trig_ulp=1)
    for word, value in words.items():
        if word in known and value not in known[word]:
            raise ValueError(f"claim's {word} is {value!r}; known are "
                             f"{', '.join(known[word])}")
        if word not in dict(Claim._fields_):
            raise ValueError(f"claim has no {word!r}")
        setattr(made, word, known[word][value] if word in known else value)
    return made


def _tuple(x):
    return tuple(x) if isinstance(x, (tuple, list)) else (x,)


def _judged(result, given, claim, read, **how):
    """read(library, judgement) of a judgement, which is freed then."""
    usual = dict(positions=None, base=10000.0, inv_freq=None, scaling=None,
                 amplitude=1.0, cos=None, sin=None, pairing="half_split",
                 order="bshd", rotary_dim=None, rotary_offset=0, sections=None,
                 direction="forward")
    unknown = set(how) - set(usual)
    if unknown:
        raise TypeError(f"no argument of this function: "
                        f"{', '.join(sorted(unknown))}")
    call = _call(_tuple(result), _tuple(given), **{**usual, **how})
    held_to, judgement, library = _claim(claim), pointer(), _load()
    status = library.ropeproof_judge(ctypes.byref(call.problem),
                                     ctypes.byref(held_to),
                                     ctypes.byref(judgement))
    if status != 0:
        raise ValueError(library.ropeproof_error().decode())
    try:
        return read(library, judgement)
    finally:
        library.ropeproof_free(judgement)


def assert_rope_close(result, given, *, claim="A1", **how):
    """Passes if a RoPE's result is within the bound that follows from a claim.

    result, given  what the kernel returned, and what it was given: an array, or
                   a tuple (q, k); of NumPy, torch, JAX or MLX, in f64, f32, f16
                   or bf16
    positions      [seq], [batch, seq] or [axes, batch, seq], whole or real
    cos, sin       or the table that the kernel was given, half as wide as the
                   window or, with equal halves, as wide
    base           of the frequencies, 10000; or inv_freq, one for each pair
    scaling        {"kind": "yarn", "factor": 4, ...}: the parameters of a
                   scaling, by the names of ropeproof_scaling
    amplitude      of cos and sin
    pairing        "half_split", "interleaved" or "interleaved_to_half"
    order          of dimensions: "bshd", "bhsd", "sbhd" or "shd"
    rotary_dim     channels that rotate, from rotary_offset on; all
    sections       with several axes: the pairs of each
    direction      "forward", or "adjoint" for gradients
    claim          "A1": angles as good as f32. "A0", "A2", "A3", or a dict with
                   angle_class, angle_dtype, table_dtype, rounding ...

    AssertionError says which elements are wrong, the pattern that they follow
    and, where it is known, the bug. ValueError names an argument that cannot
    be.
    """
    def failure(library, judgement):
        if library.ropeproof_wrong(judgement) > 0:
            return library.ropeproof_text(judgement).decode()
        return None
    text = _judged(result, given, claim, failure, **how)
    if text is not None:
        raise AssertionError(text)


def _arrays(name, given, claim, **how):
    shapes = [np.shape(x) for x in _tuple(given)]

    def read(library, judgement):
        values = np.ctypeslib.as_array(
            getattr(library, "ropeproof_" + name)(judgement),
            (library.ropeproof_elements(judgement),)).copy()
        parts = np.split(values, [int(np.prod(shapes[0]))])
        order = how.get("order", "bshd")
        made = []
        for shape, part in zip(shapes, parts):
            sizes = dict(zip(order, shape))
            plain = [axis for axis in "bshd" if axis in order]
            part = part.reshape([sizes[axis] for axis in plain])
            made.append(part.transpose([plain.index(axis) for axis in order]))
        return made[0] if len(shapes) == 1 else tuple(made)
    return _judged(given, given, claim, read, **how)


def golden(given, **how):
    """The exact result, float64, in the shape of `given`: an array, or a tuple
    (q, k). Rounded to odd: one cast to a narrower type is correctly rounded.
    Arguments as those of assert_rope_close."""
    return _arrays("golden", given, "A1", **how)


def bound(given, *, claim="A1", **how):
    """How far each element of a result may be from the golden, float64."""
    return _arrays("bound", given, claim, **how)
