"""Triton kernels under the interpreter, right and wrong ones.

    python3 conformance/adapters/triton_backend_test.py BUILD_DIR

Skipped, with a word, where torch or Triton is not installed.
"""

import importlib.util
import os
import pathlib
import subprocess
import sys
import unittest

MISSING = [name for name in ("torch", "triton") if importlib.util.find_spec(name) is None]
if MISSING:
    print(f"no {' and no '.join(MISSING)}: skipped")
    sys.exit(77)

from test_functions import folder, judge, ropeproof

ropeproof.backend("triton-interpret")
import torch
import triton
import triton.language as tl
import triton_kernels as kernels

from ropeproof.backends import triton_interpret


# Where each bug shows; all of smoke takes the interpreter a minute on a busy machine.
SOME = ["smoke-rich-009", "smoke-rich-014", "smoke-dims-003", "smoke-dims-008"]


def judged(function, cases=SOME, **how):
    return judge(function, like="hf", backend="triton-interpret", cases=cases,
                 features=[], diagnosis=False,
                 **{"claim": {"angle_class": "A0", "rounding": "each"}, **how})


class Kernels(unittest.TestCase):
    def test_a_right_one_conforms_in_each_dtype(self):
        report = judged(kernels.rope, dtypes=["f32", "f16", "bf16"])
        self.assertTrue(report.conforms, report)
        self.assertIn(f"triton-interpret {triton.__version__}: logic,", report)

    def test_one_that_rounds_once_in_bf16_is_nearer(self):
        once = judged(kernels.rope_in_f32, dtypes=["bf16"],
                      claim={"angle_class": "A0", "rounding": "once"})
        self.assertTrue(once.conforms, once)
        each = judged(kernels.rope, dtypes=["bf16"])
        self.assertLess(once.measures["max_norm_ulp"], each.measures["max_norm_ulp"])

    def test_each_bug_is_found(self):
        for wrong in (kernels.rope_of_row_0, kernels.rope_without_the_last):
            with self.subTest(wrong.__name__):
                report = judged(wrong, dtypes=["f32"])
                self.assertFalse(report.conforms, report)

    def test_a_race_between_programs_shows(self):
        report = judged(kernels.rope_that_races, dtypes=["f32"])
        self.assertFalse(report.conforms, report)

    def test_an_access_beyond_what_a_kernel_was_given(self):
        for beyond, said in (("reads", "reads past the end of COS"),
                             ("writes", "writes past the end of Y")):
            report = judged(kernels.rope_beyond(beyond), dtypes=["f32"])
            self.assertFalse(report.conforms, report)
            self.assertIn(f"IndexError: {said}", report)
            self.assertIn("because  triton_kernels.py:", report)

    def test_pointers_of_numbers_and_those_before_an_array(self):
        x, y = torch.arange(8.), torch.zeros(8)
        kernels.copied[(1,)](torch.tensor([x.data_ptr()]), y, 0, IS_TABLE=True)
        self.assertTrue(torch.equal(x, y))
        with self.assertRaisesRegex(Exception, "reads before X"):
            kernels.copied[(1,)](x, y, -1, IS_TABLE=False)

    def test_what_is_not_written_is_no_number(self):
        self.assertTrue(torch.empty(3).isnan().all())

    def test_an_autotuned_one_has_its_first_configuration(self):
        report = judged(kernels.rope_tuned, dtypes=["f32"])
        self.assertTrue(report.conforms, report)

    def test_an_error_names_the_line_of_the_kernel(self):
        report = judged(kernels.rope_of_any_block, dtypes=["f32"])
        said = [failure.message for failure in report.failures]
        line = kernels.half_split.fn.__code__.co_firstlineno + 5
        self.assertTrue(any(
            f"triton_kernels.py:{line}: ValueError: arange's range must be" in message
            for message in said), said)

    def test_triton_that_was_imported_before_is_told(self):
        script = ("import sys, triton; sys.path.insert(0, sys.argv[1])\n"
                  "import ropeproof; ropeproof.backend('triton-interpret')")
        environment = {"PATH": "/usr/bin:/bin", "HOME": folder.name}
        done = subprocess.run([sys.executable, "-c", script, folder.name],
                              env=environment, capture_output=True, text=True)
        self.assertIn("backend='triton-interpret': triton was imported before without "
                      "TRITON_INTERPRET=1; set it, or call", done.stderr)


class Device(unittest.TestCase):
    def test_ways_of_a_gpu_on_a_processor(self):
        """torch_device.py, as tools/gpu.sh judges it on a GPU."""
        program = pathlib.Path(folder.name, "ropeproof", "bin", "ropeproof")
        adapter = pathlib.Path(__file__).with_name("torch_device.py")
        for way in ("eager", "streams", "graph", "triton"):
            with self.subTest(way):
                done = subprocess.run(
                    [program, "run", "--command", f"{sys.executable} {adapter} {way} cpu",
                     "--case", *SOME], env={**os.environ, "PYTHONPATH": folder.name},
                    capture_output=True, text=True)
                self.assertIn("\nCONFORMS", done.stdout, done.stderr)


class Bf16(unittest.TestCase):
    """Operations of the interpreter in bf16, beside those of torch."""

    def test_each_is_rounded_once_as_torch_does(self):
        @triton.jit
        def all_of_them(X, Y, OUT, N: tl.constexpr):
            i = tl.arange(0, N)
            x, y = tl.load(X + i), tl.load(Y + i)
            tl.store(OUT + i, x + y)
            tl.store(OUT + N + i, x - y)
            tl.store(OUT + 2 * N + i, x * y)
            tl.store(OUT + 3 * N + i, -x)
            tl.store(OUT + 4 * N + i, tl.where(x < y, x, y))
            tl.store(OUT + 5 * N + i, (x.to(tl.float32) * 1.0009765625))
            tl.store(OUT + 6 * N + i, x.to(tl.float16).to(tl.bfloat16))
            tl.store(OUT + 7 * N + i, tl.abs(x))
            tl.store(OUT + 8 * N + i, tl.maximum(x, y))
            tl.store(OUT + 9 * N + i, i * 1.00390625)
        torch.manual_seed(1)
        n = 256
        x, y = (torch.randn(n) * 2.0 ** torch.randint(-9, 9, (n,)) for _ in "xy")
        x[:4] = torch.tensor([0.0, -0.0, torch.inf, 1e-39])
        x, y = x.bfloat16(), y.bfloat16()
        out = torch.empty(10 * n, dtype=torch.bfloat16)
        all_of_them[(1,)](x, y, out, N=n)
        i = torch.arange(n)
        want = [x + y, x - y, x * y, -x, torch.where(x < y, x, y),
                (x.float() * 1.0009765625).bfloat16(), x.half().bfloat16(), x.abs(),
                torch.maximum(x, y), (i.float() * 1.00390625).bfloat16()]
        for number, (got, right) in enumerate(zip(out.split(n), want)):
            with self.subTest(number):
                self.assertTrue(torch.equal(got.view(torch.int16),
                                            right.view(torch.int16)))

    def test_what_cannot_be_mended_is_declined(self):
        self.assertTrue(triton_interpret._is_bf16_right())
        before = triton_interpret.Builder.cast_impl
        try:
            triton_interpret.Builder.cast_impl = lambda self, source, to: source
            self.assertFalse(triton_interpret._is_bf16_right())
        finally:
            triton_interpret.Builder.cast_impl = before


if __name__ == "__main__":
    unittest.main()
