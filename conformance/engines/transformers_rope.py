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

ropeproof.kernel(
    like="hf_module", name="transformers." + model,
    config_class=getattr(transformers, said.pop("config")), **said,
    apply=getattr(module, "apply_rotary_pos_emb_interleave", None),
    supports=(lambda p: p.position_axes in (1, 3)) if "axis_maps" in said else None)(Embedding)
ropeproof.serve()
