"""torchtune 0.6.1, PyTorch: Llama3ScaledRoPE."""

import ropeproof

import parts

parts.bare("torchtune", "torchtune.models", "torchtune.models.llama3_1")
from torchtune.models.llama3_1 import _position_embeddings as torchtune  # noqa: E402

ropeproof.kernel(
    like="positions", name="torchtune.llama3", pairings=["interleaved"], scalings=["llama3"],
    table_dtype="f32", rounding="once", supports=lambda p: p.scaling,
    arguments={"dim": lambda head_dim: head_dim} | parts.of_scaling(
        scale_factor="factor", low_freq_factor="low_freq_factor",
        high_freq_factor="high_freq_factor", old_context_len="original_length"),
)(torchtune.Llama3ScaledRoPE)
ropeproof.serve()
