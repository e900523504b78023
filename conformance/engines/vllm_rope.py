"""vllm 0.33.0, PyTorch: get_rope(...).forward_native of model_executor/layers/rotary_embedding.
Argument: neox or gptj."""

import ropeproof

import sys

import parts

parts.bare("vllm", "vllm.model_executor", "vllm.model_executor.layers", "vllm.utils")
parts.stubs("vllm", ["_aiter_ops", "config", "distributed", "logger", "platforms", "triton_utils",
                     "model_executor.custom_op", "utils.flashinfer", "utils.torch_utils"])
from vllm.model_executor.layers.rotary_embedding import get_rope  # noqa: E402

IS_NEOX = sys.argv[1] == "neox"


@ropeproof.kernel(
    name="vllm." + sys.argv[1], version=parts.version("vllm"), operations=["rope"],
    dtypes=["f32", "f16", "bf16"], pairings=["half_split" if IS_NEOX else "interleaved"],
    features=["keys", "partial"], max_position=16383,
    scalings=["linear", "dynamic_ntk", "yarn", "llama3"], angle_class="A1", rounding="each",
    arrays="torch", supports=lambda p: p.q_heads and not (  # its cache has length * factor rows
        p.scaling and p.scaling["kind"] == "yarn"
        and p.scaling["original_length"] * p.scaling["factor"] > 2**20))
class Rope:
    def __init__(self, head_dim, hugging_face):
        rope, length = hugging_face["rope_parameters"], hugging_face["max_position_embeddings"]
        self.module = get_rope(head_dim, length if rope["rope_type"] == "yarn" else 16384,
                               IS_NEOX, rope | {"max_trained_positions": length})

    def __call__(self, p):
        flat = [x.flatten(2).flatten(0, 1) for x in p.tensors]
        rotated = self.module.forward_native(p.positions, *flat)
        return [y.reshape(x.shape) for x, y in zip(p.tensors, rotated)]


ropeproof.serve()
