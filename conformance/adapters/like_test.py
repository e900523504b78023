"""A function of each form in NumPy, judged by the program: as it should be it
conforms, with a bug that such functions have it does not.

    python3 conformance/adapters/like_test.py PROGRAM VECTORS
    python3 conformance/adapters/like_test.py serve FORM [broken]
"""

import os
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
from ropeproof_test import bits, kernel, request, solve, tensor

broken = False


def turned(x, cos, sin, is_interleaved=False):
    """cos and sin [..., rotary_dim/2], as x has its dimensions. In x's type."""
    u, v = _pairs(x[..., :2 * cos.shape[-1]], is_interleaved)
    y, (a, b) = x.copy(), (u * cos - v * sin, u * sin + v * cos)
    if is_interleaved:
        y[..., 0:2 * cos.shape[-1]:2], y[..., 1:2 * cos.shape[-1]:2] = a, b
    else:
        y[..., :2 * cos.shape[-1]] = np.concatenate((a, b), axis=-1)
    return y


def _pairs(x, is_interleaved):
    return ((x[..., ::2], x[..., 1::2]) if is_interleaved
            else np.split(x, 2, axis=-1))


def angles(positions, dim, base):
    exponents = np.arange(0, dim, 2, dtype=np.float32) / np.float32(dim)
    inv_freq = np.float32(1) / np.float32(base) ** exponents
    return positions.astype(np.float32)[..., None] * inv_freq


def hf(q, k, cos, sin):
    """Bug: rotate_half without its sign."""
    half = cos.shape[-1] // 2
    cos, sin = cos[:, None, :, :half], sin[:, None, :, :half]
    if broken:
        return turned(q, cos, -sin), turned(k, cos, sin)
    return turned(q, cos, sin), turned(k, cos, sin)


def hf_interleaved(x, cos, sin):
    """Bug: a table in halves taken for one in pairs, or the other way round."""
    half = cos.shape[-1] // 2
    part = slice(None, half) if broken else slice(None, None, 2)
    return turned(x, cos[:, None, :, part], sin[:, None, :, part], True)


class HfModule:
    """Bug: positions in the type of q."""

    def __init__(self, config):
        self.base, self.dim = config.rope_parameters["rope_theta"], config.head_dim

    def __call__(self, x, position_ids):
        if broken:
            position_ids = position_ids.astype(np.float16)
        phi = angles(position_ids, self.dim, self.base)
        phi = np.concatenate((phi, phi), axis=-1)
        return np.cos(phi).astype(x.dtype), np.sin(phi).astype(x.dtype)


def meta(xq, xk, freqs_cis):
    """Bug: the conjugate, which rotates backward."""
    if broken:
        freqs_cis = freqs_cis.conj()
    cos, sin = freqs_cis.real[:, None], freqs_cis.imag[:, None]
    return [turned(np.float32(x), cos, sin, True).astype(x.dtype)
            for x in (xq, xk)]


def precompute_freqs_cis(dim, end, theta):
    return np.exp(1j * np.float64(angles(np.arange(end), dim, theta))).astype(
        np.complex64)


def vllm(positions, query, key, head_size, cos_sin_cache, is_neox):
    """Bug: the key is left as it was."""
    for x in (query,) if broken else (query, key):
        heads = x.reshape(len(positions), -1, head_size)
        cos, sin = np.split(cos_sin_cache[positions][:, None], 2, axis=-1)
        heads[...] = turned(heads, cos, sin, not is_neox)


def flashinfer(positions, query, key, head_size, cos_sin_cache, is_neox=True):
    """Bug: interleaved whatever is said."""
    found = []
    for x in (query, key):
        heads = x.reshape(len(positions), -1, head_size).astype(np.float32)
        cos, sin = np.split(cos_sin_cache[positions][:, None], 2, axis=-1)
        heads = turned(heads, cos, sin, broken or not is_neox)
        found.append(heads.reshape(x.shape).astype(x.dtype))
    return tuple(found)


def flashinfer_ids(q, k, pos_ids, rotary_dim=None, interleave=False,
                   rope_theta=1e4):
    """Bug: the theta that it has by itself."""
    phi = angles(pos_ids, rotary_dim, 1e4 if broken else rope_theta)
    cos, sin = np.cos(phi)[:, None], np.sin(phi)[:, None]
    return [turned(np.float32(x), cos, sin, interleave).astype(x.dtype)
            for x in (q, k)]


def flashinfer_ragged(q, k, indptr, offsets, rotary_dim=None, interleave=False,
                      rope_theta=1e4):
    """Bug: rows begin at position 0."""
    places = np.concatenate([
        np.arange(b - a) + (0 if broken else start)
        for a, b, start in zip(indptr, indptr[1:], offsets)])
    return flashinfer_ids(q, k, places, rotary_dim, interleave, rope_theta)


