"""timm 1.0.31, PyTorch: RotaryEmbeddingCat and apply_rot_embed_cat of
layers/pos_embed_sincos.py, a grid of 512 x 512."""

import ropeproof

import parts

parts.bare("timm", "timm.layers")
from timm.layers import pos_embed_sincos as timm  # noqa: E402

GRID = [512, 512]


@ropeproof.kernel(
    name="timm", version=parts.version("timm"), operations=["rope"], dtypes=["f32", "f16", "bf16"],
    pairings=["half_split", "interleaved"], features=["exponents"], axis_maps=["grid"],
    max_position=GRID[0] - 1, angle_class="A1", table_dtype="f32", rounding="once",
    arrays="torch", heads_first=True, supports=lambda p: p.position_axes == 2)
class Rope:
    def __init__(self, head_dim, pair_bases, pairing):
        self.half = pairing == "half_split"
        self.embedding = timm.RotaryEmbeddingCat(
            head_dim, temperature=float(pair_bases[0]), in_pixels=False, feat_shape=GRID,
            rotate_half=self.half).get_embed(GRID)

    def __call__(self, p):
        rows = self.embedding[p.positions[0] * GRID[1] + p.positions[1]].unsqueeze(1)
        return [timm.apply_rot_embed_cat(x, rows, half=self.half) for x in p.tensors]


ropeproof.serve()
