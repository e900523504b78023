"""OpenCL kernels on PoCL, right and wrong ones.

    python3 conformance/adapters/pocl_test.py BUILD_DIR

Skipped, with a word, where pyopencl or PoCL is not there.
"""

import importlib.util
import pathlib
import sys
import tempfile
import unittest

if importlib.util.find_spec("pyopencl") is None:
    print("no pyopencl: skipped")
    sys.exit(77)

import numpy as np

from test_functions import judge, ropeproof

try:
    ropeproof.backend("pocl")
except ValueError as error:
    print(f"{error}: skipped")
    sys.exit(77)
from ropeproof.backends import pocl

SHARED = pathlib.Path(__file__).with_name("shared_rope.cl")


def rope(p, bug=0):
    y, tokens = np.full_like(p.q, np.nan), p.batch * p.seq
    pocl.kernel(SHARED, "rope_f32", f"-DBUG={bug}")(
        (-(-tokens // 4) * 32, 4), (32, 4), p.q, y, p.positions.astype(np.int32),
        np.int32(tokens), np.int32(p.q.shape[2]), np.int32(p.head_dim // 2), np.float32(p.base))
    return y


def judged(bug=0, dtypes=("f32",)):
    return judge(lambda p: rope(p, bug), backend="pocl", dtypes=dtypes,
                 supports=lambda p: p.head_dim <= 512, claim="A1", max_position=4096)


class Kernels(unittest.TestCase):
    def test_a_right_one_conforms_and_types_that_are_not_there_are_left_out(self):
        report = judged(dtypes=["f32", "bf16"])
        self.assertTrue(report.conforms, report)
        self.assertIn(f"CONFORMS on pocl {pocl.version()} ", report)
        self.assertIn("bf16: OpenCL has no such type", report)

    def test_a_missing_barrier_a_wrong_index_and_a_wrong_bound_are_found(self):
        for bug, word in ((1, "races"), (2, "batch row 3 only; tokens 1-4"),
                          (3, "rope_f32 writes past the end of its argument 1")):
            with self.subTest(bug):
                report = judged(bug)
                self.assertFalse(report.conforms, report)
                self.assertIn(word, report)

    def test_what_is_wrong_on_a_gpu_alone(self):
        report = judged(4)  # native_sin: of a precision that a device chooses
        self.assertTrue(report.conforms, report)


class BadInput(unittest.TestCase):
    def test_what_cannot_be_compiled_or_run_is_a_line(self):
        for text, message in (("kernel void f() { nothing; }", "x.cl:1:19: use of undeclared"),
                              ("kernel void g() {}", "f: clCreateKernel failed"),
                              ("kernel void f(global float* y) { local float x[1 << 24]; "
                               "x[get_local_id(0) * 9] = 1; barrier(1); y[0] = x[9]; }",
                               "f asks for 67108864 bytes of local memory; the device has")):
            with self.subTest(message), tempfile.TemporaryDirectory() as made:
                file = pathlib.Path(made, "x.cl")
                file.write_text(text)
                with self.assertRaises(ropeproof.Error) as caught:
                    pocl.kernel(file, "f")((1,), (1,), np.zeros(4, np.float32))
                self.assertNotIn("\n", str(caught.exception))
                self.assertIn(message, str(caught.exception))

    def test_local_memory_of_an_argument_counts(self):
        with tempfile.TemporaryDirectory() as made:
            file = pathlib.Path(made, "x.cl")
            file.write_text("kernel void f(global float* y, local float* x) { y[0] = 1; }")
            y = np.zeros(4, np.float32)
            pocl.kernel(file, "f")((1,), (1,), y, pocl.cl.LocalMemory(64))
            with self.assertRaisesRegex(ropeproof.Error, "f asks for 1073741824 bytes of local"):
                pocl.kernel(file, "f")((1,), (1,), y, pocl.cl.LocalMemory(1 << 30))


if __name__ == "__main__":
    unittest.main()
