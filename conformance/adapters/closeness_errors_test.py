"""What assert_rope_close says: of wrong results, and of arguments that cannot be.

    python3 conformance/adapters/closeness_errors_test.py BUILD_DIR
"""

import inspect
import unittest
import warnings

import numpy as np

from closeness_test import close, rng, rope, ropeproof, turned


class Words(unittest.TestCase):
    def setUp(self):
        self.x = rng.standard_normal((2, 5, 3, 16), dtype=np.float32)
        self.positions = np.array([0, 1, 257, 513, 4097])

    def test_rows_of_a_cache_that_were_taken_in_place_of_others_are_named(self):
        phi = np.float32(0.37) * np.arange(40, dtype=np.float32)[:, None] * (
            np.float32(1e4) ** -(np.arange(8, dtype=np.float32) / 8))
        cos, sin = np.cos(phi), np.sin(phi)

        def of_rows(rows):
            rows = np.asarray(rows)[..., None]
            return turned(self.x, cos[rows], sin[rows])
        due = 7 + np.arange(5) + [[0], [20]]
        other = due.copy()
        other[1] += 1
        for rows, how, words in (
                (np.arange(5), {"offset": 7}, "rows 0, 1, 2, ... of the table, "
                 "whatever positions or offset say"),
                (due + 1, {}, r"row of the table used: the given one \+ 1"),
                (other, {}, r"the given one \+ 1.*batch row 1 only"),
                (due[:1], {}, "the rows of batch row 0 in every batch row"),
                (np.minimum(due, 29), {}, "29 in place of 30 to 31")):
            how = how or {"positions": due}
            with self.subTest(words), self.assertRaises(AssertionError) as failure:
                close(of_rows(rows), self.x, cos=cos, sin=sin, **how)
            text = " ".join(str(failure.exception).split())
            self.assertRegex(text, words)
            self.assertRegex(text, r"first q\[\d,\d,0,0\] pair 0 position (7|27|30)")

    def test_the_bound_is_told_with_what_it_consists_of(self):
        y = rope(self.x, self.positions)
        y[1, 4, 0, 2] += 1e-2
        with self.assertRaisesRegex(AssertionError, r"bound    \d[^=]*frequency in "
                                    r"f32,[^=]*after it \(claim A1\)"):
            close(y, self.x, positions=self.positions)

    def test_a_wrong_result_is_named(self):
        for result, words in (
                (self.x.copy(), "not rotated"),
                (rope(self.x, self.positions, "interleaved"), "other layout"),
                (rope(self.x, self.positions, sign=-1), "direction"),
                (rope(self.x, self.positions + 1), r"position \+ 1"),
                (rope(self.x, self.positions, base=5e5), "base")):
            with self.assertRaisesRegex(AssertionError, words):
                close(result, self.x, positions=self.positions)

    def test_nothing_is_said_that_the_numbers_do_not_show(self):
        x, k = self.x, self.x[:, :, :1] + 1
        right = rope(x, self.positions)

        def told(result, given=x):
            with self.assertRaises(AssertionError) as failure:
                close(result, given, positions=self.positions)
            text = str(failure.exception)
            for words in ("off by 0 of", "of 1 wrong answer"):
                self.assertNotIn(words, text)
            return text
        # Only k is wrong, by 1 in 1000: what was measured is of k.
        theta = 1.001 * 1e4 ** -(np.arange(8) / 8)
        off = ropeproof.golden(k, positions=self.positions, inv_freq=theta)
        text = told((right, off.astype(np.float32)), (x, k))
        self.assertIn("in k alone: frequency over the true one: 1.0010", text)
        halves = np.roll(right, 8, -1)
        spoilt = right.copy()
        spoilt[1, 3, 2, 5] += 0.125
        rounded = right.copy()
        rounded[0] *= np.float32(1 + 2**-20)
        for wrong in (halves, spoilt, rounded):
            self.assertNotIn("  equation ", told(wrong))

    def test_what_stands_in_place_of_a_result_is_told(self):
        y, x = rope(self.x, self.positions), self.x

        def told(line, change, **how):
            z = y.copy()
            change(z)
            with self.assertRaises(AssertionError) as failure:
                close(z, x, **{"positions": self.positions, **how})
            text = " ".join(str(failure.exception).split())
            self.assertRegex(text, line)
            return text

        def last_pair(z):
            z[..., 7::8] = x[..., 7::8]
        text = told("what not rotated.* exactly where index of the pair is 7",
                    last_pair)
        self.assertIn("unchanged, stands in 48 of 48 wrong elements", text)
        self.assertNotIn("or exponent", text)

        def one_nan(z):
            z[0, 2, 1, 5] = np.nan
        text = told(r"what NaN stands in 1 of 1 .* only in q\[0,2,1,5\]", one_nan)
        self.assertNotIn("row 0 written", text)

        def heads(z):
            z[:, :, [0, 1]] = z[:, :, [1, 0]]
        told("what heads 0 and 1 hold each other's results", heads)

        def channels_first(z):
            z[...] = y.swapaxes(2, 3).reshape(y.shape)
        told(r"what q is written as \[batch, seq, head_dim, heads\] and read as "
             r"\[batch, seq, heads, head_dim\]", channels_first)

        def int8(z):
            step = np.abs(y).max(-1, keepdims=True) / 127
            z[...] = np.round(y / step) * step
        told("what results in steps: whole multiples of 1/127 of the largest of "
             "their row", int8)

        def int4(z):
            blocks = y.reshape(-1, 8)
            step = np.abs(blocks).max(-1, keepdims=True) / 7
            z[...] = (np.round(blocks / step) * step).reshape(y.shape)
        told("whole multiples of 1/7 of the largest of their 8 channels", int4)

        def tokens(z):
            z[:, 1:] = y[:, :-1]
        told("what tokens 1-4 hold the results of tokens 0-3", tokens)
        told("reading the result is right for order='bhsd'",
             lambda z: z.__setitem__(..., rope(x, np.arange(3), order="bhsd")),
             positions=None, offset=0)
        yarn = {"kind": "yarn", "factor": 4, "original_length": 32}
        told("what YaRN scaling ignored, its amplitude too", lambda z: None,
             scaling=yarn)

        def even(z):
            z[:, ::2] = rope(x, self.positions + 1)[:, ::2]
        text = told(r"position \+ 1.* where index of the token is even", even)
        self.assertNotIn(" equation ", text)

    def test_a_table_with_unlike_halves_is_no_rounding(self):
        cos, sin = rng.standard_normal((2, 5, 16), dtype=np.float32)
        first = turned(self.x, cos[:, None, :8], sin[:, None, :8])
        second = turned(self.x, cos[:, None, 8:], sin[:, None, 8:])
        for y, words in ((first, "first channel for both"),
                         (second, "second channel for both"),
                         (np.concatenate([second[..., :8], first[..., 8:]], -1),
                          "of the other channel of each pair")):
            with self.assertRaisesRegex(AssertionError, "what +cos and sin .*" + words):
                close(y, self.x, cos=cos, sin=sin)

    def test_places_are_told_by_small_numbers(self):
        heads, channel = rope(self.x, self.positions), rope(self.x, self.positions)
        heads[:, :, 1:], channel[..., 15] = self.x[:, :, 1:], 0
        for y, where in ((heads, "index of the head > 0"),
                         (channel, "number of the channel is 15")):
            with self.assertRaisesRegex(AssertionError, "exactly where " + where):
                close(y, self.x, positions=self.positions)

    def test_sequences_that_are_not_begun_anew_are_told(self):
        x = self.x[0]
        y = rope(x[None], np.arange(5))[0]
        with self.assertRaisesRegex(AssertionError, "reading .*whatever cu_seqlens"):
            close(y, x, order="thd", cu_seqlens=[0, 2, 5])

    def test_a_place_is_true_of_every_row_of_a_large_result(self):
        x = rng.standard_normal((1, 128, 8, 128), dtype=np.float32)
        y = rope(x, np.arange(128))
        y[:, 63::64] = x[:, 63::64]
        with self.assertRaisesRegex(AssertionError, "where +exactly where index of "
                                    "the token modulo 64 is 63"):
            close(y, x, offset=0)

    def test_another_arithmetic_is_told_the_claim_that_it_has_to_make(self):
        x = rng.standard_normal((1, 4, 2, 64), dtype=np.float32)
        positions = np.arange(200000, 200004)
        log_base = np.float32(-np.log(1e6) / 32)
        theta = np.exp(log_base * np.arange(32, dtype=np.float32))  # MLX
        phi = positions.astype(np.float32)[:, None, None] * theta
        c, s, u, v = np.cos(phi), np.sin(phi), x[..., :32], x[..., 32:]
        y = np.concatenate([u * c - v * s, u * s + v * c], -1)
        claim = {"angle_class": "A1", "power": "exp2"}
        with self.assertRaisesRegex(AssertionError, r'"A1","power":"exp2"\}'):
            close(y, x, positions=positions, base=1e6)
        close(y, x, positions=positions, base=1e6, claim=claim)

    def test_a_rounding_of_each_operation_is_told_before_a_truncated_result(self):
        x = rng.standard_normal((1, 64, 8, 64), dtype=np.float32)

        def bf16(a):
            return ropeproof.bf16_to_f32(ropeproof.f32_to_bf16(a))
        x, phi = bf16(x), np.arange(64, dtype=np.float32)[:, None, None] * (
            np.float32(1e4) ** -(np.arange(32, dtype=np.float32) / 32))
        c, s, u, v = bf16(np.cos(phi)), bf16(np.sin(phi)), x[..., :32], x[..., 32:]
        y = np.concatenate([bf16(bf16(u * c) - bf16(v * s)),
                            bf16(bf16(u * s) + bf16(v * c))], -1)
        # In place of a bug, which it is not, also where one element shows it.
        off = abs(ropeproof.golden(x, offset=0) - y) > ropeproof.bound(x, offset=0, dtype="bf16")
        for t in [slice(None), *np.flatnonzero(off[0].any((1, 2)))[:9, None]]:
            with self.assertRaisesRegex(AssertionError, r'bound\n  claim .*"rounding":"each"\}'):
                close(y[:, t], x[:, t], positions=np.arange(64)[t], dtype="bf16")

    def test_f32_cosines_of_f64_tensors_are_a_claim(self):
        x, phi = self.x.astype(np.float64), np.arange(5, dtype=np.float32)[
            :, None, None] * np.float32(1e4) ** -(np.arange(8, dtype=np.float32) / 8)
        y = turned(x, np.float64(np.cos(phi)), np.float64(np.sin(phi)))
        with self.assertRaisesRegex(AssertionError, r'"A1","table_dtype":"f32"\}'):
            close(y, x, offset=0)


