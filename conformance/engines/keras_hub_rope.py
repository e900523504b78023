"""keras-hub 0.32.0 on Keras 3.15.1 with PyTorch: RotaryEmbedding of
src/layers/modeling/rotary_embedding.py."""

import ropeproof

import parts

parts.environment(KERAS_BACKEND="torch")
parts.bare("keras_hub", "keras_hub.src", "keras_hub.src.layers", "keras_hub.src.layers.modeling")
from keras_hub.src.layers.modeling.rotary_embedding import RotaryEmbedding  # noqa: E402

TYPES = {"linear": "linear", "ntk": "dynamic", "yarn": "yarn"}

ropeproof.kernel(
    like="positions", name="keras-hub", arrays="torch", scalings=list(TYPES),
    features=["keys", "negative_positions"],
    arguments={"dtype": lambda dtype: parts.FLOATS[dtype],
               "rope_type": lambda scaling: TYPES[scaling["kind"]] if scaling else "linear"
               } | parts.of_scaling(
        1.0, scaling_factor="factor", beta_fast="beta_fast", beta_slow="beta_slow",
        original_max_position_embeddings="original_length", truncate="truncate"),
    supports=lambda p: not (p.scaling and (p.scaling["attention_factor"] or p.scaling["mscale"])),
)(RotaryEmbedding)
ropeproof.serve()
