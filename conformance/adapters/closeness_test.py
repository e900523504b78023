"""assert_rope_close, golden and bound, as a wheel has them.

    python3 conformance/adapters/closeness_test.py BUILD_DIR
"""

import unittest

import numpy as np

from test_functions import ropeproof

close = ropeproof.assert_rope_close
rng = np.random.default_rng(7)


def rope(x, positions, pairing="half_split", base=10000.0, order="bshd",
         sign=1):
    """[batch, seq, heads, head_dim] in f32, as engines have it."""
    if order == "bhsd":
        return rope(x.swapaxes(1, 2), positions, pairing, base,
                    sign=sign).swapaxes(1, 2)
    pairs = x.shape[-1] // 2
    theta = np.float32(base) ** -(np.arange(pairs, dtype=np.float32) / pairs)
    phi = np.asarray(positions, np.float32)[..., None, None] * theta
    cos, sin = np.cos(phi), sign * np.sin(phi)
    if pairing == "half_split":
        u, v = x[..., :pairs], x[..., pairs:]
        return np.concatenate([u * cos - v * sin, u * sin + v * cos], -1)
    u, v = x[..., ::2], x[..., 1::2]
    return np.stack([u * cos - v * sin, u * sin + v * cos], -1).reshape(x.shape)


class Closeness(unittest.TestCase):
    def setUp(self):
        self.x = rng.standard_normal((2, 5, 3, 16), dtype=np.float32)
        self.positions = np.array([0, 1, 257, 513, 4097])

    def test_right_results_pass_in_each_form(self):
        for pairing in ("half_split", "interleaved"):
            y = rope(self.x, self.positions, pairing)
            close(y, self.x, positions=self.positions, pairing=pairing)
        x = np.ascontiguousarray(self.x.swapaxes(1, 2))
        close(rope(x, self.positions, order="bhsd"), x, order="bhsd",
              positions=self.positions)
        k = self.x[:, :, :1]
        close((rope(self.x, self.positions), rope(k, self.positions)),
              (self.x, k), positions=self.positions)
        close(rope(self.x, self.positions, base=5e5), self.x, base=5e5,
              positions=np.tile(self.positions, (2, 1)))
        close(rope(self.x, self.positions, sign=-1), self.x,
              positions=self.positions, direction="adjoint")
        theta = 10000.0 ** -(np.arange(8) / 8)
        close(rope(self.x, self.positions), self.x, positions=self.positions,
              inv_freq=theta)
        close(rope(self.x, self.positions / 4), self.x,
              positions=self.positions,
              scaling={"kind": "linear", "factor": 4})

    def test_given_tables_are_taken_as_they_are(self):
        phi = np.float32(0.1) * np.arange(40, dtype=np.float32).reshape(5, 8)
        cos, sin = np.cos(phi), np.sin(phi)
        u, v = np.split(self.x, 2, -1)
        c, s = cos[:, None], sin[:, None]
        y = np.concatenate([u * c - v * s, u * s + v * c], -1)
        close(y, self.x, cos=cos, sin=sin)
        close(y, self.x, cos=np.tile(cos, 2), sin=np.tile(sin, 2))
        with self.assertRaises(AssertionError):
            close(y, self.x, cos=cos, sin=-sin)

    def test_a_wrong_result_is_named(self):
        for result, words in (
                (self.x, "not rotated"),
                (rope(self.x, self.positions, "interleaved"), "other layout"),
                (rope(self.x, self.positions, sign=-1), "direction"),
                (rope(self.x, self.positions + 1), r"position \+ 1"),
                (rope(self.x, self.positions, base=5e5), "base")):
            with self.assertRaisesRegex(AssertionError, words):
                close(result, self.x, positions=self.positions)

    def test_the_default_claim_is_no_looser_than_f32_angles(self):
        coarse = self.positions.astype(np.float16).astype(np.float32)
        y = rope(self.x, coarse)
        with self.assertRaises(AssertionError):
            close(y, self.x, positions=self.positions)
        close(y, self.x, positions=self.positions,
              claim={"angle_class": "A3", "angle_dtype": "f16"})

    def test_goldens_and_bounds_have_the_shape_of_the_input(self):
        y = rope(self.x, self.positions)
        exact = ropeproof.golden(self.x, positions=self.positions)
        allowed = ropeproof.bound(self.x, positions=self.positions)
        self.assertEqual((exact.shape, exact.dtype), (y.shape, np.float64))
        self.assertTrue((np.abs(y - exact) <= allowed).all())
        x = np.ascontiguousarray(self.x.swapaxes(1, 2))
        other = ropeproof.golden(x, positions=self.positions, order="bhsd")
        self.assertTrue((other == exact.swapaxes(1, 2)).all())

    def test_what_cannot_be_is_one_line_that_names_the_argument(self):
        y = rope(self.x, self.positions)
        at = {"positions": self.positions}
        for how, line in (
                ({}, "give positions, or cos and sin"),
                ({"positions": self.positions[:3]}, r"positions has shape \[3\]"),
                ({"positions": self.positions * np.nan}, "finite"),
                ({**at, "pairing": "sideways"}, "pairing is 'sideways'"),
                ({**at, "order": "dhsb"}, "order is 'dhsb'"),
                ({**at, "base": -1.0}, "base"),
                ({**at, "inv_freq": [1.0]}, r"inv_freq has shape \[1\]"),
                ({**at, "scaling": {"kind": "x"}}, "scaling's kind is 'x'"),
                ({**at, "claim": "A7"}, "angle_class is 'A7'")):
            with self.subTest(line), self.assertRaisesRegex(ValueError, line):
                close(y, self.x, **how)
        with self.assertRaisesRegex(ValueError, "its result"):
            close(y[:, :4], self.x, positions=self.positions)
        with self.assertRaisesRegex(TypeError, "no argument .* bases"):
            close(y, self.x, bases=1)


if __name__ == "__main__":
    unittest.main()