class Errors(unittest.TestCase):
    def setUp(self):
        self.x = np.random.default_rng(7).standard_normal((2, 5, 3, 16),
                                                          dtype=np.float32)
        self.positions = np.array([0, 1, 257, 513, 4097])

    def test_what_cannot_be_is_one_line_that_names_the_argument(self):
        class Refuses:
            def to_dict(self):
                raise RuntimeError("gone")

        holds_itself = {}
        holds_itself["text_config"] = holds_itself
        y = rope(self.x, self.positions)
        at = {"positions": self.positions}
        for how, line in (
                ({}, "give positions, offset or cu_seqlens; or a table"),
                ({"positions": self.positions[:3]}, r"positions has shape \[3\]"),
                ({"positions": self.positions * np.nan}, "finite"),
                ({**at, "pairing": "sideways"}, "pairing is 'sideways'"),
                # Nobody can say how many blocks it has.
                ({**at, "pairing": "nested_half_split"},
                 "pairing is 'nested_half_split'"),
                ({**at, "order": "dhhb"}, "order is 'dhhb'"),
                ({**at, "offset": 3}, "positions or offset"),
                ({"positions": self.positions * 2.0**60}, "at most 2\\^53"),
                ({"cos": y[0, :, 0, :8]}, "cos is given alone"),
                ({"cos": y[0, :3, 0, :8], "sin": y[0, :3, 0, :8]},
                 r"cos has shape \[3, 8\]; expected a row"),
                ({**at, "cos": y[0, :, 0, :8], "sin": y[0, :, 0, :8]},
                 "cos has 5 rows, positions go from 0 to 4097"),
                ({"cos": y[0, :, 0, :8], "sin": y[0, :, 0, :7]}, "cos is f32"),
                ({**at, "scaling": 3}, "scaling is 3; expected a dict"),
                ({**at, "claim": 3}, "claim is 3"),
                ({**at, "sections": "w"}, "sections is 'w'; expected whole"),
                ({**at, "amplitude": "a"}, "amplitude is 'a'; expected a num"),
                ({**at, "rotary_dim": "x"}, "rotary_dim is 'x'"),
                ({**at, "rotary_dim": 32}, "rotary_dim is 32, head_dim 16"),
                ({"offset": [1, 2, 3]}, "offset has 3 entries"),
                ({"cu_seqlens": [0, 4]}, "of sequences in one batch; here are 2"),
                ({**at, "cu_seqlens": [0, 5]}, "give positions or cu_seqlens"),
                ({"positions": np.zeros((3, 2, 5), int), "sections": [9, 0, -1]},
                 r"sections is \[9, 0, -1\]; expected pairs"),
                ({**at, "config": "a\0b"}, "config 'a.*' cannot be read: embedded"),
                ({**at, "config": holds_itself}, "config is a dict that cannot"),
                ({**at, "config": Refuses()}, "config is a Refuses that .*gone"),
                ({**at, "base": 0}, "base is 0; expected a number above 0"),
                ({"positions": np.zeros((3, 2, 5), int),
                  "axis_of_pair": [0, 1, 2, 3, 0, 0, 0, 0]},
                 r"axis_of_pair is \[0, 1, 2, 3, .*expected axes, 0 to 2"),
                ({**at, "base": -1.0}, "base"),
                ({**at, "base": 10**400}, "base is 1000"),
                ({**at, "base": 1e301}, "base is 1e.301; expected .* below 1e300"),
                ({**at, "rotary_offset": -1}, "rotary_offset is -1"),
                ({**at, "axis_of_pair": ["a"] * 8}, "expected whole numbers"),
                ({**at, "axis_of_pair": [0.9] * 8}, "expected whole numbers"),
                ({"cos": y[0, :, 0, :8] * 1j, "sin": y[0, :, 0, :8] * 1j},
                 "is complex: give freqs_cis"),
                ({**at, "inv_freq": [1.0]}, r"inv_freq has shape \[1\]"),
                ({**at, "scaling": {"kind": "x"}}, "scaling's kind is 'x'"),
                ({**at, "scaling": {"kind": "yarn", "factor": 4}},
                 "kind 'yarn' lacks original_length"),
                ({**at, "scaling": {"kind": "long_rope"}},
                 "lacks short_factor, long_factor, original_length, seq_len, "
                 "factor or attention_factor"),
                ({**at, "order": "td"}, "order='td' needs 2 dimensions: say which"),
                ({**at, "claim": "A7"}, "angle_class is 'A7'"),
                ({"cos": y[0, :, 0], "sin": y[0, :, 0], "rotary_dim": 4},
                 r"cos has shape \[5, 16\]; expected 2 columns"),
                ({"freqs_cis": np.ones((5, 8, 2, 2), np.float32)},
                 r"freqs_cis\[0, 0\] is .*expected a rotation")):
            with self.subTest(line), self.assertRaisesRegex(ValueError, line):
                close(y, self.x, **how)
        with self.assertRaisesRegex(ValueError, "order='thd' needs 3 .*reshape"):
            flat = self.x[0].reshape(self.x.shape[1], -1)
            close(flat.copy(), flat, offset=0, order="thd")
        with self.assertRaisesRegex(ValueError, "its result"):
            close(y[:, :4], self.x, positions=self.positions)
        with self.assertRaisesRegex(ValueError, "returned nothing"):
            close(None, self.x, **at)
        with self.assertRaisesRegex(ValueError, "same memory"):
            close(y, y, **at)
        with self.assertRaisesRegex(ValueError, "results: 2, given: 1; expected"):
            close(y.tolist(), self.x, **at)
        with self.assertRaisesRegex(ValueError, "masked"):
            close(np.ma.masked_array(y, y > 0), self.x, **at)
        for word, ours in (("theta", "base"), ("rtol", "claim"), ("ofset", "offset")):
            with self.assertRaisesRegex(TypeError, f"function: {word}; say {ours}=$"):
                close(y, self.x, **{word: 1}, **at)
        self.assertIn("cu_seqlens", inspect.signature(close).parameters)
        with self.assertRaisesRegex(TypeError, "no argument .* bases"):
            close(y, self.x, bases=1)

    def test_positions_have_the_shapes_that_engines_give_them(self):
        rows = np.array([[0, 1, 257, 513, 4097], [3, 4, 5, 6, 7]])
        y = rope(self.x, rows)
        for shape in ((2, 5), (1, 2, 5), (2, 1, 5)):
            close(y, self.x, positions=rows.reshape(shape))
        cos, sin = rng.standard_normal((2, 4098, 8), dtype=np.float32)
        close(turned(self.x, cos[rows][:, :, None], sin[rows][:, :, None]), self.x,
              cos=cos, sin=sin, positions=rows[:, None])
        config = {"model_type": "llama", "head_dim": 16, "hidden_size": 48,
                  "num_attention_heads": 3, "rope_theta": 1e4}
        close(y, self.x, config=config, positions=rows[:, None])
        same = np.broadcast_to(rows[0], (2, 5))
        close(rope(self.x, same), self.x, positions=np.broadcast_to(same, (3, 2, 5)),
              sections=[4, 2, 2])
        with self.assertRaisesRegex(ValueError, "^positions for a batch of 2 have 3 "
                                    "axes: say sections"):
            close(y, self.x, positions=np.zeros((3, 1, 5), int))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            close(y[:1, :2], self.x[:1, :2], positions=np.float16([0, 1]))
        # Two axes of one row each, as axis_of_pair says, not two rows.
        y = rope(self.x, rows[0])
        y[..., 1::2] = rope(self.x, rows[1])[..., 1::2]
        close(y, self.x, positions=rows[:, None], axis_of_pair=[0, 1] * 4)

    def test_numbers_of_a_narrower_type_may_lie_in_a_wider_one(self):
        x = ropeproof.bf16_to_f32(ropeproof.f32_to_bf16(self.x))
        y = ropeproof.bf16_to_f32(ropeproof.f32_to_bf16(rope(x, self.positions)))
        at = {"positions": self.positions}
        close(y, x, dtype="bf16", **at)
        with self.assertRaises(AssertionError):
            close(y, x, **at)
        self.assertGreater(ropeproof.bound(x, dtype="bf16", **at).max(),
                           9 * ropeproof.bound(x, **at).max())
        with self.assertRaisesRegex(ValueError, "q holds f32 .* not of dtype='f16'"):
            close(y, self.x, dtype=np.float16, **at)

    def test_what_is_missing_beside_an_argument_is_named(self):
        y, cos = rope(self.x, self.positions), np.ones((5, 8), np.float32)
        for what, how in {
                "sin is given alone": {"sin": cos},
                "cos is given alone": {"cos": cos},
                "scaling has no kind": {"offset": 0, "scaling": {"rope_type": "yarn"}},
                "no 'alpha'; one of kind 'ntk' needs factor": {
                    "offset": 0, "scaling": {"kind": "ntk", "alpha": 2}},
        }.items():
            with self.assertRaisesRegex(ValueError, what):
                close(y, self.x, **how)

    def test_a_claim_without_a_class_is_of_f32_angles(self):
        y, at = rope(self.x, self.positions), {"positions": self.positions}
        close(y, self.x, claim={"table_dtype": "f32"}, **at)
        with self.assertRaisesRegex(AssertionError, "looser claim .*A1"):
            close(y, self.x, claim="A0", **at)

    def test_a_nan_and_a_last_bit_are_no_known_bug(self):
        at = {"positions": self.positions}
        y = rope(self.x, self.positions)
        y[1, 3, 2, 7] = np.nan
        with self.assertRaisesRegex(AssertionError, "what +NaN stands in 1 of 1"):
            close(y, self.x, **at)
        x = self.x.astype(np.float64)
        y = ropeproof.golden(x, claim="A0", **at)
        y[0, 2, 1, 5] += 4e-15 * np.abs(x[0, 2, 1]).max()
        with self.assertRaises(AssertionError) as raised:
            close(y, x, claim="A0", **at)
        self.assertNotIn("layout", str(raised.exception))

    def test_no_value_of_any_argument_is_an_error_of_numpy(self):
        y, at = rope(self.x, self.positions), {"positions": self.positions}
        strange = (
            "a", 2**70, 10**400, -1, 1j, np.nan, [[1], [2, 3]], [None], {1: 2},
            object(), np.zeros((2,) * 5), np.zeros((5, 8)), np.zeros((8, 0)),
            np.ones(5, bool), np.array("a"), np.arange(5) * 1j,
            {"kind": "yarn", "factor": 4, "truncate": "x"},
            {"kind": "long_rope", "short_factor": 3}, {"power_ulp": "x"})
        for name in ("positions offset cu_seqlens base inv_freq scaling amplitude "
                     "cos_sin freqs_cis config seq_len layers pairing order "
                     "rotary_dim rotary_offset sections axis_of_pair direction "
                     "claim judged").split():
            for value in strange:
                with self.subTest(f"{name}={value!r}"):
                    try:
                        close(y, self.x, **{**at, name: value})
                    except ValueError as error:
                        self.assertRegex(str(error), r"^.{,300}$")
                    except AssertionError:
                        pass


if __name__ == "__main__":
    unittest.main()
