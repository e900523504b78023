"""diffusers 0.42.1, PyTorch: get_1d_rotary_pos_embed and apply_rotary_emb, half-split."""

import ropeproof

import parts

from diffusers.models.embeddings import apply_rotary_emb, get_1d_rotary_pos_embed


@ropeproof.kernel(
    name="diffusers", version=parts.version("diffusers"), operations=["rope"],
    dtypes=["f32", "f16", "bf16"], pairings=["half_split"], scalings=["linear", "ntk"],
    features=["keys", "negative_positions"], angle_class="A1", table_dtype="f32",
    rounding="once", arrays="torch")
def rope(p):
    scaling = {}
    if p.scaling and p.scaling["kind"] == "ntk":  # there it multiplies the base
        scaling["ntk_factor"] = p.scaling["factor"] ** (p.head_dim / (p.head_dim - 2))
    elif p.scaling:
        scaling["linear_factor"] = p.scaling["factor"]
    return p.by_rows(lambda x, positions: apply_rotary_emb(
        x, get_1d_rotary_pos_embed(p.head_dim, positions, p.base, use_real=True,
                                   repeat_interleave_real=False, **scaling),
        use_real_unbind_dim=-2, sequence_dim=1))


ropeproof.serve()
