"""tpu-inference 0.32.0, Pallas for TPUs: rope of kernels/experimental/deepseek_v4/rope.py, of
the last channels of a head."""

import ropeproof

import parts

ropeproof.backend("pallas-interpret")
parts.bare("tpu_inference", "tpu_inference.kernels", "tpu_inference.kernels.experimental",
           "tpu_inference.kernels.experimental.deepseek_v4")
from tpu_inference.kernels.experimental.deepseek_v4 import rope as its  # noqa: E402


def rope(x, positions, cos_sin_cache):
    return its.rope(x, positions, cos_sin_cache)


ropeproof.kernel(
    like="tokamax", name="tpu-inference", version=parts.version("tpu_inference"), arrays="jax",
    rounding="once", backend="pallas-interpret", most_tokens=64,
    supports=lambda p: p.head_dim % 128 == 0 and p.rotary_dim <= 128
    and p.rotary_offset + p.rotary_dim == p.head_dim)(rope)
ropeproof.serve()
