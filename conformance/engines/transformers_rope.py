"""transformers 5.23.0, PyTorch: the RotaryEmbedding of one model and apply_rotary_pos_emb,
models/MODEL/modeling_MODEL.py. Argument: MODEL, a row of transformers_models.json, which
says what is unlike Llama."""

import ropeproof

import importlib
import sys

import parts
import transformers

model = sys.argv[1]
said = parts.row_of("transformers_models.json", model)
module = importlib.import_module(f"transformers.models.{model}.modeling_{model}")
Embedding = getattr(module, said.pop("embedding"))
Config = getattr(transformers, said.pop("config"))
apply = getattr(module, "apply_rotary_pos_emb_interleave", module.apply_rotary_pos_emb)


@ropeproof.kernel(
    name="transformers." + model, version=transformers.__version__, arrays="torch", **said,
    supports=(lambda p: p.position_axes in (1, 3)) if "axis_maps" in said else None)
class Rotary:
    def __init__(self, hugging_face):
        self.embedding = Embedding(Config(**hugging_face))

    def __call__(self, p):
        return apply(p.tensors[0], p.tensors[-1], *self.embedding(p.tensors[0], p.positions))


ropeproof.serve()
