"""problems() and the strategy of Hypothesis, as a wheel has them.

    python3 conformance/adapters/problems_test.py BUILD_DIR

Without Hypothesis its part is skipped, with a word.
"""

import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import numpy as np

from test_functions import folder, my_rope, ropeproof, wrong_rope
from like_functions import hf  # of the package that is installed there


class Problems(unittest.TestCase):
    def test_right_functions_pass_and_wrong_ones_do_not(self):
        made = ropeproof.problems(features=[])
        self.assertEqual(len({str(p) for p in made}), len(made))
        self.assertTrue(all(str(p).startswith(("smoke-", "singles-")) for p in made))
        wrong, words = 0, []
        for p in made:
            p.assert_close(my_rope(p))
            try:
                p.assert_close(wrong_rope(p))
            except AssertionError as error:
                self.assertRegex(str(error), r"^(smoke|singles)-\S+: \d+ of \d+ elements of "
                                 r"q are beyond their bound; the worst, q\[")
                wrong += 1
                words.append(str(error))
        self.assertGreater(wrong, 10)
        # What the judge would say of such a result.
        for line in ("\n  what     ", "\n  pattern  ", "\n  bound    "):
            self.assertTrue(all(line in text for text in words), line)

    def test_wrong_results_of_nested_blocks_have_words_too(self):
        made = ropeproof.problems(features=[], pairings=["nested_half_split"])
        texts = []
        for p in made:
            try:
                p.assert_close(p.q)
            except AssertionError as error:
                texts.append(str(error))
        self.assertTrue(texts)
        self.assertTrue(all("\n  pattern  " in text for text in texts))

    def test_a_form_calls_a_function_as_it_is(self):
        made = ropeproof.problems(like="hf", dtypes=[np.float32])
        self.assertGreater(len(made), 5)
        for p in made:
            p.check(hf)
        with self.assertRaisesRegex(AssertionError, "k are beyond"):
            for p in made:
                p.check(lambda q, k, cos, sin: (hf(q, q, cos, sin)[0], k),
                        arrays="numpy")
        class Array(np.ndarray):  # of another library
            pass
        seen = []

        def noting(q, k, cos, sin):
            seen.append(type(q))
            return hf(q, k, cos, sin)
        other = (lambda array, dtype=None: array.view(Array), np.asarray)
        with mock.patch.dict(ropeproof.arrays.LIBRARIES, other=other):
            for p in ropeproof.problems(like="hf", arrays="other"):
                p.check(noting)
        self.assertEqual(set(seen), {Array})
        with self.assertRaisesRegex(ropeproof.Error, "looks up caches"):
            ropeproof.problems(like="vllm")
        with self.assertRaisesRegex(ropeproof.Error, "waltz"):
            ropeproof.problems(pairings=["waltz"])

    def test_an_error_names_the_argument_and_the_words_and_no_file(self):
        for how, line in (
                ({"dtypes": ["fp32"]}, '^problems: dtypes: "fp32"; known are '
                 'f64, f32, f16 or bf16$'),
                ({"dtypes": []}, "^problems: declares no dtypes; needs"),
                ({"dtypes": "f32"}, r"dtypes is 'f32'; .* \['f32'\]"),
                ({"features": "keys"}, r"features is 'keys'; .* \['keys'\]"),
                ({"claim": "A9"}, '^problems: claims.angle_class: "A9"'),
                ({"claim": 3}, "^problems: claim is 3; expected a class"),
                ({"dtypes": None}, "^problems: dtypes is None; expected a list$"),
                ({"operations": ["table"]}, r"^problems: operations is "
                 r"\['table'\]; rope and rotate have goldens"),
                ({"tier": "full"}, "^problems: tier is 'full'; known are smoke, "),
                ({"fresh": 3}, "^problems: fresh is 3, tier 'smoke'; .*core"),
                ({"fresh": "q", "tier": "core"}, "^problems: fresh is 'q'")):
            with self.subTest(how), self.assertRaisesRegex(ropeproof.Error,
                                                           line):
                ropeproof.problems(**how)

    def test_fresh_problems_are_those_of_their_seed(self):
        first, again, other = (
            ropeproof.problems(tier="core", features=[], fresh=seed)
            for seed in (5, 5, 6))
        self.assertEqual([p.id for p in first], [p.id for p in again])
        new = {p.id: p for p in first if p.id.startswith("fresh5-")}
        self.assertGreater(len(new), 20)
        for p in again:
            if p.id in new:
                np.testing.assert_array_equal(p.q, new[p.id].q)
        self.assertFalse(set(new) & {p.id for p in other})
        for p in new.values():
            p.assert_close(my_rope(p))

    def test_they_are_ids_of_pytest(self):
        if importlib.util.find_spec("pytest") is None:
            self.skipTest("no pytest")
        with tempfile.TemporaryDirectory() as here:
            with open(os.path.join(here, "test_it.py"), "w") as file:
                file.write("import pytest, ropeproof\n"
                           "@pytest.mark.parametrize('p', ropeproof.problems("
                           "features=[]), ids=str)\n"
                           "def test_it(p): p.assert_close(p.want['q'])\n")
            done = subprocess.run(
                [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider"],
                cwd=here, env={**os.environ, "PYTHONPATH": folder.name},
                capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("test_it.py::test_it[smoke-rich-009-rope] PASSED",
                      done.stdout)


@unittest.skipIf(importlib.util.find_spec("hypothesis") is None, "no hypothesis")
class Strategy(unittest.TestCase):
    def drawn(self, function, **how):
        import hypothesis
        from ropeproof import strategies

        @hypothesis.settings(max_examples=60, deadline=None, database=None)
        @hypothesis.given(strategies.problems(keys=False, **how))
        def test(p):
            p.assert_close(function(p))
        test()

    def test_a_right_function_passes_and_a_wrong_one_is_shrunk(self):
        def right(p):
            pairs = p.rotary_dim // 2
            theta = np.float32(p.base) ** -(np.arange(pairs, dtype=np.float32) /
                                            np.float32(pairs))
            phi = p.positions.astype(np.float32)[..., None, None] * theta
            u, v = p.q[..., :pairs], p.q[..., pairs:2 * pairs]
            c, s = np.cos(phi), np.sin(phi)
            return np.concatenate([u * c - v * s, u * s + v * c,
                                   p.q[..., 2 * pairs:]], -1)
        self.drawn(right, partial=True)
        seen = []

        def wrong(p):
            y = right(p)
            if p.q.shape[1] > 2:  # a third token
                y[:, 2:] = 0
                seen.append(p)
            return y
        with self.assertRaises(AssertionError):
            self.drawn(wrong)
        self.assertEqual(seen[-1].q.shape, (1, 3, 1, 2))
        self.drawn(lambda p: p.q.copy(), dtypes=["bf16"], max_position=0)

    def test_what_it_cannot_draw_is_a_line_before_it_draws(self):
        from ropeproof import strategies
        for how, line in (
                ({"dtypes": "f32"}, "dtypes is 'f32'; expected a list"),
                ({"dtypes": []}, r"dtypes is \[\]; expected a list"),
                ({"pairings": ["neox"]}, "one of pairings is 'neox'; known are"),
                ({"bases": 1e4}, "bases is 10000.0; expected a list"),
                ({"bases": [0]}, "one of bases is 0; expected a number above 0"),
                ({"max_batch": 0}, r"max_batch is 0; expected 1 to 2\^53"),
                ({"max_pairs": 2.5}, "max_pairs is 2.5; expected whole"),
                ({"max_position": -1}, "max_position is -1; expected 0 to")):
            with self.subTest(line), self.assertRaisesRegex(ValueError, line):
                strategies.problems(**how)


if __name__ == "__main__":
    unittest.main()
