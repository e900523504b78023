"""ggml of llama-cpp-python 0.3.36, OpenCL: kernel_rope_norm_f32 and kernel_rope_neox_f32 of
ggml-opencl/kernels/rope.cl."""

import ropeproof

import numpy as np

import parts

ropeproof.backend("pocl")
from ropeproof.backends import pocl  # noqa: E402

FILE = parts.folder("llama_cpp_python") / "src/ggml-opencl/kernels/rope.cl"


@ropeproof.kernel(
    name="ggml-opencl", version="llama-cpp-python " + parts.version("llama_cpp_python"),
    operations=["rope"], dtypes=["f32"], pairings=["half_split", "interleaved"],
    features=["keys", "partial", "window_offset", "amplitude", "negative_positions"],
    scalings=["linear", "frequency_factors"], max_position=2**31 - 1, angle_class="A1",
    supports=lambda p: (p.head_dim | p.rotary_offset) % 2 == 0, backend="pocl")
def rope(p):
    # Its kernels in half precision need what PoCL lacks; in float they compile.
    kernel = pocl.kernel(FILE, f"kernel_rope_{parts.GGML_PAIRING[p.pairing]}_f32", "-Dhalf=float")
    return [rotated(kernel, x, np.full_like(x, np.nan), p) for x in p.tensors]


def rotated(kernel, x, y, p):
    _, linear, factors = parts.ggml_scaling(p)
    shape = np.array([p.head_dim, x.shape[2], p.batch * p.seq, 1], np.int32)
    strides = 4 * np.cumprod([1, *shape[:3]], dtype=np.uint64)
    offset, zero, threads = np.uint64(0), np.float32(0), min(64, p.head_dim)
    kernel((int(shape[1]) * threads, int(shape[2]), 1), (threads, 1, 1),
           x, offset, p.positions.astype(np.int32), offset, factors, offset, y, offset,
           *shape, *strides, *shape, *strides, np.int32(0), np.int32(p.rotary_dim), np.int32(1),
           np.float32(p.base), np.float32(linear), zero, np.float32(p.amplitude), zero, zero,
           np.int32(p.rotary_offset))
    return y


ropeproof.serve()
