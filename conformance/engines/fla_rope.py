"""flash-linear-attention, fla-core 0.6.0, Triton, forward and backward: rotary_embedding of
modules/rotary/ops.py."""

import ropeproof

import parts

ropeproof.backend("triton-interpret")
from fla.modules.rotary.ops import rotary_embedding  # noqa: E402

ropeproof.kernel(like="flash_attn", name="fla", version=parts.version("fla-core"), backward=True,
                 pairings=["half_split", "interleaved"], supports=lambda p: p.head_dim <= 256,
                 backend="triton-interpret")(rotary_embedding)
ropeproof.serve()
