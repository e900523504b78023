"""lmdeploy 0.18.0, Triton: apply_rotary_pos_emb of pytorch/kernels/cuda/apply_rotary_pos_emb.py."""

import ropeproof

import parts

ropeproof.backend("triton-interpret")
parts.bare("lmdeploy", "lmdeploy.pytorch", "lmdeploy.pytorch.kernels",
           "lmdeploy.pytorch.kernels.cuda")
from lmdeploy.pytorch.kernels.cuda.apply_rotary_pos_emb import apply_rotary_pos_emb  # noqa: E402


@ropeproof.kernel(name="lmdeploy", version=parts.version("lmdeploy"), operations=["rotate"],
                  dtypes=["f32", "f16", "bf16"], pairings=["half_split", "interleaved"],
                  features=["keys"], angle_class="A0", rounding="each",
                  backend="triton-interpret", supports=lambda p: p.q_heads and p.k_heads)
def rope(p):
    table = [part.flatten(0, 1) for part in (p.cos, p.sin)]
    if p.pairing == "half_split":
        table = [part.repeat(1, 2) for part in table]
    return [y.reshape(x.shape) for x, y in zip(p.tensors, apply_rotary_pos_emb(
        p.q.flatten(0, 1), p.k.flatten(0, 1), *table, complex_mode=p.pairing == "interleaved"))]


ropeproof.serve()
