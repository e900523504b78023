"""Pallas kernels in interpret mode, a right one and a wrong one.

    python3 conformance/adapters/pallas_backend_test.py BUILD_DIR

Skipped, with a word, where JAX is not installed.
"""

import importlib.util
import sys
import unittest

if importlib.util.find_spec("jax") is None:
    print("no jax: skipped")
    sys.exit(77)

from test_functions import judge, ropeproof

ropeproof.backend("pallas-interpret")
import jax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

SOME = ["smoke-rich-009", "smoke-dims-003", "smoke-rich-014"]


def rotated(x, cos, sin, wrong=False, **more):
    """x [batch, heads, seq, 2 * pairs]; cos and sin [batch, seq, 2 * pairs]."""
    def rotate(x_ref, cos_ref, sin_ref, y_ref):
        pairs = x_ref.shape[-1] // 2
        u, v = x_ref[..., :pairs], x_ref[..., pairs:]
        c, s = cos_ref[..., :pairs], sin_ref[..., :pairs]
        y_ref[..., :pairs] = u * c - v * s
        y_ref[..., pairs:] = u * s + v * c

    batch, heads, seq, width = x.shape
    whole = pl.BlockSpec((None, None, seq, width), lambda b, h: (b, h, 0, 0))
    table = pl.BlockSpec((None, seq, width),
                         lambda b, h: (0 if wrong else b, 0, 0))
    return pl.pallas_call(
        rotate, grid=(batch, heads), in_specs=[whole, table, table], out_specs=whole,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), **more)(x, cos, sin)


@jax.jit
def rope(x, cos, sin):
    return rotated(x, cos, sin)


@jax.jit
def rope_of_a_tpu(x, cos, sin):
    return rotated(x, cos, sin, compiler_params=pltpu.CompilerParams())


@jax.jit
def rope_of_row_0(x, cos, sin):
    return rotated(x, cos, sin, wrong=True)


class Kernels(unittest.TestCase):
    def judged(self, function, cases=SOME):
        return judge(function, like="hf", backend="pallas-interpret", cases=cases,
                     dtypes=["f32", "bf16"], features=[], diagnosis=False,
                     claim={"angle_class": "A0", "rounding": "each"})

    def test_a_right_one_conforms_and_one_for_a_tpu_too(self):
        report = self.judged(rope)
        self.assertTrue(report.conforms, report)
        self.assertIn(f"on pallas-interpret {jax.__version__} on part", report)
        report = self.judged(rope_of_a_tpu, SOME[:1])
        self.assertTrue(report.conforms, report)

    def test_the_table_of_another_row_is_found(self):
        self.assertFalse(self.judged(rope_of_row_0).conforms)


if __name__ == "__main__":
    unittest.main()
