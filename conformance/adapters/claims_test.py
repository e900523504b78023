"""Which claims judge() tries, and what a verdict says of coarse ones.

    python3 conformance/adapters/claims_test.py BUILD_DIR
"""

import types
import unittest

import numpy as np

from test_functions import (angles, exact_rope, judge, my_rope, ropeproof,
                            wrong_rope)


def to_bf16(x):
    """Rounded to nearest even, kept in f32."""
    bits = np.asarray(x, np.float32).view(np.uint32)
    bits = bits + np.uint32(0x7fff) + (bits >> 16 & 1)
    return (bits & np.uint32(0xffff0000)).view(np.float32)


def to_f16(x):
    return np.asarray(x, np.float16).astype(np.float32)


def keep(x):
    return x


def rounding(**steps):
    """An f32 function that rounds some of its numbers to 16 bits: positions,
    frequencies, table, products or outputs."""
    def step(name, x):
        return steps.get(name, keep)(x)

    def rope(p):
        pairs = np.arange(p.rotary_dim // 2, dtype=np.float32)
        theta = np.float32(p.base) ** -(2 * pairs / p.rotary_dim)
        theta = step("frequencies", theta.astype(np.float32))
        position = step("positions", p.positions.astype(np.float32))
        phi = position[:, :, None, None] * theta
        c, s = step("table", np.cos(phi)), step("table", np.sin(phi))
        u, v = np.split(p.q, 2, axis=-1)
        uc, vs = step("products", u * c), step("products", v * s)
        us, vc = step("products", u * s), step("products", v * c)
        return step("outputs", np.concatenate([uc - vs, us + vc], axis=-1))
    return rope


class Admitted(unittest.TestCase):
    def test_an_amplitude_off_as_a_16_bit_table_fails_for_one_of_f32(self):
        x = np.random.default_rng(1).standard_normal((64, 64))
        x, positions = x.astype(np.float16), np.arange(64)
        phi = positions[:, None] * 10000.0 ** -(np.arange(32) / 32)
        u, v = np.split(x.astype(np.float64), 2, axis=-1)
        c, s = np.cos(phi), np.sin(phi)
        true = np.concatenate([u * c - v * s, u * s + v * c], axis=-1)
        strict = {"angle_class": "A1", "table_dtype": "f32"}

        def check(factor, claim):
            ropeproof.assert_rope_close((true * factor).astype(np.float16), x,
                                        positions=positions, order="td",
                                        claim=claim)
        check(1, strict)
        check(1.0005, "A1")
        for factor, claim in ((1.0001, strict), (1.002, "A1")):
            with self.assertRaises(AssertionError):
                check(factor, claim)


class Claims(unittest.TestCase):
    def test_the_strictest_claim_that_holds_is_found(self):
        self.assertEqual(judge(my_rope).claims[0]["angle_class"], "A1")
        report = judge(exact_rope, version="2")
        self.assertTrue(report.conforms, report)
        self.assertIn(report.level, ("L2", "L3"))
        self.assertEqual(report.claims[0]["angle_class"], "A0")

    def test_small_calls_bear_the_claim_that_is_found(self):
        def rope(p):  # f32 angles of frequencies in f64
            theta = p.base ** -(np.arange(0, p.rotary_dim, 2) / p.rotary_dim)
            phi = p.positions.astype(np.float32)[:, :, None, None] * theta.astype(np.float32)
            u, v = np.split(p.q, 2, axis=-1)
            c, s = np.cos(phi), np.sin(phi)
            return np.concatenate([u * c - v * s, u * s + v * c], axis=-1)
        for longest in (7, 15, 31, 255):
            report = judge(rope, max_position=longest)
            self.assertTrue(report.conforms, report)
        self.assertEqual(report.claims[0]["angle_class"], "A1")

    def test_what_fails_meets_no_requirement(self):
        report = str(judge(wrong_rope, claim={"angle_class": "A1"}, require="A1"))
        self.assertIn("DOES NOT CONFORM", report)
        self.assertIn("what fails meets nothing", report)
        self.assertNotIn(": holds", report)

    def test_table_and_rounding_are_held_to(self):
        claim = {"angle_class": "A1", "table_dtype": "bf16"}
        coarse = judge(my_rope, claim=claim, require="table=f32")
        self.assertIn("required table=f32: there is", coarse)
        self.assertIn("cos and sin in bf16", coarse)
        self.assertTrue(judge(my_rope, claim=claim, require="table=bf16").conforms)
        each = {"angle_class": "A1", "rounding": "each"}
        half = judge(lambda p: p.q, claim=each, dtypes=["f16"], require="rounding=once")
        self.assertIn("rounding each", half)

    def test_each_dtype_has_its_own(self):
        def half(p):
            if p.dtype == "f32":
                return exact_rope(p)
            phi, (u, v) = angles(p), np.split(p.q, 2, axis=-1)
            cos = np.cos(phi).astype(p.q.dtype)
            sin = np.sin(phi).astype(p.q.dtype)
            return np.concatenate([u * cos - v * sin, u * sin + v * cos], axis=-1)
        report = judge(half, dtypes=["f32", "f16"])
        self.assertTrue(report.conforms, report)
        claims = {claim["dtypes"][0]: claim for claim in report.claims}
        self.assertEqual(claims["f32"]["angle_class"], "A0")
        self.assertEqual(claims["f16"]["angle_class"], "A1")
        self.assertEqual(claims["f16"]["rounding"], "each")

    def test_a_claim_that_a_few_calls_allow_is_loosened(self):
        def rare(p):  # exact for small calls, as smoke has them
            return (exact_rope if p.q.size <= 2048 else my_rope)(p)
        self.assertEqual(judge(rare).claims[0]["angle_class"], "A0")
        report = judge(rare, tier=None, model="llama-2", dtypes="f32",
                       positions=131072, heads="1,1")
        self.assertEqual(report.claims[0]["angle_class"], "A1")
        self.assertTrue(report.conforms, report)

    def test_what_rounds_to_16_bits_conforms_only_if_it_says_so(self):
        named = {"positions": "position", "frequencies": "frequenc",
                 "table": "(table|cosines and sines)", "products": "product",
                 "outputs": "result"}
        positions = np.arange(300, 2800, 53)
        x = np.random.default_rng(3).standard_normal(
            (1, len(positions), 2, 64), dtype=np.float32)
        one = types.SimpleNamespace(rotary_dim=64, base=10000.0, q=x,
                                    positions=positions[None])
        for to in (to_bf16, to_f16):
            for step, word in named.items():
                with self.subTest(step=step, to=to.__name__):
                    report = judge(rounding(**{step: to}), name=step)
                    self.assertFalse(report.conforms, report)
                    self.assertRegex(report, "what .*" + word)
                    y = rounding(**{step: to})(one).astype(np.float32)
                    with self.assertRaisesRegex(AssertionError, "what .*" + word):
                        ropeproof.assert_rope_close(y, x, positions=positions)
        coarse = {"angle_class": "A3", "angle_dtype": "bf16"}
        report = judge(rounding(positions=to_bf16), claim=coarse)
        self.assertTrue(report.conforms, report)
        self.assertRegex(report, r"CONFORMS, with angles in bf16 \(A3\): wrong by")
        report = judge(rounding(table=to_f16), claim="any")
        self.assertTrue(report.conforms, report)
        self.assertIn("CONFORMS, with cos and sin in f16", report)
        self.assertFalse(judge(rounding(table=to_f16), claim="any",
                               require="A1").conforms)

    def test_no_claim_makes_a_wrong_function_right(self):
        self.assertFalse(judge(wrong_rope).conforms)
        self.assertFalse(judge(lambda p: p.q).conforms)


if __name__ == "__main__":
    unittest.main()
