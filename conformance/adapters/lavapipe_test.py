"""Shaders on lavapipe, right and wrong ones.

    python3 conformance/adapters/lavapipe_test.py BUILD_DIR

Skipped, with a word, where wgpu or the driver is not there.
"""

import importlib.util
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

if importlib.util.find_spec("wgpu") is None:
    print("no wgpu: skipped")
    sys.exit(77)

import numpy as np

from test_functions import folder, judge, ropeproof

try:
    ropeproof.backend("lavapipe")
except ValueError as error:
    print(f"{error}: skipped")
    sys.exit(77)
from ropeproof.backends import lavapipe

SHARED = pathlib.Path(__file__).with_name("shared_rope.wgsl")
# As WGSL has pow().
CLAIM = {"angle_class": "A1", "power": "exp2", "power_ulp": 4}
GLSL = """#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer X { float x[]; };
layout(push_constant) uniform P { float factor; } p;
void main() { uint i = gl_GlobalInvocationID.x; if (i < N) x[i] *= p.factor; }
"""


def rope(p, bug=0):
    y, tokens, heads = np.full_like(p.q, np.nan), p.batch * p.seq, p.q.shape[2]
    lavapipe.shader(SHARED, BUG=bug)((-(-tokens // 4), 1, 1), [
        p.q, y, p.positions.astype(np.int32),
        struct.pack("3If", tokens, heads, p.head_dim // 2, p.base)])
    return y


def judged(bug=0):
    return judge(lambda p: rope(p, bug), backend="lavapipe", dtypes=["f32"],
                 supports=lambda p: p.head_dim <= 512, claim=CLAIM, max_position=4096)


class Shaders(unittest.TestCase):
    def test_a_right_one_conforms(self):
        report = judged()
        self.assertTrue(report.conforms, report)
        self.assertIn(f"CONFORMS on lavapipe {lavapipe.version()} ", report)
        self.assertIn("logic, indices, barriers and the order of roundings; not code", report)

    def test_a_missing_barrier_and_a_wrong_index_are_found(self):
        for bug, word in ((1, "races"), (2, "batch row 3 only; tokens 1-4"), (3, "last head not written")):
            with self.subTest(bug):
                report = judged(bug)
                self.assertFalse(report.conforms, report)
                self.assertIn(word, report)

    def test_a_sine_as_far_off_as_a_device_may_be_is_wrong_there_alone(self):
        self.assertFalse(judged(4).conforms)  # the same with the sine of here conforms

    def test_glsl_and_push_constants(self):
        with tempfile.TemporaryDirectory() as made:
            file = pathlib.Path(made, "x.comp")
            file.write_text(GLSL)
            x = np.arange(100, dtype=np.float32)
            lavapipe.shader(file, N=99)((2, 1, 1), [x], struct.pack("f", 3))
            self.assertEqual((x[98], x[99]), (294, 99))


class BadInput(unittest.TestCase):
    def refused(self, name, text, message):
        with tempfile.TemporaryDirectory() as made:
            file = pathlib.Path(made, name)
            file.write_text(text)
            with self.assertRaises(ropeproof.Error) as caught:
                lavapipe.shader(file, N=1)((1, 1, 1), [np.zeros(4, np.float32)])
            self.assertNotIn("\n", str(caught.exception))
            self.assertIn(message, str(caught.exception))

    def test_what_cannot_be_compiled_or_run_is_a_line(self):
        self.refused("x.comp", GLSL.replace("main", "mai n"), "x.comp:5: error")
        self.refused("x.wgsl", "fn main() { nothing(); }", "no definition in scope")

    def test_a_machine_without_the_driver(self):
        script = ("import sys; sys.path.insert(0, sys.argv[1])\n"
                  "import ropeproof; ropeproof.backend('lavapipe')")
        done = subprocess.run(
            [sys.executable, "-c", script, folder.name], text=True, capture_output=True,
            env={"VK_ICD_FILENAMES": "/nowhere", "VK_DRIVER_FILES": "/nowhere"})
        self.assertIn("ValueError: backend='lavapipe': Vulkan has no lavapipe; install "
                      "mesa-vulkan-drivers", done.stderr)


if __name__ == "__main__":
    unittest.main()
