"""What the decorator and a Problem do, without a runner.

    python3 conformance/adapters/ropeproof_test.py
"""

import importlib.util
import math
import struct
import tempfile
import unittest
from unittest import mock

import numpy as np

import ropeproof
from ropeproof import arrays, decorator, fresh
from ropeproof.problem import Problem, View
from ropeproof.request import Request


def bits(value):
    return struct.pack(">d", value).hex()


def request(q=None, k=None, positions=None, **fields):
    """A request for rope with these tensors."""
    x = q if q is not None else k
    batch, seq, _, head_dim = x.shape
    header = dict(
        operation="rope", dtype="f32", table_dtype="f32", pairing="half_split",
        direction=1, batch=batch, seq=seq, head_dim=head_dim,
        rotary_dim=head_dim, rotary_offset=0,
        q_heads=0 if q is None else q.shape[2],
        k_heads=0 if k is None else k.shape[2], position_axes=1, axis_map=None,
        axis_sections=[], cache=None, cache_rows=0, pair_distance=0,
        pairing_blocks=0, base=bits(1e4), amplitude=bits(1.0), permute_heads=0,
        permute_columns=0, scaling=None)
    header.update(fields)
    if positions is None:
        positions = np.arange(batch * seq).reshape(batch, seq)
    r = header["rotary_dim"]
    inv_freq = 1e4 ** -(np.arange(0, r, 2) / r)
    given = dict(q=q, k=k, positions=positions, inv_freq=inv_freq,
                 inv_freq_lo=np.zeros(r // 2))
    given = {name: a for name, a in given.items() if a is not None}
    header["buffers"] = [[name, a.nbytes] for name, a in given.items()]
    left = list(given.values())

    def read(array):
        array[...] = left.pop(0)
    return Request(header, read)


def tensor(*shape):
    return np.arange(math.prod(shape), dtype=np.float32).reshape(shape)


def kernel(subject, **keywords):
    words = dict(name="x", version="1", operations=["rope"], dtypes=["f32"],
                 pairings=["half_split"], angle_class="A1")
    ropeproof.kernel(**{**words, **keywords})(subject)
    return decorator.registered


def solve(subject, given, **keywords):
    status, message, results = kernel(subject, **keywords).solve(given)
    assert status == "ok", message
    return dict(results)


def scaling(kind, **values):
    lists = ("short_factor", "long_factor")
    names = ("factor", "original_length", "seq_len", "beta_fast", "beta_slow",
             "low_freq_factor", "high_freq_factor", "attention_factor",
             "mscale", "mscale_all_dim")
    made = dict(kind=kind, truncate=values.get("truncate", False))
    made.update((name, bits(values.get(name, 0))) for name in names)
    made.update((name, [bits(v) for v in values.get(name, [])])
                for name in lists)
    return made


class Description(unittest.TestCase):
    def test_the_words_of_one_claim_are_keywords(self):
        said = kernel(len, rounding="each", max_position=5).description
        self.assertEqual(said["claims"],
                         [dict(angle_class="A1", rounding="each")])
        self.assertEqual(said["max_position"], 5)
        self.assertEqual(said["features"], ["out_of_place"])
        self.assertNotIn("supports", said)

    def test_claims_are_by_dtype_or_as_the_protocol_has_them(self):
        words = dict(name="x", version="1", operations=[], dtypes=[],
                     pairings=[])
        ropeproof.kernel(**words, claims={"f32": dict(angle_class="A1"),
                                          "bf16": dict(angle_class="A2")})(len)
        self.assertEqual(decorator.registered.description["claims"],
                         [dict(angle_class="A1", dtypes=["f32"]),
                          dict(angle_class="A2", dtypes=["bf16"])])
        listed = [dict(angle_class="A0")]
        ropeproof.kernel(**words, claims=listed)(len)
        self.assertEqual(decorator.registered.description["claims"], listed)
        with self.assertRaises(TypeError):
            ropeproof.kernel(**words)(len)
        with self.assertRaises(TypeError):
            ropeproof.kernel(**words, claims=listed, angle_class="A1")(len)
        with self.assertRaisesRegex(TypeError, "a kernel has no name; say name="):
            ropeproof.kernel(dtypes=["f32"], claims=listed)(len)
        with self.assertRaisesRegex(TypeError, "no keyword of a kernel: rows"):
            ropeproof.kernel(**words, claims=listed, rows=3)(len)
        with self.assertRaisesRegex(TypeError, "supports is 3; expected a func"):
            ropeproof.kernel(**words, claims=listed, supports=3)(len)
        with self.assertRaisesRegex(ValueError, "most_tokens is -1; expected 0, for any"):
            ropeproof.kernel(**words, claims=listed, most_tokens=-1)(len)


class Arrays(unittest.TestCase):
    def test_the_kernel_gets_the_tensors_that_there_are(self):
        q, k = tensor(1, 2, 3, 4), tensor(1, 2, 1, 4)
        seen = []

        def both(p):
            seen.append(len(p.tensors))
            return 2 * p.tensors[0], 3 * p.tensors[-1]
        found = solve(both, request(q=q, k=k))
        np.testing.assert_array_equal(found["q"], 2 * q)
        np.testing.assert_array_equal(found["k"], 3 * k)
        self.assertEqual(list(solve(both, request(q=q))), ["q"])
        found = solve(both, request(k=k))
        np.testing.assert_array_equal(found["k"], 3 * k)
        self.assertEqual(seen, [2, 1, 1])
        found = solve(lambda p: (p.q, p.k), request(k=k), empty=True)
        self.assertEqual(list(found), ["k"])

    def test_heads_come_first_and_channels_are_the_windows(self):
        q = tensor(2, 3, 5, 8)
        given = request(q=q, rotary_dim=4, rotary_offset=2)

        def negate(p):
            self.assertEqual(p.q.shape, (2, 5, 3, 4))
            return -p.q
        found = solve(negate, given, heads_first=True, window=True)["q"]
        want = q.copy()
        want[..., 2:6] *= -1
        np.testing.assert_array_equal(found, want)

    def test_rows_and_runs_come_together_again(self):
        q = tensor(2, 5, 1, 2)
        positions = np.array([[3, 4, 5, 9, 10], [7, 6, 5, 5, 6]])
        want = q + positions[:, :, None, None]
        offsets = []

        def run(x, offset):
            offsets.append(offset)
            steps = np.arange(x.shape[2], dtype=np.float32)
            return x + offset + steps[:, None]
        for heads_first, function in (
                (True, lambda p: p.by_runs(run)),
                (False, lambda p: p.by_rows(
                    lambda x, row: x + np.float32(row[:, None, None])))):
            found = solve(function, request(q=q, positions=positions),
                          heads_first=heads_first)
            np.testing.assert_array_equal(found["q"], want)
        self.assertEqual(offsets, [3, 9, 7, 6, 5, 5])

    def test_a_cache_holds_cos_and_sin_of_each_position(self):
        made = {}

        def look(p):
            for layout in ("split", "side_by_side", "doubled"):
                made[layout] = p.cache_of(layout=layout)
            made["bf16"] = p.cache_of(4, dtype="bf16")
            return p.q
        solve(look, request(q=tensor(1, 2, 1, 4), amplitude=bits(2.0),
                            positions=np.array([[0, 5]])))
        angles = np.outer(np.arange(8), [1, 0.01])
        cos, sin = 2 * np.cos(angles), 2 * np.sin(angles)
        np.testing.assert_array_equal(made["split"][0], np.float32(cos))
        np.testing.assert_array_equal(made["side_by_side"],
                                      np.float32(np.hstack([cos, sin])))
        np.testing.assert_array_equal(made["doubled"][1],
                                      np.float32(np.hstack([sin, sin])))
        self.assertEqual(made["bf16"][0].shape, (4, 2))

    def test_f64_is_rounded_to_bf16_once(self):
        # Above a tie by less than f32 can hold, and the same below.
        tie = 1 + 2.0**-8
        values = np.array([tie, tie + 2.0**-40, tie - 2.0**-40, -tie - 2.0**-40,
                           0.0])
        found = arrays.bf16_to_f32(arrays.rounded(values, "bf16"))
        np.testing.assert_array_equal(
            found, np.float32([1, 1 + 2.0**-7, 1, -1 - 2.0**-7, 0]))
        patterns = np.uint16([0x7fc1, 0x7f81, 0x7f80])  # two NaNs, infinity
        np.testing.assert_array_equal(
            arrays.f32_to_bf16(arrays.bf16_to_f32(patterns)),
            [0x7fc1, 0x7fc1, 0x7f80])

    def test_arrays_of_other_libraries_go_there_and_back(self):
        for library in ("ml_dtypes", "torch", "jax", "mlx", "onnxruntime"):
            if importlib.util.find_spec(library) is None:
                continue
            to, back = arrays.LIBRARIES[library]
            with self.subTest(library):
                for dtype in ("f32", "f16", "bf16"):
                    array = np.arange(24, dtype=arrays.DTYPES[dtype])
                    array = array.reshape(2, 3, 4).swapaxes(0, 1)
                    there = to(array, dtype)
                    self.assertEqual("bf16" == dtype,
                                     "bfloat16" in str(getattr(
                                         there, "dtype", None)
                                         or there.data_type()))
                    np.testing.assert_array_equal(back(there), array)
                self.assertEqual(back(to(np.int64([5]))).tolist(), [5])

    @unittest.skipIf(importlib.util.find_spec("torch") is None, "no torch")
    def test_a_tensor_that_is_not_dense_is_named_in_a_line(self):
        import torch
        for made, message in (
                (lambda x: torch.nested.nested_tensor(list(x)), "is nested"),
                (torch.Tensor.to_sparse, "is torch.sparse_coo"),
                (lambda x: x.to("meta"), "is on the device meta")):
            status, said, _ = kernel(lambda p: made(p.q), arrays="torch").solve(
                request(q=tensor(1, 2, 1, 4)))
            self.assertEqual(status, "failed")
            self.assertIn(f"q of type Tensor cannot be read: {message}, not "
                          f"dense", said)


class Objects(unittest.TestCase):
    def test_one_object_is_kept_for_each_set_of_its_arguments(self):
        made = []

        class Rope:
            def __init__(self, base, scaling):
                made.append((base, scaling and scaling["factor"]))

            def __call__(self, p):
                return p.q
        subject = kernel(Rope)
        x = tensor(1, 2, 1, 4)
        for fields in ({}, {"base": bits(5.0)},
                       {"scaling": scaling("linear", factor=2)},
                       {"scaling": scaling("linear", factor=2, seq_len=9)},
                       {}):
            self.assertEqual(subject.solve(request(q=x, **fields))[0], "ok")
        self.assertEqual(made, [(1e4, None), (5.0, None), (1e4, 2.0)])
        for base in range(2, 20):
            subject.solve(request(q=x, base=bits(base)))
        self.assertLessEqual(len(subject._objects), decorator.OBJECT_LIMIT)


    def test_what_takes_any_arguments_gets_none(self):
        class Rope:
            def __init__(self, *args, base, **kwargs):
                assert not args and not kwargs and base == 1e4

            def __call__(self, p):
                return p.q
        self.assertEqual(kernel(Rope).solve(request(q=tensor(1, 2, 1, 4)))[:2],
                         ("ok", None))


class Gradients(unittest.TestCase):
    @unittest.skipIf(importlib.util.find_spec("torch") is None, "no torch")
    def test_in_inference_mode_it_is_not_the_function_that_has_none(self):
        import torch
        with torch.inference_mode():
            said = kernel(lambda p: -p.q, arrays="torch", backward=True).solve(
                request(q=tensor(1, 2, 1, 4), direction=-1))[1]
        self.assertIn("inference_mode that the caller is in", said)

    @unittest.skipIf(importlib.util.find_spec("jax") is None, "no jax")
    def test_a_function_of_jax_may_take_what_it_is_given(self):
        import jax
        takes = jax.jit(lambda x: -x, donate_argnums=0)
        found = solve(lambda p: takes(p.q), request(
            q=tensor(1, 2, 1, 4), direction=-1), arrays="jax", backward=True)
        np.testing.assert_array_equal(found["q"], -tensor(1, 2, 1, 4))

    def test_the_adjoint_is_the_gradient_where_a_library_forms_one(self):
        for library, words in (("torch", "torch cat"),
                               ("jax", "jax.numpy concatenate"),
                               ("mlx", "mlx.core concatenate")):
            if importlib.util.find_spec(library) is None:
                continue
            module, join = words.split()
            join = getattr(importlib.import_module(module), join)

            def forward(p):
                self.assertEqual(p.direction, 1)
                return [join([-2 * x[..., 1:2], x[..., :1], x[..., 2:]], -1)
                        for x in p.tensors]

            def in_pieces(p):
                return p.by_rows(lambda x, _: x)
            g = np.float32([[3, 5, -0.0, np.nan]]).reshape(1, 1, 1, 4)
            g.view(np.uint32)[..., 3] = 0x7fc00123
            declared = dict(arrays=library, backward=True)
            with self.subTest(library):
                found = solve(forward, request(q=g, k=g, direction=-1),
                              **declared)["k"]
                want = g.copy()
                want[..., :2] = [5, -6]
                np.testing.assert_array_equal(found.view(np.uint32),
                                              want.view(np.uint32))
                self.assertIn("adjoint", decorator.registered.description[
                    "features"])
                message = kernel(in_pieces, **declared).solve(
                    request(q=g, direction=-1))[1]
                self.assertIn("by_rows and by_runs have no gradient", message)


class Fresh(unittest.TestCase):
    def test_a_process_with_an_open_device_is_not_forked(self):
        self.assertFalse(fresh._has_device())
        with tempfile.NamedTemporaryFile() as file:
            with mock.patch.object(fresh, "DEVICES", (file.name,)):
                self.assertTrue(fresh._has_device())
                self.assertFalse(fresh.is_possible())


class HuggingFace(unittest.TestCase):
    def configuration(self, head_dim=16, view=View(), **fields):
        given = request(q=tensor(1, 1, 1, head_dim), **fields)
        return Problem(given, view).hugging_face

    def test_each_scaling_has_its_parameters(self):
        rope = self.configuration()
        self.assertEqual(rope["head_dim"], 16)
        self.assertEqual(rope["rope_parameters"],
                         dict(rope_type="default", rope_theta=1e4,
                              partial_rotary_factor=1))
        for given, length, want in (
                (scaling("linear", factor=4), None,
                 dict(rope_type="linear", factor=4)),
                (scaling("dynamic_ntk", factor=2, original_length=512,
                         seq_len=700), 512,
                 dict(rope_type="dynamic", factor=2)),
                (scaling("yarn", factor=4, original_length=512, beta_fast=32,
                         beta_slow=1, mscale=0.7, mscale_all_dim=0.5), 2048,
                 dict(rope_type="yarn", factor=4, beta_fast=32, beta_slow=1,
                      mscale=0.7, mscale_all_dim=0.5, truncate=False,
                      original_max_position_embeddings=512)),
                (scaling("long_rope", factor=2, original_length=512,
                         short_factor=[1] * 8, long_factor=[2] * 8,
                         seq_len=600), 1024,
                 dict(rope_type="longrope", factor=2, short_factor=[1] * 8,
                      long_factor=[2] * 8,
                      original_max_position_embeddings=512)),
                (scaling("llama3", factor=8, original_length=512,
                         low_freq_factor=1, high_freq_factor=4), 4096,
                 dict(rope_type="llama3", factor=8, low_freq_factor=1,
                      high_freq_factor=4,
                      original_max_position_embeddings=512))):
            with self.subTest(given["kind"]):
                found = self.configuration(scaling=given)
                self.assertEqual(found["rope_parameters"],
                                 dict(want, rope_theta=1e4,
                                      partial_rotary_factor=1))
                if length:
                    self.assertEqual(found["max_position_embeddings"], length)

    def test_the_rotated_part_is_exact_as_transformers_computes_it(self):
        for head_dim in range(2, 300):
            for rotary_dim in range(2, head_dim, 2):
                rope = self.configuration(head_dim, rotary_dim=rotary_dim)
                rope = rope["rope_parameters"]
                self.assertEqual(int(head_dim * rope["partial_rotary_factor"]),
                                 rotary_dim)

    def test_sections_are_m_ropes_where_a_kernel_has_axes(self):
        def section(**fields):
            found = self.configuration(view=View(has_axes=True), **fields)
            return found["rope_parameters"]["mrope_section"]
        self.assertEqual(section(axis_map="sections", axis_sections=[4, 2, 2]),
                         [4, 2, 2])
        self.assertEqual(section(), [8, 0, 0])
        self.assertNotIn("mrope_section",
                         self.configuration()["rope_parameters"])


if __name__ == "__main__":
    unittest.main()
