"""vLLM 0.33.0, Triton: triton_mrope of model_executor/layers/rotary_embedding/mrope.py."""

import ropeproof

import torch

import parts

ropeproof.backend("triton-interpret")
import triton  # noqa: E402

parts.bare("vllm", "vllm.model_executor", "vllm.model_executor.layers",
           "vllm.model_executor.layers.rotary_embedding")
PLACE = "model_executor.layers.rotary_embedding"
parts.stubs("vllm", ["platforms", "triton_utils", "utils", "utils.torch_utils", PLACE + ".base",
                     PLACE + ".yarn_scaling_rope"],
            triton=triton, tl=triton.language, RotaryEmbeddingBase=torch.nn.Module)
from vllm.model_executor.layers.rotary_embedding.mrope import triton_mrope  # noqa: E402


def rope(q, k, cos, sin, section):
    half, size = cos.shape[-1] // 2, q.shape[-1]
    flat = [x.transpose(1, 2).flatten(2).flatten(0, 1).clone() for x in (q, k)]
    table = [part[..., :half].flatten(1, 2).contiguous() for part in (cos, sin)]
    rotated = triton_mrope(*flat, *table, section, size, 2 * half, False, True)
    return [y.view(x.transpose(1, 2).shape).transpose(1, 2) for x, y in zip((q, k), rotated)]


ropeproof.kernel(like="mrope", name="vllm.mrope", version=parts.version("vllm"),
                 features=["keys", "partial"], backend="triton-interpret")(rope)
ropeproof.serve()
