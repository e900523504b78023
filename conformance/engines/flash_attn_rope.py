"""flash-attn 2.8.3.post2, Triton: apply_rotary of ops/triton/rotary.py, and its conjugate.
Argument: padded, or packed for cu_seqlens."""

import ropeproof

import sys

import parts

ropeproof.backend("triton-interpret")
parts.bare("flash_attn", "flash_attn.ops", "flash_attn.ops.triton")
from flash_attn.ops.triton.rotary import apply_rotary  # noqa: E402

ropeproof.kernel(like="flash_attn", packed=sys.argv[1] == "packed",
                 name="flash-attn." + sys.argv[1],
                 version=parts.version("flash_attn"), pairings=["half_split", "interleaved"],
                 supports=lambda p: p.head_dim <= 256, backend="triton-interpret")(apply_rotary)
ropeproof.serve()
