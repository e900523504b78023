"""A function of each form in NumPy, judged by the program: as it should be it
conforms, with a bug that such functions have it does not.

    python3 conformance/adapters/like_test.py PROGRAM VECTORS
"""

import pathlib
import re
import shlex
import subprocess
import sys
import types
import unittest

import numpy as np

import ropeproof
from ropeproof import like
from ropeproof.like.library import library_of
from like_functions import FORMS, HfModule, Offset, hf, te, turned
from ropeproof_test import bits, kernel, request, solve, tensor

FUNCTIONS = pathlib.Path(__file__).with_name("like_functions.py")


class Judged(unittest.TestCase):
    program, vectors = None, None

    def judged(self, *words):
        """Exit status and output of the program for a function of FORMS."""
        command = shlex.join([sys.executable, str(FUNCTIONS), *words])
        done = subprocess.run(
            [self.program, "run", "--vectors", self.vectors, "--tier", "smoke",
             "--no-diagnosis", "--command", command], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def test_each_form_conforms_and_its_bug_does_not(self):
        for form in FORMS:
            with self.subTest(form):
                status, said = self.judged(form)
                self.assertEqual(status, 0, said)
                status, said = self.judged(form, "broken")
                self.assertEqual(status, 1, said)
                self.assertNotIn("Error:", said)

    def test_a_table_of_4096_rows_does_not_conform(self):
        for form in ("vllm", "flashinfer", "onnx", "flash_attn", "cache_flat",
                     "tokamax"):
            with self.subTest(form):
                status, said = self.judged(form, "short")
                self.assertEqual(status, 1, said)

    def test_an_object_is_asked_about_its_own_head_and_base(self):
        status, said = self.judged("offset-own")
        self.assertRegex(said, r"offers +rope .* heads of 32 channels")
        self.assertRegex(said, r"\n  rope +1[0-9] ", said)


class Refused(unittest.TestCase):
    def refused(self, function, form, **declaration):
        with self.assertRaises((TypeError, ValueError)) as caught:
            like.kernel_of(function, form, **declaration)
        said = str(caught.exception)
        self.assertNotIn("\n", said)
        return said

    def test_a_form_that_is_none_and_a_function_that_is_none(self):
        self.assertIn("known are hf, hf_module,", self.refused(hf, "huggingface"))
        self.assertEqual("like='hf' wants a function, not 'hf'",
                         self.refused("hf", "hf"))

    def test_a_function_of_another_signature_and_what_the_form_calls(self):
        self.assertEqual(
            "like='te' calls hf(t, freqs); it takes (q, k, cos, sin)",
            self.refused(hf, "te"))
        for form in set(like.FORMS) - {"hf", "hf_module"}:
            self.assertIn("it takes (q, k, cos, sin)", self.refused(hf, form))

        def more(x, positions, blocks):
            return x
        self.assertIn("it takes (x, positions, blocks)",
                      self.refused(more, "positions"))
        self.assertEqual("like='hf_module': no apply_rotary_pos_emb beside "
                         "HfModule: say by apply= what rotates",
                         self.refused(HfModule, "hf_module"))

    def test_arguments_that_nobody_gives_and_that_nobody_takes(self):
        class Wide:
            def __init__(self, width):
                pass

            def __call__(self, x, offset):
                return x
        self.assertIn("Wide needs width: say", self.refused(Wide, "offset"))
        self.assertEqual("arguments: hf has no parameter scale", self.refused(
            hf, "hf", arguments=dict(scale=2)))
        self.assertEqual("arguments: q of hf is the suite's to give",
                         self.refused(hf, "hf", arguments=dict(q=2)))
        self.assertEqual("no keyword of a kernel: scale",
                         self.refused(hf, "hf", scale=2))
        self.assertIn("tensor_format='hsbd': known are 'sbhd',",
                      self.refused(te, "te", tensor_format="hsbd"))

    def test_a_module_without_a_form_is_no_function_of_a_problem(self):
        class Module:  # as one of torch
            def __call__(self, *given, **named):
                return self.forward(*given, **named)

            def forward(self, x, pos):
                return x
        with self.assertRaisesRegex(
                ropeproof.Error, r"^f: takes \(x, pos\), not one Problem"):
            ropeproof.judge(Module(), name="f", program=Judged.program)

    def test_one_table_where_two_are_wanted(self):
        def packed(dim, end):
            return np.zeros((end, dim), np.float32)
        solved = like.kernel_of(hf, "hf", precompute=packed).solve(
            request(q=tensor(2, 3, 4, 8), k=tensor(2, 3, 2, 8)))
        self.assertEqual(solved[0], "unusable")
        self.assertIn("a packed table is of like='vllm'", solved[1])

    def test_other_tables_than_a_form_has_are_refused_in_a_line(self):
        def beside(x):
            return np.stack((-x[..., 1::2], x[..., ::2]), -1).reshape(x.shape)

        def halves(x):
            return np.concatenate(np.split(x, 2, -1)[::-1], -1) * np.repeat(
                np.float32([-1, 1]), x.shape[-1] // 2)

        def half(q, k, cos, sin):
            return [turned(x, cos[:, None], sin[:, None]) for x in (q, k)]

        def with_heads(q, k, cos, sin):
            return [x * cos + halves(x) * sin for x in (q, k)]

        def tokens_first(q, k, cos, sin):
            return [x * cos[:, :, None] + halves(x) * sin[:, :, None]
                    for x in (q, k)]

        def packed(xq, xk, freqs_cis):
            if np.iscomplexobj(freqs_cis):
                raise TypeError("a complex table")
            return [turned(x, *np.split(freqs_cis[None, :, None], 2, -1), True)
                    for x in (xq, xk)]

        def tuples(x, freqs_cis):
            return x * freqs_cis[0] + beside(x) * freqs_cis[1]

        def complexes(positions, q, k, cos_sin_cache):
            rows = cos_sin_cache[positions][:, None]
            if not np.iscomplexobj(rows):
                raise TypeError("no complex table")
            return [turned(x, rows.real, rows.imag) for x in (q, k)]
        for function, form, line in (
                (half, "hf", "takes [..., rotary_dim/2]: judge a function"),
                (with_heads, "hf", "takes [batch, 1, seq, rotary_dim], doubled in "
                                   "halves: judge"),
                (tokens_first, "hf", "takes [batch, seq, heads, head_dim]: say "
                                     "heads_first=False"),
                (packed, "meta", "takes [seq, rotary_dim], cosines, then sines"),
                (tuples, "meta", "takes a tuple of [seq, rotary_dim], doubled in "
                                 "pairs, q [batch, heads, seq, head_dim]: that is "
                                 "like='diffusers', heads_first=True"),
                (complexes, "cache_flat", "takes [..., rotary_dim/2], complex")):
            with self.subTest(function.__name__), self.assertRaises(
                    ropeproof.Error) as caught:
                ropeproof.judge(function, like=form, dtypes=["f32"], tier="smoke",
                                program=Judged.program)
            said = str(getattr(caught, "exception", ""))
            self.assertIn(line, said)
            self.assertNotIn("\n", said)

        def always(q, k, cos, sin):
            raise ValueError("never")

        def spoils(q, k, cos, sin):
            y = hf(q, k, cos, sin)
            q[...] = 0
            return y

        def spoils_cos(q, k, cos, sin):
            y = hf(q, k, cos, sin)
            cos *= 0
            return y
        for function, said in ((always, "ValueError: never"),
                               (spoils, "overwrites q, which it was given"),
                               (spoils_cos, "overwrites cos, which it was")):
            report = ropeproof.judge(function, like="hf", dtypes=["f32"],
                                     tier="smoke", program=Judged.program,
                                     diagnosis=False)
            self.assertIn(said, report)

    def test_arrays_and_devices_that_are_not_here(self):
        self.assertIn("arrays='tf': known are numpy,",
                      self.refused(hf, "hf", arrays="tf"))
        self.assertIn("cannot tell whose arrays", self.refused(len, "hf"))
        self.assertIn("device='cuda': arrays of numpy have no devices",
                      self.refused(hf, "hf", device="cuda"))
        self.assertIn("backward=True: arrays of numpy have no gradients",
                      self.refused(hf, "hf", backward=True))


class Whose(unittest.TestCase):
    def test_code_says_more_than_the_file_and_a_class_more_than_code(self):
        space = {"np": np, "torch": types.ModuleType("torch"), "__name__": "it"}
        exec("def helped(x): return np.sin(x)\n"
             "def of_numpy(x, positions): return helped(x)\n"
             "def of_torch(x, positions): return torch.sin(np.pi * x)\n", space)
        self.assertEqual(library_of(space["of_numpy"]), "numpy")
        self.assertEqual(library_of(space["of_torch"]), "torch")
        module = type("Module", (), {"__module__": "torch.nn"})
        self.assertEqual(library_of(type("Mine", (module,), {})()), "torch")


class Answers(unittest.TestCase):
    """What is said of a function that raises or returns something else."""

    def said(self, function, form, **declaration):
        kernel = like.kernel_of(function, form, arrays="numpy", **declaration)
        given = request(q=tensor(2, 3, 4, 8), k=tensor(2, 3, 2, 8))
        status, message, _ = kernel.solve(given)
        return f"{status}: {message}"

    def test_another_shape_type_number_or_none(self):
        for returns, message in (
                (lambda x: x[..., :4], "q of rope is f32[2, 3, 4, 4], not "
                                       "f32[2, 3, 4, 8]"),
                (np.float64, "q of rope is f64[2, 3, 4, 8], not "
                             "f32[2, 3, 4, 8]"),
                (lambda x: (x, x, x), "rope returned a tuple of 3 for x"),
                (lambda x: None, "rope returned nothing: in_place=True judges "
                                 "what it writes"),
                (lambda x: "it", "q of rope is of type str, no array of numpy")):
            def rope(x, positions, base):
                return returns(x)
            rope.__qualname__ = "rope"
            self.assertIn(message, self.said(rope, "positions"))

    def test_what_is_written_is_judged_and_something_else_returned_is_not(self):
        def writes(x, positions, base):
            x[...] = 2
            return x + 1, "more"

        def returns(x, positions, base):
            return x + 1
        self.assertTrue(self.said(writes, "positions", in_place=True)
                        .startswith("ok"))
        self.assertIn("in_place=False judges what it returns",
                      self.said(returns, "positions", in_place=True))

    def test_a_table_that_is_overwritten_is_told(self):
        def table(dim, end):
            return np.ones((end, dim), np.float32), np.zeros((end, dim), np.float32)

        def spoils(q, k, cos, sin):
            cos[...] = 0
            return q, k
        self.assertIn("overwrites cos, which it was given",
                      self.said(spoils, "hf", precompute=table))

    def test_tables_of_other_axes_are_of_no_known_bug(self):
        given = request(q=tensor(1, 2, 1, 16), k=tensor(1, 2, 1, 16))
        given.arrays["cos"] = np.ones((1, 2, 8), np.float32)
        given.arrays["sin"] = np.zeros((1, 2, 8), np.float32)
        seen = []

        def rope(q, k, cos, sin, section):
            seen.append((cos[:, 0, 0, :8], np.repeat(np.arange(3), section)))
            return q, k
        like.kernel_of(rope, "mrope", arrays="numpy").solve(given)
        cos, axis = seen[0]
        for turn, due in enumerate(np.cos(np.arange(3))):
            found = cos[(axis + turn) % 3, np.arange(8)]
            np.testing.assert_allclose(found, due, rtol=1e-6)

    def test_whatever_a_function_raises_is_told_in_a_line(self):
        class Unprintable(Exception):
            def __str__(self):
                raise RuntimeError("not even this")

        for error, status, message in (
                (KeyboardInterrupt(), "failed", "KeyboardInterrupt"),
                (ValueError("caf\udce9" + 10_000_000 * "e"), "failed",
                 "ValueError: caf?" + 996 * "e"),
                (Unprintable(), "failed",
                 "Unprintable: (its message cannot be printed)"),
                (ropeproof.Unsupported("only on Sundays"), "unsupported",
                 "only on Sundays"),
                (ropeproof.Invalid("seq is odd"), "invalid", "seq is odd")):
            def raises(p):
                raise error
            with self.subTest(type(error)):
                found, said, _ = kernel(raises).solve(
                    request(q=tensor(1, 2, 1, 4)))
                self.assertEqual(found, status)
                self.assertEqual(re.sub(r"^like_test\.py:\d+: ", "", said),
                                 message)

    def test_a_result_may_be_an_input_or_have_no_memory_of_its_own(self):
        q = tensor(2, 3, 1, 4)
        for function, want in (
                (lambda p: p.q, q),
                (lambda p: np.broadcast_to(p.q[:1], p.q.shape), q[[0, 0]])):
            found = solve(function, request(q=q))["q"]
            self.assertTrue(found.flags.c_contiguous)
            np.testing.assert_array_equal(found, want)

    def test_an_object_takes_what_it_was_made_for(self):
        made = Offset(8, base=5e5)
        kernel = like.kernel_of(made, "offset", arrays="numpy")
        for size, base, status in ((8, 5e5, "ok"), (8, 1e4, "unsupported"),
                                   (4, 5e5, "unsupported")):
            given = request(q=tensor(1, 2, 1, size), base=bits(base))
            self.assertEqual(kernel.supports(given)[0], status)

    def test_a_class_of_a_metaclass_that_takes_anything_is_made(self):
        made = type("Meta", (type,), {
            "__call__": lambda cls, *given, **named: type.__call__(cls, *given, **named)})
        kernel = like.kernel_of(made("Rope", (Offset,), {}), "offset", arrays="numpy")
        given = request(q=tensor(1, 2, 1, 8), base=bits(5e5))
        self.assertEqual(kernel.solve(given)[0], "ok")

    def test_an_object_is_known_by_its_frequencies(self):
        class Module:
            def __init__(self, scale=1.0):
                self.inv_freq = scale * 5e5 ** -(np.arange(4, dtype=np.float32) / 4)

            def __call__(self, x, positions):
                phi = positions[..., None, None] * self.inv_freq
                return np.cos(phi)[:, :, 0], np.sin(phi)[:, :, 0]
            turned = __call__
        made = Module()
        for kernel in (
                like.kernel_of(made, "positions", arrays="numpy"),
                like.kernel_of(made.turned, "positions", arrays="numpy"),
                like.kernel_of(made, "hf_module", arrays="numpy", apply=hf)):
            for size, base, status in ((8, 5e5, "ok"), (8, 1e4, "unsupported"),
                                       (4, 5e5, "unsupported")):
                given = request(q=tensor(1, 2, 1, size), base=bits(base))
                self.assertEqual(kernel.supports(given)[0], status)
        with self.assertRaisesRegex(TypeError, "inv_freq of .*Module are no powers"):
            like.kernel_of(Module(scale=0.5), "positions", arrays="numpy")

    def test_tables_of_gigabytes_are_declined(self):
        def table(dim, end):
            return np.zeros((end, dim)), np.zeros((end, dim))
        for rows, status in ((131072, "unsupported"), (65536, "ok")):
            kernel = like.kernel_of(hf, "hf", precompute=table, max_position=rows - 1)
            given = request(q=tensor(1, 1, 1, 2048), k=tensor(1, 1, 1, 2048))
            self.assertEqual(kernel.supports(given)[0], status)

    def test_a_base_that_the_function_cannot_take_is_declined(self):
        def rope(x, positions):
            return x
        for base, status in ((1e4, "unsupported"), (5e5, "ok")):
            kernel = like.kernel_of(rope, "positions", arrays="numpy", base=5e5)
            given = request(q=tensor(1, 2, 1, 4), base=bits(base))
            self.assertEqual(kernel.supports(given)[0], status)


def main():
    Judged.program, Judged.vectors = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])


if __name__ == "__main__":
    main()
