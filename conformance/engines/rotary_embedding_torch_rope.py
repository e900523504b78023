"""rotary-embedding-torch 0.9.1, PyTorch: rotate_queries_or_keys, which takes an offset."""

import ropeproof

from rotary_embedding_torch import RotaryEmbedding

ropeproof.kernel(
    like="offset", name="rotary-embedding-torch", method="rotate_queries_or_keys",
    pairings=["interleaved"], features=["keys", "partial"], table_dtype="f32", rounding="once",
)(RotaryEmbedding)
ropeproof.serve()
