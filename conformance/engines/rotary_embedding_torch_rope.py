"""rotary-embedding-torch 0.9.1, PyTorch: rotate_queries_or_keys, which takes an offset."""

import ropeproof

import importlib.metadata

from rotary_embedding_torch import RotaryEmbedding


@ropeproof.kernel(
    name="rotary-embedding-torch", version=importlib.metadata.version("rotary-embedding-torch"),
    operations=["rope"], dtypes=["f32", "f16", "bf16"], pairings=["interleaved"],
    features=["keys", "partial"], angle_class="A1", table_dtype="f32", rounding="once",
    arrays="torch", heads_first=True)
class Rope:
    def __init__(self, rotary_dim, base):
        self.module = RotaryEmbedding(rotary_dim, theta=base)

    def __call__(self, p):
        return p.by_runs(lambda x, offset: self.module.rotate_queries_or_keys(x, offset=offset))


ropeproof.serve()
