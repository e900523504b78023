"""vllm 0.33.0, PyTorch: get_rope(...).forward_native. Argument: neox or gptj."""

import ropeproof

import importlib.metadata
import logging
import sys
from unittest import mock

import parts
import torch

NEIGHBOURS = ["_aiter_ops", "config", "distributed", "logger", "model_executor.custom_op",
              "platforms", "triton_utils", "utils.flashinfer", "utils.torch_utils"]
parts.bare("vllm", "vllm.model_executor", "vllm.model_executor.layers", "vllm.utils")
sys.modules.update({"vllm." + name: mock.MagicMock() for name in NEIGHBOURS})


class CustomOp(torch.nn.Module):
    """What rotary embeddings derive from."""

    def __init__(self, **_):
        super().__init__()

    @staticmethod
    def register(*_, **__):
        return lambda decorated: decorated

    @staticmethod
    def enabled():
        return False


sys.modules["vllm.model_executor.custom_op"].CustomOp = CustomOp
sys.modules["vllm.logger"].init_logger = logging.getLogger
from vllm.model_executor.layers.rotary_embedding import get_rope  # noqa: E402

is_neox = sys.argv[1] == "neox"
LENGTH = 16384


@ropeproof.kernel(
    name="vllm." + sys.argv[1], version=importlib.metadata.version("vllm"), operations=["rope"],
    dtypes=["f32", "f16", "bf16"], pairings=["half_split" if is_neox else "interleaved"],
    features=["keys", "partial"], scalings=["linear", "dynamic_ntk", "yarn", "llama3"],
    max_position=LENGTH - 1, angle_class="A1", rounding="each", arrays="torch",
    supports=lambda p: p.q_heads)
class Rope:
    def __init__(self, head_dim, hugging_face):
        rope, length = hugging_face["rope_parameters"], hugging_face["max_position_embeddings"]
        if rope["rope_type"] == "dynamic":
            rope["max_trained_positions"] = length
        if rope["rope_type"] != "yarn":  # there it is the trained length times the factor
            length = LENGTH
        self.module = get_rope(head_dim, length, is_neox, rope, torch.float32)

    def __call__(self, p):
        flat = [x.reshape(p.batch * p.seq, -1) for x in p.tensors]
        found = self.module.forward_native(p.positions, *flat, *[None] * (2 - len(flat)))
        return [y.reshape(x.shape) for x, y in zip(p.tensors, found)]


ropeproof.serve()
