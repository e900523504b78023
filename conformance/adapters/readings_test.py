"""What assert_rope_close says that a wrong result is right for, and the names of
positions that were held in another type.

    python3 conformance/adapters/readings_test.py BUILD_DIR
"""

import re
import unittest

import numpy as np

from test_functions import ropeproof

close, golden = ropeproof.assert_rope_close, ropeproof.golden
rng = np.random.default_rng(7)
X = rng.standard_normal((1, 64, 2, 64), dtype=np.float32)
PLACES = np.sort(rng.choice(8192, 64, replace=False))
YARN = {"kind": "yarn", "factor": 4, "original_length": 2048}
LLAMA3 = {"kind": "llama3", "factor": 8, "low_freq_factor": 1,
          "high_freq_factor": 4, "original_length": 8192}


def said(wrong, **right):
    """The text of a failure: the exact result with the arguments `wrong` in place
    of `right`."""
    right = {"positions": PLACES, "base": 5e5, **right}
    y = golden(X, **{**right, **wrong}).astype(np.float32)
    try:
        close(y, X, **right)
    except AssertionError as error:
        return str(error)
    return "passes"


class Readings(unittest.TestCase):
    def test_a_wrong_parameter_of_a_scaling_is_told_with_its_value(self):
        for scaling, wrong, words in (
                (LLAMA3, {"factor": 32}, "a factor of 32, not 8"),
                (LLAMA3, {"high_freq_factor": 8}, "its high_freq_factor of 8, not 4"),
                (YARN, {"factor": 8}, "a factor of 8, not 4"),
                (YARN, {"beta_fast": 16}, "its beta_fast of 16, not 32"),
                (YARN, {"original_length": 4096},
                 "an original length of 4096, not 2048"),
                ({"kind": "ntk", "factor": 4}, {"factor": 2}, "a factor of 2, not 4")):
            with self.subTest(words):
                self.assertIn(f"reading  the result is right for {words}\n", said(
                    {"scaling": {**scaling, **wrong}}, scaling=scaling))

    def test_a_wrong_base_under_a_scaling_is_named(self):
        for scaling in (None, LLAMA3, YARN, {"kind": "linear", "factor": 4}):
            text = said({"base": 1e4}, **({"scaling": scaling} if scaling else {}))
            self.assertRegex(text, "what +base always 10000;")
            self.assertEqual("right for a base of 10000, not 500000" in text,
                             scaling is not None)

    def test_a_scaling_that_nobody_says_is_told(self):
        for scaling, words in (
                (LLAMA3, "llama3 by 8 of an original length of 8192"),
                (YARN, "yarn by 4 of an original length of 2048"),
                ({"kind": "ntk", "factor": 2}, "ntk by 2")):
            self.assertIn(f"reading  the result is right for a scaling, {words}\n",
                          said({"scaling": scaling}))

    def test_a_last_bit_is_right_for_no_other_parameter(self):
        y = golden(X, positions=PLACES, scaling=LLAMA3).astype(np.float32)
        y[0, 5, 1, 7] += 1e-3
        with self.assertRaises(AssertionError) as raised:
            close(y, X, positions=PLACES, scaling=LLAMA3)
        self.assertNotIn("reading", str(raised.exception))

    def test_a_copy_is_not_rotated_though_row_0_gives_it(self):
        phi = np.outer(np.arange(8192), 1e4 ** -(np.arange(32) / 32))
        table = dict(cos=np.cos(phi).astype(np.float32),
                     sin=np.sin(phi).astype(np.float32), positions=PLACES)
        with self.assertRaisesRegex(AssertionError, "what +not rotated, or row of the"
                                                    " table used: 0 in place"):
            close(X.copy(), X, **table)
        y = golden(X, **{**table, "positions": PLACES * 0 + 5})
        with self.assertRaisesRegex(AssertionError, "what +row of the table used: 5"):
            close(y.astype(np.float32), X, **table)

    def test_positions_in_any_integer_type_are_named(self):
        far = np.sort(rng.choice(2**36, 64, replace=False))
        for places, cut, words in (
                (PLACES, lambda p: p.astype(np.int8), "cut to 8 bits, signed"),
                (PLACES, lambda p: p.astype(np.uint8), "cut to 8 bits, unsigned"),
                (far, lambda p: p.astype(np.int16), "cut to 16 bits, signed"),
                (far, lambda p: p.astype(np.int32), "cut to 32 bits, signed"),
                (far, lambda p: p.astype(np.uint32), "cut to 32 bits, unsigned"),
                (PLACES, lambda p: p % 128, "modulo 128"),
                (far, lambda p: p % 2**20, "modulo 1048576"),
                (PLACES, lambda p: np.minimum(p, 255), "from 256 on taken for"),
                (far, lambda p: np.minimum(p, 2**24 - 1), "from 16777216 on taken")):
            with self.subTest(words):
                y = golden(X, positions=cut(places).astype(np.int64))
                with self.assertRaisesRegex(AssertionError,
                                            "what .*positions " + re.escape(words)):
                    close(y.astype(np.float32), X, positions=places, claim="A0")


if __name__ == "__main__":
    unittest.main()
