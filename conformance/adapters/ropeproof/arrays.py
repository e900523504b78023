"""Arrays of NumPy as those of another library, and back.

bf16 has no NumPy type: it travels as bit patterns. A to_ function gets an array
and its dtype as a word, None where it can only be what it is; a from_ function
gives an array of NumPy.
"""

import ctypes

import numpy as np

DTYPES = {"f64": np.float64, "f32": np.float32, "f16": np.float16,
          "bf16": np.uint16}


NAMES = {"float64": "f64", "double": "f64", "float32": "f32", "float": "f32",
         "float16": "f16", "half": "f16", "bfloat16": "bf16"}


def word_of(dtype):
    """The word of a dtype of NumPy, torch, JAX or MLX, or of its name; a word
    stays as it is."""
    name = getattr(dtype, "__name__", None) or getattr(dtype, "name", None)
    name = str(name or dtype).split(".")[-1]
    return NAMES.get(name, name)


def bf16_to_f32(bits):
    """float32 values of bf16 bit patterns (uint16); exact."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def f32_to_bf16(values):
    """bf16 bit patterns (uint16) of float32, to nearest, ties to even."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    quiet = bits >> 16 | 0x40  # rounding could turn a NaN into an infinity
    return np.where(np.isnan(values), quiet, rounded).astype(np.uint16)


def rounded(values, dtype):
    """float64 values in a dtype, rounded once."""
    if dtype != "bf16":
        return values.astype(DTYPES[dtype])
    # To f32 rounded to odd first, so that the second rounding cannot tell.
    near = values.astype(np.float32)
    even = near.view(np.uint32) & 1 == 0
    beyond = np.nextafter(near, np.where(values > near, np.inf, -np.inf),
                          dtype=np.float32)
    return f32_to_bf16(np.where((near != values) & even, beyond, near))


def to_torch(array, dtype=None):
    """The same memory as a torch tensor."""
    import torch
    if dtype == "bf16":
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def from_torch(tensor):
    import torch
    for word, is_so in (("nested", tensor.is_nested),
                        ("quantized", tensor.is_quantized),
                        ("on the device meta", tensor.is_meta),
                        (tensor.layout, tensor.layout != torch.strided)):
        if is_so:
            raise ValueError(f"is {word}, not dense")
    tensor = tensor.detach().cpu().resolve_conj().resolve_neg().contiguous()
    if tensor.dtype == torch.bfloat16:
        return tensor.view(torch.int16).numpy().view(np.uint16)
    try:
        return tensor.numpy()
    except TypeError:
        raise ValueError(f"is {tensor.dtype}; expected float32, bfloat16, "
                         f"float16 or float64") from None


def to_ml_dtypes(array, dtype=None):
    """Of NumPy, bf16 as ml_dtypes.bfloat16."""
    import ml_dtypes
    return array.view(ml_dtypes.bfloat16) if dtype == "bf16" else array


def from_numpy(array):
    """Of NumPy, ml_dtypes.bfloat16 as bit patterns."""
    return array.view(np.uint16) if array.dtype.name == "bfloat16" else array


def has_numbers(array):
    """Whether it is an array of some library, which NumPy can read."""
    return any(hasattr(array, name) for name in ("__array__", "numpy"))


def from_any(array):
    if not hasattr(array, "__array__"):
        array = array.numpy()
    array = np.asarray(array)
    if not array.dtype.isnative:  # as a file has it
        array = array.astype(array.dtype.newbyteorder("="))
    return from_numpy(array)


def to_jax(array, dtype=None):
    """A copy: JAX makes int64 and f64 narrower unless jax_enable_x64 is on."""
    import jax.numpy as jnp
    return jnp.array(to_ml_dtypes(array, dtype))


from_jax = from_any


def to_mlx(array, dtype=None):
    """A copy."""
    import mlx.core as mx
    copy = mx.array(array)
    return copy.view(mx.bfloat16) if dtype == "bf16" else copy


def from_mlx(array):
    import mlx.core as mx
    is_bf16 = array.dtype == mx.bfloat16
    return np.array(array.view(mx.uint16) if is_bf16 else array)


def to_onnxruntime(array, dtype=None):
    """A copy, as an OrtValue."""
    from onnxruntime import OrtValue
    array = np.ascontiguousarray(array)
    if dtype == "bf16":
        return OrtValue.ortvalue_from_numpy_with_onnx_type(array, 16)
    return OrtValue.ortvalue_from_numpy(array)


def from_onnxruntime(value):
    if value.data_type() != "tensor(bfloat16)":
        return value.numpy()
    shape = value.shape()
    bits = ctypes.string_at(value.data_ptr(), 2 * int(np.prod(shape)))
    return np.frombuffer(bits, np.uint16).reshape(shape)


# What the decorator's `arrays` may be.
LIBRARIES = {
    "numpy": (lambda array, dtype=None: array, from_numpy),
    "ml_dtypes": (to_ml_dtypes, from_numpy),
    "torch": (to_torch, from_torch),
    "jax": (to_jax, from_jax),
    "mlx": (to_mlx, from_mlx),
    "onnxruntime": (to_onnxruntime, from_onnxruntime)}


def check_library(library, device="cpu"):
    """ValueError, in a line, for arrays that cannot be had here."""
    if library not in LIBRARIES:
        raise ValueError(f"arrays={library!r}: known are "
                         f"{', '.join(LIBRARIES)}")
    if device == "cpu":
        return
    if library != "torch":
        raise ValueError(f"device={device!r}: arrays of {library} have no "
                         f"devices, those of torch have")
    import torch
    try:
        torch.zeros(1, device=device).cpu()
    except Exception:
        raise ValueError(f"device={device!r}: torch has none here") from None
