"""gemma 3.3.0 on JAX 0.10.2: gm.math.apply_rope."""

import ropeproof

import importlib.metadata

import parts

parts.bare("gemma", "gemma.gm", "gemma.gm.math")
from gemma.gm.math import _positional_embeddings as gemma  # noqa: E402


@ropeproof.kernel(
    name="gemma.jax", version=importlib.metadata.version("gemma"), operations=["rope"],
    dtypes=["f32", "f16", "bf16"], pairings=["half_split"],
    features=["keys", "negative_positions"], scalings=["linear"], max_position=2**31 - 1,
    angle_class="A1", table_dtype="f32", rounding="once", arrays="jax")
def rope(p):
    factor = p.scaling["factor"] if p.scaling else 1.0
    return [gemma.apply_rope(x, p.positions, base_frequency=p.base, scale_factor=factor)
            for x in p.tensors]


ropeproof.serve()
