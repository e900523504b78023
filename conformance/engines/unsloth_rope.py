"""Unsloth 2026.10.9, Triton, forward and backward: Fast_RoPE_Embedding_QK of
kernels/rope_embedding.py."""

import ropeproof

import torch

import parts

ropeproof.backend("triton-interpret")
import triton  # noqa: E402

parts.bare("unsloth", "unsloth.kernels")
from unsloth.kernels.indexing import long_indexing  # noqa: E402

parts.stubs("unsloth", ["device_type", "kernels.utils", "kernels.rms_layernorm"], DEVICE_COUNT=1,
            _TRACEABLE=False, _eager_kernel=lambda kernel: kernel, long_indexing=long_indexing,
            next_power_of_2=triton.next_power_of_2, torch_gpu_device=torch.cuda.device)
from unsloth.kernels.rope_embedding import Fast_RoPE_Embedding_QK  # noqa: E402


def rope(q, k, cos, sin):  # it writes into what it gets
    rows = torch.arange(cos.shape[0] * cos.shape[1])
    return Fast_RoPE_Embedding_QK.apply(
        q * 1, k * 1, cos.flatten(0, 1), sin.flatten(0, 1), rows)


ropeproof.kernel(like="hf", name="unsloth", version=parts.version("unsloth"), features=["keys"],
                 backward=True, backend="triton-interpret")(rope)
ropeproof.serve()
