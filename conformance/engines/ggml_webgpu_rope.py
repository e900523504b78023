"""ggml of llama-cpp-python 0.3.36, WebGPU: rope.wgsl of ggml-webgpu/wgsl-shaders."""

import ropeproof

import struct

import numpy as np

import parts

ropeproof.backend("lavapipe")
from ropeproof.backends import lavapipe  # noqa: E402

FILE = parts.folder("llama_cpp_python") / "src/ggml-webgpu/wgsl-shaders/rope.wgsl"


@ropeproof.kernel(
    name="ggml-webgpu", version="llama-cpp-python " + parts.version("llama_cpp_python"),
    operations=["rope"], dtypes=["f32", "f16"], pairings=["half_split", "interleaved"],
    features=["keys", "partial", "window_offset", "amplitude", "negative_positions"],
    scalings=["linear", "frequency_factors"], angle_class="A2", trig_ulp=2,
    supports=lambda p: (p.head_dim | p.rotary_offset) % 2 == 0, backend="lavapipe")
def rope(p):
    shader = lavapipe.shader(FILE, FF_FUNC=1, WG_SIZE=256, **{"TYPE_" + p.dtype.upper(): 1})
    return [rotated(shader, x, np.full_like(x, np.nan), p) for x in p.tensors]


def rotated(shader, x, y, p):
    theta_scale, linear, factors = parts.ggml_scaling(p)
    heads, size, tokens = x.shape[2], p.head_dim, p.batch * p.seq
    strides = size, size * heads, size * heads * tokens
    shader((-(-x.size // 256), 1, 1), [
        x, p.positions.astype(np.int32), factors, y, struct.pack(
            "16I6f5I", 0, 0, 0, 0, *strides, *strides, x.size // 2, size, heads, tokens,
            p.rotary_dim, 2 * (p.pairing == "half_split"), theta_scale, p.amplitude, linear,
            0, 0, 0, 0, 0, 0, 0, p.rotary_offset)])
    return y


ropeproof.serve()
