"""x-transformers 2.31.10, PyTorch: RotaryEmbedding and apply_rotary_pos_emb."""

import ropeproof

import parts

from x_transformers.x_transformers import RotaryEmbedding, apply_rotary_pos_emb


@ropeproof.kernel(
    name="x-transformers", version=parts.version("x-transformers"),
    operations=["rope"], dtypes=["f32", "f16", "bf16"], pairings=["interleaved"],
    features=["keys", "partial", "negative_positions"], scalings=["linear"], angle_class="A1",
    table_dtype="f32", rounding="once", arrays="torch", heads_first=True)
class Rope:
    def __init__(self, rotary_dim, base, scaling):
        factor = scaling["factor"] if scaling else 1.0
        self.module = RotaryEmbedding(rotary_dim, base=base, interpolation_factor=factor)

    def __call__(self, p):
        freqs, scale = self.module(p.positions)
        return [apply_rotary_pos_emb(x, freqs, scale) for x in p.tensors]


ropeproof.serve()
