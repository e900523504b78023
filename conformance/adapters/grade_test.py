"""What grade() does, with the program, behind walls where they can be built.

    python3 conformance/adapters/grade_test.py BUILD_DIR
"""

import json
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

build = sys.argv[1]

from test_functions import ropeproof  # noqa: E402

FUNCTIONS = '''
import os

import numpy as np


def rope(p):
    """Right where it sees what it must, and nothing of the grader's."""
    assert os.environ["FOR_THE_KERNEL"] == "1"
    assert "GRADER_SECRET" not in os.environ
    assert not os.path.exists("POLICY") and not os.path.exists("/etc/passwd")
    half = p.head_dim // 2
    theta = (p.base ** -(np.arange(half) / half)).astype(np.float32)
    phi = p.positions.astype(np.float32)[:, :, None, None] * theta
    u, v = np.split(p.q, 2, axis=-1)
    c, s = np.cos(phi), np.sin(phi)
    return np.concatenate([u * c - v * s, u * s + v * c], axis=-1)


def hf(x, cos, sin):
    return x
'''
POLICY = {"format": "ropeproof-policy/1", "operations": ["rope"],
          "dtypes": ["f32"], "pairings": ["half_split"], "positions": 131071,
          "seed": 7}

folder = tempfile.TemporaryDirectory()
policy_file = os.path.join(folder.name, "policy.json")
pathlib.Path(policy_file).write_text(json.dumps(POLICY))
module = os.path.join(folder.name, "graded_functions.py")
pathlib.Path(module).write_text(FUNCTIONS.replace("POLICY", policy_file))
sys.path.insert(0, folder.name)

import graded_functions as functions  # noqa: E402


def grade(kernel, policy=POLICY, **more):
    return ropeproof.grade(kernel, policy, **{"diagnosis": False, **more})


def has_walls():
    try:
        return bool(grade("graded_functions:nothing"))
    except ValueError as error:
        print(error)
        return "no sandbox here" not in str(error)


needs_walls = unittest.skipUnless(has_walls(), "no walls here")


@needs_walls
class Verdicts(unittest.TestCase):
    def test_a_function_is_graded_in_a_process_of_its_own(self):
        with mock.patch.dict(os.environ, {"GRADER_SECRET": "7"}):
            verdict = grade(functions.rope, policy_file,
                            environment={"FOR_THE_KERNEL": "1"})
        self.assertTrue(verdict.conforms, verdict)
        self.assertEqual(verdict["level"], "L1")
        self.assertEqual(verdict.seed, 7)
        self.assertEqual(verdict.kernel, "rope 0")
        self.assertEqual(verdict.cells["rope/f32/half_split"]["failed"], 0)
        with self.assertRaises(AttributeError):
            verdict.colour


class Refusals(unittest.TestCase):
    def refuses(self, pattern, kernel, policy=POLICY, **more):
        with self.assertRaisesRegex(ValueError, pattern) as caught:
            grade(kernel, policy, **more)
        self.assertNotIn("\n", str(caught.exception))

    def test_what_cannot_be_found(self):
        self.refuses("^/nowhere.so: no such file", "/nowhere.so")
        self.refuses("^/nowhere.py: no such file", "/nowhere.py:rope")
        self.refuses("no such module on sys.path", "nowhere:rope")
        self.refuses("<lambda>: another process cannot import", lambda p: p.q)
        self.refuses("JSON", functions.rope, arguments={"scale": len})
        self.refuses("a file declares itself", module, dtypes=["f32"])

    def test_a_policy_that_is_none(self):
        self.refuses("^policy.colour: unknown field", functions.rope,
                     {**POLICY, "colour": "blue"})
        self.refuses("none.json: cannot be read", functions.rope, "none.json")

    @needs_walls
    def test_what_cannot_be_imported(self):
        for place in ("graded_functions", module):
            self.refuses(f"^{place}:nothing: AttributeError: ",
                         f"{place}:nothing")
        self.refuses("half_moon", functions.hf, like="half_moon")
        self.refuses("takes .*, not one Problem", functions.hf)

    def test_without_walls(self):
        with mock.patch.dict(os.environ, {"PATH": "/nowhere"}):
            self.refuses("^there is no sandbox here: ", functions.rope,
                         program=os.path.join(build, "ropeproof"))


if __name__ == "__main__":
    unittest.main()
