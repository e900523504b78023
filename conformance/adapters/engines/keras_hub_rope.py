"""keras-hub 0.32.0 on Keras 3.15.1 with PyTorch: layers.RotaryEmbedding."""

import os

os.environ["KERAS_BACKEND"] = "torch"

import ropeproof  # noqa: E402

import importlib.metadata  # noqa: E402

import parts  # noqa: E402

parts.bare("keras_hub", "keras_hub.src", "keras_hub.src.layers", "keras_hub.src.layers.modeling")
from keras_hub.src.layers.modeling.rotary_embedding import RotaryEmbedding  # noqa: E402

DTYPES = {"f32": "float32", "f16": "float16", "bf16": "bfloat16"}
TYPES = {"linear": "linear", "ntk": "dynamic", "yarn": "yarn"}


@ropeproof.kernel(
    name="keras-hub.torch", version=importlib.metadata.version("keras-hub"), operations=["rope"],
    dtypes=list(DTYPES), pairings=["half_split"], features=["keys", "negative_positions"],
    scalings=list(TYPES), angle_class="A1", rounding="each", arrays="torch",
    supports=lambda p: not (p.scaling and (p.scaling["attention_factor"] or p.scaling["mscale"])))
class Rope:
    def __init__(self, dtype, base, scaling):
        more = {}
        if scaling:
            more = dict(rope_type=TYPES[scaling["kind"]], scaling_factor=scaling["factor"])
        if scaling and scaling["kind"] == "yarn":
            more |= {name: scaling[name] for name in ("beta_fast", "beta_slow", "truncate")}
            more["original_max_position_embeddings"] = scaling["original_length"]
        self.layer = RotaryEmbedding(base, dtype=DTYPES[dtype], **more)

    def __call__(self, p):
        return [self.layer(x, positions=p.positions) for x in p.tensors]


ropeproof.serve()
