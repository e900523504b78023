"""transformers 5.23.0, PyTorch: the RotaryEmbedding of one model and apply_rotary_pos_emb,
models/MODEL/modeling_MODEL.py. Argument: MODEL, a row of transformers_models.json, which
says what is unlike Llama."""

import ropeproof

import importlib
import json
import pathlib
import sys

import transformers

model = sys.argv[1]
rows = json.loads(pathlib.Path(__file__).with_name("transformers_models.json").read_text())
said = rows["llama"] | rows[model]
module = importlib.import_module(f"transformers.models.{model}.modeling_{model}")
Embedding = getattr(module, said.pop("embedding"))

ropeproof.kernel(
    like="hf_module", name="transformers." + model,
    config_class=getattr(transformers, said.pop("config")), **said,
    apply=getattr(module, "apply_rotary_pos_emb_interleave", None),
    supports=(lambda p: p.position_axes in (1, 3)) if "axis_maps" in said else None)(Embedding)
ropeproof.serve()
