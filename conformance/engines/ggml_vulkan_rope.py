"""ggml of llama-cpp-python 0.3.36, Vulkan: rope_norm.comp and rope_neox.comp of
ggml-vulkan/vulkan-shaders."""

import ropeproof

import struct

import numpy as np

import parts

ropeproof.backend("lavapipe")
from ropeproof.backends import lavapipe  # noqa: E402

FOLDER = parts.folder("llama_cpp_python") / "src/ggml-vulkan/vulkan-shaders"
TYPES = {"f32": "float", "f16": "float16_t"}


@ropeproof.kernel(
    name="ggml-vulkan", version="llama-cpp-python " + parts.version("llama_cpp_python"),
    operations=["rope"], dtypes=["f32", "f16"], pairings=["half_split", "interleaved"],
    features=["keys", "partial", "window_offset", "adjoint", "amplitude", "negative_positions"],
    scalings=["linear", "frequency_factors"], angle_class="A2", trig_ulp=2,
    supports=lambda p: (p.head_dim | p.rotary_offset) % 2 == 0, backend="lavapipe")
def rope(p):
    shader = lavapipe.shader(FOLDER / f"rope_{parts.GGML_PAIRING[p.pairing]}.comp", (FOLDER,),
                             A_TYPE=TYPES[p.dtype], ROPE_D_TYPE=TYPES[p.dtype])
    return [rotated(shader, x, np.full_like(x, np.nan), p) for x in p.tensors]


def rotated(shader, x, y, p):
    theta_scale, linear, factors = parts.ggml_scaling(p)
    heads, size, tokens = x.shape[2], p.head_dim, p.batch * p.seq
    rows = tokens * heads
    strides = size, size * heads, size * rows
    shader((min(rows, 32768), -(-size // 512), -(-rows // 32768)), [
        x, p.positions.astype(np.int32), factors, y, np.zeros(2, np.uint32)], struct.pack(
        "4I7f5I3I3I6I2I", 0, rows, p.rotary_dim, p.rotary_offset, linear, p.base, 0,
        p.amplitude, 0, 0, theta_scale, 1, 0, 0, 0, 0, 0, p.direction < 0, 0,
        size, heads, tokens, *strides, *strides, 0, 0))
    return y


ropeproof.serve()
