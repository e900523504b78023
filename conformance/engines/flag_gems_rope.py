"""FlagGems 5.0.2, Triton: apply_rotary_pos_emb of fused/rotary_embedding.py."""

import ropeproof

import torch

import parts

ropeproof.backend("triton-interpret")
parts.bare("flag_gems", "flag_gems.fused", "flag_gems.utils")
parts.stubs("flag_gems", ["runtime", "utils.triton_lang_helper"], torch_device_fn=torch.cuda,
            use_tl_extra=lambda function: function)
from flag_gems import utils  # noqa: E402

utils.libentry = lambda: lambda kernel: kernel
from flag_gems.fused.rotary_embedding import apply_rotary_pos_emb  # noqa: E402


@ropeproof.kernel(name="flag-gems", version=parts.version("flag_gems"), operations=["rotate"],
                  dtypes=["f32", "f16", "bf16"], pairings=["half_split", "interleaved"],
                  features=["keys"], angle_class="A0", backend="triton-interpret",
                  supports=lambda p: p.q_heads and p.k_heads)
def rope(p):
    rows = torch.arange(p.batch * p.seq).view(p.batch, p.seq)
    return apply_rotary_pos_emb(p.q, p.k, p.cos.flatten(0, 1), p.sin.flatten(0, 1), rows,
                                p.pairing == "interleaved")


ropeproof.serve()