def onnx(x, position_ids, cos_cache, sin_cache, interleaved):
    """Bug: the rows in order, whatever the ids are."""
    if broken:
        position_ids = np.broadcast_to(np.arange(x.shape[2]) % len(cos_cache),
                                       position_ids.shape)
    return turned(x, cos_cache[position_ids][:, None],
                  sin_cache[position_ids][:, None], interleaved)


class Offset:
    """Bug: the first offset for all calls."""

    def __init__(self, dims, traditional=False, base=10000):
        self.dims, self.traditional, self.base = dims, traditional, base
        self.first = None

    def __call__(self, x, offset=0):
        if self.first is None or not broken:
            self.first = offset
        phi = angles(self.first + np.arange(x.shape[2]), self.dims, self.base)
        cos, sin = (f(phi).astype(x.dtype) for f in (np.cos, np.sin))
        return turned(x, cos, sin, self.traditional)


def positions(inputs, positions, *, base_frequency):
    """Bug: the positions of the first row for all rows."""
    phi = angles(positions[:1] if broken else positions, inputs.shape[-1],
                 base_frequency)[:, :, None]
    return turned(np.float32(inputs), np.cos(phi), np.sin(phi)).astype(
        inputs.dtype)


def te(t, freqs, tensor_format="sbhd", interleaved=False, cu_seqlens=None):
    """Bug: thd takes all tokens for one sequence, the others batch for seq."""
    part = slice(None, None, 2) if interleaved else slice(
        None, freqs.shape[-1] // 2)
    if tensor_format == "thd":
        places = np.concatenate([np.arange(b - a) for a, b in
                                 zip(cu_seqlens, cu_seqlens[1:])])
        if broken:
            places = np.arange(len(t)) % len(freqs)
        phi = freqs[places, 0, :, part]
    else:
        seq = 1 if (tensor_format == "bshd") != broken else 0
        phi = np.resize(freqs[:, 0], (t.shape[seq], *freqs.shape[2:]))[..., part]
        phi = phi[:, None] if seq == 0 else phi[None]
    return turned(t, np.cos(phi).astype(t.dtype), np.sin(phi).astype(t.dtype),
                  interleaved)


F32 = dict(table_dtype="f32", rounding="once")
FORMS = {
    "hf": (hf, dict(like="hf")),
    "hf-interleaved": (hf_interleaved, dict(
        like="hf", pairings=["interleaved"])),
    "hf_module": (HfModule, dict(like="hf_module", apply=hf)),
    "meta": (meta, dict(like="meta")),
    "meta-rope": (meta, dict(like="meta", precompute=precompute_freqs_cis)),
    "vllm": (vllm, dict(like="vllm")),
    "flashinfer": (flashinfer, dict(like="flashinfer")),
    "flashinfer-ids": (flashinfer_ids, dict(like="flashinfer")),
    "flashinfer-ragged": (flashinfer_ragged, dict(like="flashinfer")),
    "onnx": (onnx, dict(like="onnx")),
    "offset": (Offset, dict(like="offset", features=["keys", "partial"])),
    "positions": (positions, dict(like="positions", **F32)),
    "te-sbhd": (te, dict(like="te")),
    "te-bshd": (te, dict(like="te", tensor_format="bshd")),
    "te-thd": (te, dict(like="te", tensor_format="thd")),
}


def serve(form):
    function, declaration = FORMS[form]
    ropeproof.kernel(**declaration)(function)
    ropeproof.serve()


class Judged(unittest.TestCase):
    program, vectors = None, None

    def judged(self, *words):
        """Exit status and output of the program for a function of FORMS."""
        command = shlex.join([sys.executable, os.path.abspath(__file__), "serve",
                              *words])
        done = subprocess.run(
            [self.program, "run", "--vectors", self.vectors, "--tier", "smoke",
             "--command", command], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def test_each_form_conforms_and_its_bug_does_not(self):
        for form in FORMS:
            with self.subTest(form):
                status, said = self.judged(form)
                self.assertEqual(status, 0, said)
                status, said = self.judged(form, "broken")
                self.assertEqual(status, 1, said)
                self.assertNotIn("Error:", said)


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

    def test_a_base_that_the_function_cannot_take_is_declined(self):
        def rope(x, positions):
            return x
        for base, status in ((1e4, "unsupported"), (5e5, "ok")):
            kernel = like.kernel_of(rope, "positions", arrays="numpy", base=5e5)
            given = request(q=tensor(1, 2, 1, 4), base=bits(base))
            self.assertEqual(kernel.supports(given)[0], status)


def main():
    global broken
    if sys.argv[1] == "serve":
        broken = sys.argv[3:] == ["broken"]
        serve(sys.argv[2])
    else:
        Judged.program, Judged.vectors = sys.argv[1:3]
        unittest.main(argv=sys.argv[:1])


if __name__ == "__main__":
    main()
