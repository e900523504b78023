"""CUDA kernels as C++: right ones conform, a race and a wrong bound are found.

    python3 conformance/adapters/cuda_test.py BUILD_DIR
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from test_functions import folder, ropeproof

from ropeproof.backends import cuda_as_cpp

HERE = pathlib.Path(__file__).parent
PROGRAM = os.path.join(folder.name, "ropeproof", "bin", "ropeproof")


# Of heads whose halves are loaded as 16 bytes.
VECTORS = ["core-scalings-122", "core-scalings-123", "smoke-rich-014", "smoke-dims-003"]


def judged(source, *flags, cases=(), races=False):
    """Exit status, text and report of a kernel, in smoke or in these cases."""
    with tempfile.TemporaryDirectory() as made:
        library = os.path.join(made, "x.so")
        cuda_as_cpp.build([source], library, flags=["-O0", *flags], races=races)
        file = os.path.join(made, "report.json")
        done = subprocess.run([PROGRAM, "run", "--lib", library, "--report", file,
                               *(["--case", *cases] if cases else ["--tier", "smoke"])],
                              capture_output=True, text=True)
        return done.returncode, done.stdout, json.loads(pathlib.Path(file).read_text())


class Kernels(unittest.TestCase):
    def test_shared_memory_and_a_barrier(self):
        status, said, report = judged(HERE / "shared_rope.cu")
        self.assertEqual(status, 0, said)
        self.assertIn("CONFORMS on cuda-as-cpp 1, g++ ", said)
        self.assertEqual(report["description"]["backend"]["name"], "cuda-as-cpp")

    def test_a_missing_barrier_and_a_wrong_bound_of_a_block(self):
        for bug, word in ((1, "NaN or infinity in place of numbers"), (2, "past the end of positions"),
                          (3, "not written")):
            with self.subTest(bug):
                status, said, _ = judged(HERE / "shared_rope.cu", f"-DBUG={bug}")
                self.assertEqual(status, 1, said)
                self.assertIn(word, said)

    def test_races_that_an_order_of_threads_does_not_show(self):
        for bug, status, words in (
                (0, 0, "CONFORMS"),
                (1, 1, "shared memory that thread"),
                (4, 1, "shared memory that thread")):
            with self.subTest(bug):
                got, said, _ = judged(HERE / "shared_rope.cu", f"-DBUG={bug}", races=True)
                self.assertEqual(got, status, said)
                self.assertIn(words, " ".join(said.split()))
        self.assertEqual(judged(HERE / "shared_rope.cu", "-DBUG=4")[0], 0)
        for flags in ([], ["-DFAST"]):
            status, said, _ = judged(HERE / "shuffled_rope.cu", *flags, races=True)
            self.assertEqual(status, 0, said)

    def test_shuffles_and_16_bits_and_what_is_wrong_on_a_gpu_alone(self):
        for flags in ([], ["-DFAST"]):
            status, said, _ = judged(HERE / "shuffled_rope.cu", *flags)
            self.assertEqual(status, 0, said)

    def test_vectors_of_pairs_and_local_memory(self):
        status, said, _ = judged(HERE / "vector_rope.cu", "-O2", cases=VECTORS)
        self.assertEqual(status, 0, said)

    def test_a_kernel_of_hip(self):
        text = (HERE / "shuffled_rope.cu").read_text()
        for cuda, hip in (("cuda_bf16.h", "hip/hip_bf16.h"), ("cuda_fp16.h", "hip/hip_runtime.h"),
                          ("__nv_bfloat16", "__hip_bfloat16"), ("_sync(both, ", "("),
                          ("<<<", "hipLaunchKernelGGL(HIP_KERNEL_NAME(@), "), (">>>(", ", 0, ")):
            self.assertIn(cuda, text)
            text = text.replace(cuda, hip)
        text = re.sub(r"(rotate<\w+>)\s*(hip.*?)@", r"\2\1", text)
        with tempfile.TemporaryDirectory() as made:
            source = pathlib.Path(made, "x.hip")
            source.write_text(text)
            status, said, _ = judged(source)
        self.assertEqual(status, 0, said)

    def test_a_kernel_written_for_nvcc_as_it_is(self):
        status, said, _ = judged(HERE.parent / "examples" / "my_rope.cu")
        self.assertEqual(status, 0, said)


class Translated(unittest.TestCase):
    def test_a_launch_with_what_is_within_parentheses(self):
        self.assertEqual(
            cuda_as_cpp.translated("if (a) f<T, 2><<<g(1, 2), dim3(3), 0, s>>>(x, h(y)); z();",
                                   "x.cu"),
            "if (a) ::ropeproof_cuda::launch(::ropeproof_cuda::Launch(g(1, 2), dim3(3), 0, s), "
            "[&] { f<T, 2>(x, h(y)); }); z();")

    def test_a_launch_behind_a_comparison_and_in_a_comment(self):
        how = "::ropeproof_cuda::launch(::ropeproof_cuda::Launch(1, 2), [&] { "
        for text, want in (("if (a < b) ns::f<T, (N > 4)><<<1, 2>>>(x);",
                            "if (a < b) " + how + "ns::f<T, (N > 4)>(x); });"),
                           ("for (; i < n;) f<A<B<2>>> <<<1, 2>>>(x);",
                            "for (; i < n;) " + how + "f<A<B<2>>> (x); });"),
                           ("/*<<<1,\n>>>(*/ a(\"// b\");  // <<<\nint j;",
                            " " * 7 + "\n" + " " * 7 + "a(\"// b\");" + " " * 8 + "\nint j;")):
            self.assertEqual(cuda_as_cpp.translated(text, "x.cu"), want)

    def test_shared_arrays(self):
        said = cuda_as_cpp.translated(
            "__shared__ float a[4][N], b;\nextern __shared__ __align__(16) char c[];", "x.cu")
        self.assertIn("static thread_local float a[4][N], b; static_assert(", said)
        self.assertIn(" ::ropeproof_cuda::Machine::here().share(&a, sizeof a); ", said)
        self.assertIn("share(&b, sizeof b);\n", said)
        self.assertIn("c = ::ropeproof_cuda::dynamic_shared<", said)

    def refused(self, text, message):
        with tempfile.TemporaryDirectory() as made:
            source = pathlib.Path(made, "x.cu")
            source.write_text(text)
            with self.assertRaises(ropeproof.Error) as caught:
                cuda_as_cpp.build([source], pathlib.Path(made, "x.so"))
            self.assertNotIn("\n", str(caught.exception))
            self.assertIn(message, str(caught.exception))
            command = [sys.executable, "-m", "ropeproof.backends.cuda_as_cpp",
                       str(source), "-o", made + "/x.so"]
            done = subprocess.run(command, cwd=folder.name, capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn(message, done.stderr)

    def test_what_cannot_be_read_or_compiled_is_a_line(self):
        self.refused("void f() {\n  (g)<<<1, 1>>>(2);\n}", "x.cu:2: a launch that cannot")
        self.refused("__global__ void f() { texture t; }", "x.cu:1:")
        self.refused("__global__ void f() {\n  __shared__ float x[6144], y[6145];\n}",
                     "static assertion failed: shared arrays beyond 48 KiB")


class Launches(unittest.TestCase):
    def test_more_than_a_block_may_have_and_a_barrier_that_some_miss(self):
        text = (HERE / "shared_rope.cu").read_text()
        for before, after, status, word in (
                ("dim3(kThreads, kTokens)", "dim3(kThreads, 64)", 1,
                 "of 2048 threads; a block has"),
                ("dim3(kThreads, kTokens)", "dim3(kThreads, kTokens), 300000", 2,
                 "x.so: cuda-as-cpp: a launch asks for 300000 bytes of shared memory; a block "
                 "has 232448 at most\n"),
                ("__syncthreads();", "if (threadIdx.x > 2) __shfl_sync(7, 1, 0); else "
                 "__syncthreads();", 1, "threads of a block wait for others")):
            with self.subTest(word), tempfile.TemporaryDirectory() as made:
                source = pathlib.Path(made, "x.cu")
                source.write_text(text.replace(before, after))
                library = os.path.join(made, "x.so")
                cuda_as_cpp.build([source], library, flags=["-O0"])
                done = subprocess.run(
                    [PROGRAM, "run", "--lib", library, "--case", "smoke-rich-009"],
                    capture_output=True, text=True)
                self.assertEqual(done.returncode, status, done.stdout)
                if status == 2:
                    self.assertEqual(done.stdout, "")
                    self.assertTrue(done.stderr.endswith(word), done.stderr)
                else:
                    self.assertIn(word, " ".join(done.stdout.split()))
                    self.assertEqual(done.stderr, "")


if __name__ == "__main__":
    unittest.main()
