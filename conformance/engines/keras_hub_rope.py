"""keras-hub 0.32.0 on Keras 3.15.1 with PyTorch: RotaryEmbedding of
src/layers/modeling/rotary_embedding.py."""

import ropeproof

import parts

parts.environment(KERAS_BACKEND="torch")
parts.bare("keras_hub", "keras_hub.src", "keras_hub.src.layers", "keras_hub.src.layers.modeling")
from keras_hub.src.layers.modeling.rotary_embedding import RotaryEmbedding  # noqa: E402

FIELDS = ["factor", "kind", "beta_fast", "beta_slow", "original_length", "truncate"]
TYPES = {"linear": "linear", "ntk": "dynamic", "yarn": "yarn"}


@ropeproof.kernel(
    name="keras-hub", version=parts.version("keras-hub"), operations=["rope"],
    dtypes=list(parts.FLOATS), pairings=["half_split"], features=["keys", "negative_positions"],
    scalings=list(TYPES), angle_class="A1", rounding="each", arrays="torch",
    supports=lambda p: not (p.scaling and (p.scaling["attention_factor"] or p.scaling["mscale"])))
class Rope:
    def __init__(self, dtype, base, scaling):
        said = [TYPES.get(scaling[name], scaling[name]) for name in FIELDS] if scaling else []
        self.layer = RotaryEmbedding(base, *said, dtype=parts.FLOATS[dtype])

    def __call__(self, p):
        return [self.layer(x, positions=p.positions) for x in p.tensors]


ropeproof.serve()
