"""tokamax 0.0.17, Pallas for TPUs: rope of _src/ops/deepseek_rope/pallas_mosaic_tpu_kernel.py, of
the last channels of a head."""

import ropeproof

import parts

ropeproof.backend("pallas-interpret")
parts.bare("tokamax", "tokamax._src", "tokamax._src.ops", "tokamax._src.ops.deepseek_rope")
from tokamax._src.ops.deepseek_rope import pallas_mosaic_tpu_kernel as its  # noqa: E402


def rope(x, positions, cos_sin_cache, *, inverse=False):
    return its.rope(x, positions, cos_sin_cache, inverse=inverse)


ropeproof.kernel(
    like="tokamax", name="tokamax", version=parts.version("tokamax"), arrays="jax",
    rounding="once", backend="pallas-interpret",
    supports=lambda p: p.head_dim % 128 == 0 and p.rotary_dim <= 128
    and p.rotary_offset + p.rotary_dim == p.head_dim)(rope)
ropeproof.serve()
