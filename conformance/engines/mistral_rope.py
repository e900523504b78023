"""mistral-inference 1.6.0, PyTorch: precompute_freqs_cis and apply_rotary_emb."""

import ropeproof

import importlib.metadata

from mistral_inference import rope as mistral

LENGTH = 131072


@ropeproof.kernel(
    name="mistral-inference", version=importlib.metadata.version("mistral-inference"),
    operations=["rope"], dtypes=["f32", "f16", "bf16"], pairings=["interleaved"],
    features=["keys"], max_position=LENGTH - 1, angle_class="A1", table_dtype="f32",
    rounding="once", arrays="torch")
class Rope:
    def __init__(self, head_dim, base):
        self.freqs = mistral.precompute_freqs_cis(head_dim, LENGTH, base)

    def __call__(self, p):
        def rotate(x, positions):
            return mistral.apply_rotary_emb(x[0], x[0], self.freqs[positions])[0][None]
        return p.by_rows(rotate)


ropeproof.serve()
