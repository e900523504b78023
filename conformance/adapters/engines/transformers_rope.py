"""transformers 5.23.0, PyTorch: RotaryEmbedding and apply_rotary_pos_emb of one model.

Argument: llama, gpt_neox, glm, phi, phi3, cohere, olmo, ernie4_5, deepseek_v3, qwen2_vl or
qwen3_vl.
"""

import ropeproof

import importlib
import sys

import transformers

LLAMA = dict(
    pairings=["half_split"], operations=["rope"], dtypes=["f32", "f16", "bf16"],
    features=["keys", "negative_positions"], angle_class="A1", rounding="each", arrays="torch",
    scalings=["linear", "dynamic_ntk", "yarn", "long_rope", "llama3"], heads_first=True)
INTERLEAVED = dict(pairings=["interleaved"])
F32_TABLE = dict(table_dtype="f32", rounding="once")
PARTIAL = dict(features=["keys", "negative_positions", "partial"])
MROPE = dict(supports=lambda p: p.position_axes in (1, 3))
MODELS = {  # the prefix of its classes, of its configuration, and what is unlike Llama
    "llama": ("Llama", "Llama", {}),
    "gpt_neox": ("GPTNeoX", "GPTNeoX", PARTIAL),
    "glm": ("Glm", "Glm", INTERLEAVED | PARTIAL),
    "phi": ("Phi", "Phi", PARTIAL | dict(window=True)),
    "phi3": ("Phi3", "Phi3", PARTIAL | dict(scalings=["long_rope"])),
    "cohere": ("Cohere", "Cohere", INTERLEAVED | dict(rounding="once")),
    "olmo": ("Olmo", "Olmo", F32_TABLE),
    "ernie4_5": ("Ernie4_5", "Ernie4_5", INTERLEAVED | F32_TABLE),
    "deepseek_v3": ("DeepseekV3", "DeepseekV3", dict(pairings=["interleaved_to_half"])),
    "qwen2_vl": ("Qwen2VL", "Qwen2VLText", dict(axis_maps=["sections"]) | MROPE),
    "qwen3_vl": ("Qwen3VLText", "Qwen3VLText", dict(axis_maps=["interleaved"]) | MROPE),
}
model = sys.argv[1]
prefix, config_prefix, unlike = MODELS[model]
module = importlib.import_module(f"transformers.models.{model}.modeling_{model}")
Embedding = getattr(module, prefix + "RotaryEmbedding")
Config = getattr(transformers, config_prefix + "Config")
apply = getattr(module, "apply_rotary_pos_emb_interleave", module.apply_rotary_pos_emb)


@ropeproof.kernel(name="transformers." + model, version=transformers.__version__, **LLAMA | unlike)
class Rotary:
    def __init__(self, hugging_face, head_dim):
        if model == "deepseek_v3":
            hugging_face["qk_rope_head_dim"] = head_dim
        rope = hugging_face["rope_parameters"]
        if model == "phi3" and rope["rope_type"] == "longrope":
            name = "original_max_position_embeddings"
            hugging_face[name] = rope[name]
        self.embedding = Embedding(Config(**hugging_face))

    def __call__(self, p):
        q, k = p.tensors[0], p.tensors[-1]
        return apply(q, k, *self.embedding(q, p.positions))


ropeproof.serve()
