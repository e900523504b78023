"""The judge of one result: libropeproof_judge.so and its structs."""

import ctypes
import functools
import os
import pathlib

from ropeproof.errors import Error

BITS = {word: 1 << i for i, word in enumerate(("f64", "f32", "f16", "bf16"))}
PAIRINGS = {word: 1 << i for i, word in enumerate(
    ("interleaved", "half_split", "interleaved_to_half"))}
NESTED = {"nested_half_split": 1 << 3}  # a pairing with pairing_blocks
AXIS_MAPS = {word: 1 << i for i, word in enumerate(
    ("sections", "interleaved", "grid", "any"))}
ROTATE, ROPE, LOOKUP = 1 << 2, 1 << 3, 1 << 5
UNSUPPORTED = 1  # a status
DOUBLED = 1 << 2  # cos and sin have a value for each channel

u32, i32, i64 = ctypes.c_uint32, ctypes.c_int32, ctypes.c_int64
f64, pointer, text = ctypes.c_double, ctypes.c_void_p, ctypes.c_char_p

PACKAGE = pathlib.Path(__file__).parent


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

# As conformance/include/ropeproof_fused.h has them.
Stored = _struct("Stored", [("type", u32), ("scale", pointer),
                            ("batch_stride token_stride head_stride", i64)])
Cached = _struct("Cached", [
    ("before after", pointer),
    ("block block_stride slot_stride head_stride", i64)])
Fused = _struct("Fused", [
    ("struct_size is_normed weight_dtype norm_roundings", u32),
    ("epsilon weight_offset", f64), ("q_weight k_weight", pointer),
    ("q_stored k_stored v_stored", Stored), ("slots", pointer),
    ("slot_count", i64), ("v", Tensor), ("k_cache v_cache", Cached)])

FUNCTIONS = {  # of ropeproof_judge.h: what they return and take
    "judge": (i32, [pointer] * 3), "expect": (i32, [pointer] * 3), "free": (None, [pointer]),
    "golden": (ctypes.POINTER(f64), [pointer]),
    "bound": (ctypes.POINTER(f64), [pointer]), "text": (text, [pointer]),
    "worst": (f64, [pointer]), "elements": (i64, [pointer]),
    "wrong": (i64, [pointer]), "unjudged": (i64, [pointer]),
    "fused_failure": (text, [pointer] * 3),
    "begin_scaling": (text, [u32, pointer]),
    "error": (text, []),
    "layers": (text, [text] * 2),
    "read_config": (i32, [text] * 3 + [u32, i64, pointer]),
    "set_model": (None, [pointer] * 2), "model_free": (None, [pointer])}

_library = None


def load():
    """The library, once. A call of it leaves the interpreter to others."""
    global _library
    if _library is None:
        path = os.environ.get("ROPEPROOF_JUDGE_LIBRARY",
                              str(PACKAGE / "lib" / "libropeproof_judge.so"))
        try:
            library = ctypes.CDLL(path)
        except OSError as error:
            raise Error(f"the library of the judge cannot be loaded: {error}"
                        ) from None
        for name, (result, arguments) in FUNCTIONS.items():
            function = getattr(library, "ropeproof_" + name)
            function.restype, function.argtypes = result, arguments
        _library = library
    return _library


def check(status):
    """ValueError, in a line, where a function of the library refuses."""
    if status != 0:
        raise ValueError(load().ropeproof_error().decode())


@functools.cache
def scalings():
    """Of the word of each kind of scaling: a Scaling that has its defaults, and
    the fields that must be given."""
    found = {}
    while True:
        begun = Scaling(struct_size=ctypes.sizeof(Scaling))
        words = load().ropeproof_begin_scaling(1 << len(found), ctypes.byref(begun))
        if words is None:
            return found
        kind, *needed = words.decode().split()
        found[kind] = begun, needed


def scaling_of(kind, **fields):
    begun = Scaling.from_buffer_copy(scalings()[kind][0])
    for word, value in fields.items():
        setattr(begun, word, value)
    return begun


def model_of(config, layers=None, pairing=None, seq_len=None):
    """The RoPE of a config.json: a path or a folder, its text as a dict, or a
    configuration of transformers. What it says is read at each call, and
    understood once for each content."""
    return _Model(_text_of(config), layers or "", PAIRINGS.get(pairing, 0),
                  seq_len or 0)


def layers_of(config):
    """The words for layers of a configuration with several ropes."""
    words = load().ropeproof_layers(_text_of(config), str(_models()).encode())
    return words.decode().split(", ") if words else []


@functools.lru_cache(maxsize=64)
class _Model:
    """What a text says; nothing changes it."""

    def __init__(self, text, layers, pairing, seq_len):
        self._model = pointer()
        check(load().ropeproof_read_config(
            text, str(_models()).encode(), layers.encode(), pairing, seq_len,
            ctypes.byref(self._model)))

    def set(self, problem):
        load().ropeproof_set_model(self._model, ctypes.byref(problem))

    def __del__(self):
        if self._model:
            load().ropeproof_model_free(self._model)


def _models():
    """What is said of model types: in a wheel, or in the sources."""
    installed = PACKAGE / "share" / "ropeproof" / "vectors" / "models"
    return (installed if installed.is_dir()
            else PACKAGE.parents[2] / "vectors" / "models")


def _text_of(config):
    import json
    try:
        if hasattr(config, "to_dict"):
            config = config.to_dict()
        if isinstance(config, dict):
            return json.dumps(config, default=str).encode()
    except Exception as error:  # of any class; a dict that holds itself
        raise ValueError(f"config is a {type(config).__name__} that cannot be "
                         f"written as JSON: {error!r}") from None
    if not isinstance(config, (str, os.PathLike)):
        raise ValueError(f"config is a {type(config).__name__}; expected a path "
                         f"of a config.json, a dict or a configuration of "
                         f"transformers")
    path = pathlib.Path(config)
    try:
        path = path / "config.json" if path.is_dir() else path
        return path.read_bytes()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", error)
        raise ValueError(f"config {str(path)!r} cannot be read: {why}") from None
