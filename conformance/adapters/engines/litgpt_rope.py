"""litgpt 0.5.13, PyTorch: build_rope_cache and apply_rope."""

import ropeproof

import importlib.metadata
import math

import parts
import torch

LENGTH = 131072
NAMES = {"llama3": ("factor", "low_freq_factor", "high_freq_factor"),
         "yarn": ("factor", "beta_fast", "beta_slow", "mscale", "mscale_all_dim")}
litgpt = parts.functions(
    "litgpt", "model.py", ["build_rope_cache", "apply_rope", "yarn_get_mscale"],
    torch=torch, math=math)


def arguments(scaling):
    if scaling["kind"] == "linear":
        return dict(condense_ratio=scaling["factor"])
    config = {name: scaling[name] for name in NAMES[scaling["kind"]]}
    config["original_max_seq_len"] = int(scaling["original_length"])
    if scaling["kind"] == "yarn" and not config["mscale"]:
        config["mscale"] = 1
    return dict(extra_config=config)


@ropeproof.kernel(
    name="litgpt", version=importlib.metadata.version("litgpt"), operations=["rope"],
    dtypes=["f32", "f16", "bf16"], pairings=["half_split"], features=["keys", "partial"],
    scalings=["linear", *NAMES], max_position=LENGTH - 1, angle_class="A1", table_dtype="f32",
    rounding="once", arrays="torch", heads_first=True, window=True,
    supports=lambda p: not (p.scaling and p.scaling["attention_factor"]))
class Rope:
    def __init__(self, rotary_dim, base, scaling):
        more = arguments(scaling) if scaling else {}
        self.cos, self.sin = litgpt.build_rope_cache(LENGTH, rotary_dim, base=base, **more)

    def __call__(self, p):
        rows = self.cos[p.positions], self.sin[p.positions]
        return [litgpt.apply_rope(x, *rows) for x in p.tensors]


ropeproof.serve()
