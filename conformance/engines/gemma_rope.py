"""gemma 3.3.0 on JAX 0.10.2: gm.math.apply_rope, compiled whole, as a model compiles it."""

import ropeproof

import jax
import parts

parts.bare("gemma", "gemma.gm", "gemma.gm.math")
from gemma.gm.math import _positional_embeddings as gemma  # noqa: E402

ropeproof.kernel(
    like="positions", name="gemma.jax", features=["keys", "negative_positions"],
    scalings=["linear"], few_shapes="any head", table_dtype="f32", rounding="once",
    arguments={"scale_factor": lambda scaling: scaling["factor"] if scaling else 1.0},
)(jax.jit(gemma.apply_rope, static_argnames=["base_frequency", "scale_factor"]))
ropeproof.serve()
