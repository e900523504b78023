"""torchtune 0.6.1, PyTorch: Llama3ScaledRoPE."""

import ropeproof

import importlib.metadata

import parts

parts.bare("torchtune", "torchtune.models", "torchtune.models.llama3_1")
from torchtune.models.llama3_1 import _position_embeddings as torchtune  # noqa: E402

LENGTH = 131072


@ropeproof.kernel(
    name="torchtune.llama3", version=importlib.metadata.version("torchtune"), operations=["rope"],
    dtypes=["f32", "f16", "bf16"], pairings=["interleaved"],
    scalings=["llama3"], max_position=LENGTH - 1, angle_class="A1", table_dtype="f32",
    rounding="once", arrays="torch", supports=lambda p: p.scaling)
class Rope:
    def __init__(self, head_dim, base, scaling):
        self.module = torchtune.Llama3ScaledRoPE(
            head_dim, LENGTH, base, scaling["factor"], scaling["low_freq_factor"],
            scaling["high_freq_factor"], scaling["original_length"])

    def __call__(self, p):
        return [self.module(x, input_pos=p.positions) for x in p.tensors]


ropeproof.serve()
