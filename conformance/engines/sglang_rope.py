"""SGLang 0.5.23, Triton, of kernels/ops: triton_mrope_fused of attention/rotary_triton.py,
apply_fused_qk_complex_rope of attention/vision_rope.py, apply_rotary_embedding of
diffusion/rope/rotary_triton.py. Argument: mrope, vision or diffusion."""

import ropeproof

import sys

import torch

import parts

ropeproof.backend("triton-interpret")
parts.bare("sglang", "sglang.kernels", "sglang.kernels.ops", "sglang.kernels.ops.attention",
           "sglang.kernels.ops.diffusion", "sglang.kernels.ops.diffusion.rope")
parts.stubs("sglang", ["kernels.ops.diffusion.common.platform"],
            select_impl=lambda kernel, **_: kernel)
from sglang.kernels.ops.attention import rotary_triton, vision_rope  # noqa: E402
from sglang.kernels.ops.diffusion.rope import rotary_triton as diffusion  # noqa: E402

vision_rope.can_use_fused_qk_complex_rope = lambda **_: True


def mrope(q, k, cos, sin, section):  # rows of a cache by positions: each row that it gets
    half, tokens = cos.shape[-1] // 2, cos.shape[1] * cos.shape[2]
    xs = [x.transpose(1, 2).flatten(2).flatten(0, 1).clone() for x in (q, k)]
    cache = torch.cat([part[..., :half].flatten(0, 2) for part in (cos, sin)], -1)
    rotary_triton.triton_mrope_fused(
        *xs, cache, torch.arange(3 * tokens).view(3, tokens), section, q.shape[-1], 2 * half,
        False, False, True, cache)
    return [y.view(x.transpose(1, 2).shape).transpose(1, 2) for x, y in zip((q, k), xs)]


def vision(xq, xk, freqs_cis):
    of_rows = freqs_cis.expand(xq.shape[0], -1, -1).contiguous()
    return vision_rope.apply_fused_qk_complex_rope(xq, xk, of_rows)


def rotary(x, freqs_cis):
    return diffusion.apply_rotary_embedding(
        x.transpose(1, 2).contiguous(), *freqs_cis, interleaved=True).transpose(1, 2)


KINDS = {"mrope": (mrope, dict(like="mrope", features=["keys"])),
         "vision": (vision, dict(like="meta", features=["keys"], dtypes=["f16", "bf16"],
                                 supports=lambda p: p.k_heads in (0, p.q_heads))),
         "diffusion": (rotary, dict(like="diffusers", pairings=["interleaved"], most_tokens=32))}
function, how = KINDS[sys.argv[1]]
ropeproof.kernel(name="sglang." + sys.argv[1], version=parts.version("sglang"),
                 backend="triton-interpret", **how)(function)
ropeproof.serve()
