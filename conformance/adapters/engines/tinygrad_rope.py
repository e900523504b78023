"""tinygrad 0.14.0 on the CPU: precompute_freqs_cis and apply_rope of its llm."""

import os

os.environ.update(DEV="CPU", CPU="1")

import ropeproof  # noqa: E402

import functools  # noqa: E402
import importlib.metadata  # noqa: E402

import parts  # noqa: E402
from tinygrad import Tensor  # noqa: E402

LENGTH = 8192
llm = parts.functions("tinygrad", "llm/model.py", ["precompute_freqs_cis", "apply_rope"],
                      Tensor=Tensor, functools=functools)


@ropeproof.kernel(
    name="tinygrad", version=importlib.metadata.version("tinygrad"), operations=["rope"],
    dtypes=["f32"], pairings=["half_split"], features=["keys", "partial"],
    max_position=LENGTH - 1, angle_class="A1", power="exp2", heads_first=True, window=True)
class Rope:
    def __init__(self, rotary_dim, base):
        self.freqs = llm.precompute_freqs_cis(rotary_dim, LENGTH, base).realize()

    def __call__(self, p):
        return p.by_rows(lambda x, positions: llm.apply_rope(
            Tensor(x.copy()), self.freqs[Tensor(positions)]).numpy())


ropeproof.serve()
