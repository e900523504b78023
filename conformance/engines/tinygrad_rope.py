"""tinygrad 0.14.0 on the CPU: precompute_freqs_cis and apply_rope of llm/model.py, the rows of a
batch one behind another in one sequence."""

import ropeproof

import parts

parts.environment(DEV="CPU", CPU="1")
from tinygrad import Tensor  # noqa: E402

llm = parts.functions("tinygrad", "llm/model.py", ["precompute_freqs_cis", "apply_rope"],
                      Tensor=Tensor)


@ropeproof.kernel(
    name="tinygrad", version=parts.version("tinygrad"), operations=["rope"],
    dtypes=["f32"], pairings=["half_split"], features=["keys", "partial"],
    max_position=8191, angle_class="A1", power="exp2", window=True)
class Rope:
    def __init__(self, rotary_dim, base):
        self.freqs = llm.precompute_freqs_cis(rotary_dim, 8192, base).realize()

    def __call__(self, p):
        freqs = self.freqs[Tensor(p.positions.reshape(-1))].realize()
        return [llm.apply_rope(Tensor(x.copy()).flatten(0, 1).transpose(0, 1).unsqueeze(0), freqs)
                .squeeze(0).transpose(0, 1).numpy().reshape(x.shape) for x in p.tensors]


ropeproof.serve()
