"""What pytest shows of a function, with the program.

    python3 conformance/adapters/pytest_plugin_test.py BUILD_DIR

Exit status 77 where there is no pytest.
"""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

if importlib.util.find_spec("pytest") is None:
    print("no pytest: skipped")
    sys.exit(77)

folder = tempfile.TemporaryDirectory()
subprocess.run(["cmake", "--install", sys.argv.pop(1), "--component", "python",
                "--prefix", folder.name], check=True, stdout=subprocess.DEVNULL)

ROPES = '''
import numpy as np

def my_rope(p, sign=1):
    pairs = np.arange(p.rotary_dim // 2, dtype=np.float32)
    theta = np.float32(p.base) ** -(2 * pairs / p.rotary_dim)
    phi = p.positions.astype(np.float32)[:, :, None, None] * theta
    cos, sin = np.cos(phi), sign * np.sin(phi)
    u, v = np.split(p.q, 2, axis=-1)
    return np.concatenate([u * cos - v * sin, u * sin + v * cos], axis=-1)

lambdas = lambda p: my_rope(p)

def two_arguments(q, k):
    return q

def of_half_tables(q, k, cos, sin):
    u, v = np.split(q, 2, axis=-1)
    y = np.concatenate([u * cos[:, None] - v * sin[:, None],
                        u * sin[:, None] + v * cos[:, None]], axis=-1)
    u, v = np.split(k, 2, axis=-1)
    return y, np.concatenate([u * cos[:, None] - v * sin[:, None],
                              u * sin[:, None] + v * cos[:, None]], axis=-1)

def wrong_rope(p):  # for one token alone
    return my_rope(p, -1 if p.seq == 1 else 1)
'''
TESTS = '''
import ropeproof
import ropes

@ropeproof.mark(tier="smoke", claim={"angle_class": "A1"})
def marked(p):
    return ropes.NAME(p)

def test_of_another_kind():
    pass
'''


def pytest(*arguments, name="my_rope"):
    """Exit status and output, in a folder of its own."""
    with tempfile.TemporaryDirectory() as here:
        (pathlib.Path(here) / "ropes.py").write_text(ROPES)
        (pathlib.Path(here) / "test_ropes.py").write_text(
            TESTS.replace("NAME", name))
        run = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "ropeproof.pytest_plugin",
             "-p", "no:cacheprovider", "-v", *arguments], cwd=here,
            env={**os.environ, "PYTHONPATH": folder.name}, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return run.returncode, run.stdout


class Plugin(unittest.TestCase):
    def test_a_marked_function_has_a_test_for_each_group(self):
        status, output = pytest()
        self.assertEqual(status, 0, output)
        for name in ("marked::smoke-rich", "marked::smoke-dims",
                     "marked::verdict", "test_of_another_kind"):
            self.assertIn(f"test_ropes.py::{name} PASSED", output)
        self.assertNotIn("core-", output)

    def test_a_wrong_function_fails_in_its_groups_with_the_report(self):
        status, output = pytest(name="wrong_rope")
        self.assertEqual(status, 1, output)
        self.assertIn("marked::smoke-decode FAILED", output)
        self.assertIn("marked::smoke-unit PASSED", output)
        self.assertIn("marked::verdict FAILED", output)
        self.assertIn("\nFAIL  smoke-decode-", output)
        # In a group, and in the verdict.
        self.assertGreaterEqual(output.count("\n  what     "), 2, output)
        self.assertIn("exactly where seq is 1", output)
        self.assertIn("\n  replay   ropeproof.judge(...", output)
        self.assertIn("\nDOES NOT CONFORM  level none   marked 0", output)

    def test_a_function_is_named_on_the_command_line(self):
        named = ["--ropeproof", "ropes:my_rope", "--ropeproof-tier", "smoke"]
        status, output = pytest(*named)
        self.assertEqual(status, 0, output)
        self.assertIn("ropes:my_rope::smoke-rich PASSED", output)
        self.assertNotIn("test_of_another_kind", output)
        status, output = pytest(*named, "test_ropes.py")
        self.assertIn("test_of_another_kind", output)
        status, output = pytest(*named, "--ropeproof-dtypes", "f32,waltz")
        self.assertEqual(status, 1, output)
        self.assertIn('my_rope: dtypes: "waltz"; known are', output)

    def test_another_signature_is_one_error_of_usage(self):
        status, output = pytest("--ropeproof", "ropes:two_arguments")
        self.assertEqual(status, 4, output)
        self.assertEqual(output.count("two_arguments: takes (q, k), not one"), 1,
                         output)
        status, output = pytest("--ropeproof", "ropes:my_rope",
                                "--ropeproof-like", "hf")
        self.assertEqual(status, 4, output)
        self.assertEqual(output.count("like='hf' calls my_rope"), 1, output)

    def test_another_table_is_one_failing_test(self):
        status, output = pytest("--ropeproof", "ropes:of_half_tables",
                                "--ropeproof-like", "hf")
        self.assertEqual(status, 1, output)
        self.assertEqual(output.count("\nlike='hf': of_half_tables fails with"), 1)
        self.assertRegex(output, "1 failed, [0-9]+ skipped")

    def test_a_profile_and_a_model_have_their_cases_and_the_pairs(self):
        for what in (["--ropeproof-profile", "llama2-f32-4k"],
                     ["--ropeproof-model", "llama-2", "--ropeproof-dtypes",
                      "f32", "--ropeproof-positions", "64"]):
            status, output = pytest("--ropeproof", "ropes:my_rope", *what)
            self.assertEqual(status, 0, output)
            self.assertIn("ropes:my_rope::profile PASSED", output)
            self.assertIn("ropes:my_rope::pairs PASSED", output)

    def test_a_function_that_is_not_there_is_one_line(self):
        for spec in ("nothing:my_rope", "ropes:nothing", "ropes"):
            status, output = pytest("--ropeproof", spec)
            self.assertEqual(status, 4, output)
            self.assertIn(f"ERROR: --ropeproof {spec}: ", output)
            if importlib.util.find_spec("xdist"):
                status, output = pytest("--ropeproof", spec, "-n", "2")
                self.assertEqual(status, 1, output)
                self.assertIn(f"\n--ropeproof {spec}: ", output)
        self.assertIn("--ropeproof ropes: expected module:function", output)

    def test_tests_beside_a_named_function_are_not_imported(self):
        status, output = pytest("--ropeproof", "ropes:lambdas",
                                "--ropeproof-tier", "smoke", name="not there")
        self.assertEqual(status, 0, output)
        self.assertIn("ropes:lambdas::verdict PASSED", output)

    @unittest.skipIf(importlib.util.find_spec("xdist") is None, "no xdist")
    def test_under_xdist_each_test_is_a_shard_and_one_has_the_verdict(self):
        status, output = pytest("-n", "2")
        self.assertEqual(status, 0, output)
        self.assertIn("marked::shard 2/2", output)
        status, output = pytest("-n", "2", name="wrong_rope")
        self.assertEqual(status, 1, output)
        self.assertIn("\nDOES NOT CONFORM  level none   marked 0", output)


if __name__ == "__main__":
    unittest.main()
