"""lightllm 0.0.1, Triton: rotary_emb_fwd of models/llama/triton_kernel/rotary_emb.py."""

import ropeproof

import parts

ropeproof.backend("triton-interpret")
parts.bare("lightllm", "lightllm.models", "lightllm.models.llama",
           "lightllm.models.llama.triton_kernel")
from lightllm.models.llama.triton_kernel.rotary_emb import rotary_emb_fwd  # noqa: E402


@ropeproof.kernel(name="lightllm", version=parts.version("lightllm"), operations=["rotate"],
                  dtypes=["f32", "f16", "bf16"], pairings=["half_split"], features=["keys"],
                  angle_class="A0", rounding="each", backend="triton-interpret",
                  supports=lambda p: p.q_heads and p.k_heads)
def rope(p):
    q, k = (x.flatten(0, 1).clone() for x in p.tensors)
    rotary_emb_fwd(q, k, p.cos.flatten(0, 1), p.sin.flatten(0, 1))
    return q.reshape(p.q.shape), k.reshape(p.k.shape)


ropeproof.serve()
