"""litgpt 0.5.13, PyTorch: build_rope_cache and apply_rope of model.py."""

import ropeproof

import parts

litgpt = parts.functions("litgpt", "model.py",
                         ["build_rope_cache", "apply_rope", "yarn_get_mscale"])


def extra_config(hugging_face):
    rope = {"mscale": 1} | hugging_face["rope_parameters"]
    rope["original_max_seq_len"] = rope.get("original_max_position_embeddings")
    given = {name: value for name, value in rope.items() if value is not None}
    return given if "factor" in rope else None


ropeproof.kernel(
    like="hf", precompute=litgpt.build_rope_cache, name="litgpt",
    version=parts.version("litgpt"), arrays="torch", features=["keys", "partial"], window=True,
    scalings=["linear", "llama3", "yarn"], table_dtype="f32", rounding="once",
    arguments={"n_elem": lambda rotary_dim: rotary_dim, "extra_config": extra_config},
    supports=lambda p: not (p.scaling and p.scaling["attention_factor"]),
)(litgpt.apply_rope)
ropeproof.serve()
