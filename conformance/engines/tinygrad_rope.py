"""tinygrad 0.14.0 on the CPU: precompute_freqs_cis and apply_rope of llm/model.py, the rows of a
batch one behind another in one sequence. Each length is compiled: it is 16, 32, 64, ... tokens, the
first ones again behind the last."""

import numpy as np
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
        self.freqs = llm.precompute_freqs_cis(rotary_dim, 8192, base).numpy()

    def __call__(self, p):
        tokens = max(16, 1 << (p.positions.size - 1).bit_length())
        freqs = Tensor(self.freqs[np.resize(p.positions, tokens)])
        given = [np.resize(x, (tokens, *x.shape[2:])).swapaxes(0, 1) for x in p.tensors]
        found = [llm.apply_rope(Tensor(x.copy()).unsqueeze(0), freqs).numpy()[0] for x in given]
        return [np.resize(y.swapaxes(0, 1), x.shape) for x, y in zip(p.tensors, found)]


ropeproof.serve()
