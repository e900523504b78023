"""Problems in parts of a few shapes are the same problems.

    python3 conformance/adapters/few_shapes_test.py BUILD_DIR
"""

import types
import unittest

import numpy as np

from test_functions import judge, my_rope, ropeproof
from ropeproof import like
from ropeproof_test import request, tensor
from like_functions import (Offset, cache_flat, flash_attn, hf, meta, onnx,
                            positions)


def of_any_head(x, offset):
    return Offset(x.shape[-1])(x, offset)


class FewShapes(unittest.TestCase):
    def test_a_model_is_asked_with_its_own_head(self):
        report = judge(positions, like="positions", arrays="numpy",
                       rounding="once", table_dtype="f32", few_shapes=True,
                       profile="llama2-f32-4k", tier=None)
        self.assertTrue(report.conforms, report)
        self.assertNotIn("DECLINED", report.verdicts)

    def judged(self, function, **how):
        """The report, and how many shapes the function saw."""
        shapes = set()

        def seen(*given, **more):
            shapes.add(tuple(np.shape(x) for x in given if np.ndim(x) > 1))
            return function(*given, **more)
        seen.__wrapped__ = function
        return judge(seen, arrays="numpy", **how), len(shapes)

    def test_a_call_for_each_token_has_an_end(self):
        kernel = like.kernel_of(of_any_head, "offset", arrays="numpy", few_shapes=True)
        asked = [kernel.supports(request(q=tensor(2, seq, 1, 16)))[0]
                 for seq in (512, 513)]
        self.assertEqual(asked, ["ok", "unsupported"])

    def test_another_word_is_refused(self):
        with self.assertRaisesRegex(ValueError, "few_shapes is 'some'; expected True"):
            ropeproof.decorator.kernel_of(
                my_rope, name="it", version="0", operations=["rope"], dtypes=["f32"],
                pairings=["half_split"], angle_class="A1", few_shapes="some")

    def test_each_operation_is_solved_in_parts(self):
        for function, how in (
                (positions, dict(like="positions", rounding="once",
                                 table_dtype="f32")),
                (hf, dict(like="hf")), (cache_flat, dict(like="cache_flat")),
                (meta, dict(like="meta")), (onnx, dict(like="onnx")),
                (flash_attn, dict(like="flash_attn")),
                (of_any_head, dict(like="offset"))):
            with self.subTest(how["like"]):
                report, many = self.judged(function, **how)
                self.assertTrue(report.conforms, report)
                report, few = self.judged(function, few_shapes=True, **how)
                self.assertTrue(report.conforms, report)
                self.assertLess(few, many)
                self.assertGreater(report.verdicts["PASS"], 10)

    def test_small_problems_of_a_head_have_one_shape(self):
        for form, function in (("cache_flat", cache_flat), ("offset", of_any_head)):
            shapes = []

            def seen(*given):
                shapes.append([np.shape(x) for x in given if np.ndim(x) > 1])
                return function(*given)
            seen.__wrapped__ = function
            made = like.kernel_of(seen, form, arrays="numpy", few_shapes=True)
            parted = []
            for places in ([5, 6, 9], [9, 4, 5, 6], range(3, 22)):
                size = len(places)
                asked = request(q=tensor(1, size, 2, 8), k=tensor(1, size, 1, 8),
                                positions=np.array([places]))
                if form == "cache_flat":
                    asked.fields.update(operation="lookup", cache="side_by_side",
                                        cache_rows=size + 3)
                    asked.arrays.update(ids=size - np.arange(size)[None],
                                        cos=tensor(size + 3, 8) / 100)
                whole = made._solve_one(asked)[2]
                shapes.clear()
                status, message, found = made.solve(asked)
                self.assertEqual(status, "ok", message)
                parted += shapes
                for (_, y), (_, want) in zip(found, whole):
                    np.testing.assert_allclose(y, want, rtol=1e-5)
            with self.subTest(form):
                self.assertEqual(len(set(map(str, parted))), 1)

    def test_a_wrong_function_is_wrong_in_parts(self):
        def wrong(p):
            y = my_rope(p)
            y[1, -1] = 0
            return y
        report = judge(wrong, claim="A1", few_shapes=True)
        self.assertFalse(report.conforms)
        self.assertGreater(report.verdicts["FAIL"], 5)

    def test_three_types_have_at_most_40_shapes(self):
        few = ropeproof.few_shapes
        for has_partial in (False, True):
            shapes = {(dtype, size, head_dim, rotary_dim)
                      for dtype in ("f32", "f16", "bf16")
                      for size in ((1, 1, 1), (2, 700, 8), (1, 9, 3000))
                      for head_dim in range(2, 300)
                      for rotary_dim in range(2, head_dim + 1, 2)
                      if few.takes(types.SimpleNamespace(
                          operation="rope", dtype=dtype, head_dim=head_dim,
                          rotary_dim=rotary_dim, batch=size[0], seq=size[1],
                          q_heads=size[2], k_heads=0), has_partial)}
            self.assertEqual(len(shapes), 40)

    def test_many_heads_and_tokens_have_a_shape_each(self):
        shapes = set()

        def rope(p):
            shapes.add(p.q.shape)
            return my_rope(p)
        for size, count in (((1, 3, 5), 1), ((2, 700, 8), 2), ((1, 2, 3000), 3)):
            made = ropeproof.decorator.kernel_of(
                rope, name="it", version="0", operations=["rope"], dtypes=["f32"],
                pairings=["half_split"], angle_class="A1", few_shapes=True)
            batch, seq, heads = size
            asked = request(q=tensor(batch, seq, heads, 8))
            status, message, found = made.solve(asked)
            self.assertEqual((status, len(shapes)), ("ok", count), message)
            whole = made._solve_one(asked)[2]
            np.testing.assert_array_equal(found[0][1], whole[0][1])
            shapes.discard(asked.arrays["q"].shape)


if __name__ == "__main__":
    unittest.main()
