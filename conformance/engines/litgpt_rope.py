"""litgpt 0.5.13, PyTorch: build_rope_cache and apply_rope of model.py."""

import ropeproof

import parts

litgpt = parts.functions("litgpt", "model.py",
                         ["build_rope_cache", "apply_rope", "yarn_get_mscale"])


@ropeproof.kernel(
    name="litgpt", version=parts.version("litgpt"), operations=["rope"], heads_first=True,
    dtypes=["f32", "f16", "bf16"], pairings=["half_split"], features=["keys", "partial"],
    scalings=["linear", "llama3", "yarn"], max_position=131071, angle_class="A1", window=True,
    table_dtype="f32", rounding="once", arrays="torch",
    supports=lambda p: not (p.scaling and p.scaling["attention_factor"]))
class Rope:
    def __init__(self, rotary_dim, hugging_face):
        rope = {"mscale": 1} | hugging_face["rope_parameters"]
        if length := rope.get("original_max_position_embeddings"):
            rope["original_max_seq_len"] = length
        self.tables = litgpt.build_rope_cache(131072, rotary_dim, base=rope["rope_theta"],
                                              extra_config=rope if "factor" in rope else None)

    def __call__(self, p):
        return [litgpt.apply_rope(x, *(t[p.positions] for t in self.tables)) for x in p.tensors]


ropeproof.serve()
