"""assert_fused_close, as a wheel has it.

    python3 conformance/adapters/fused_test.py BUILD_DIR
"""

import unittest

import numpy as np

from closeness_test import rope
from test_functions import ropeproof

close = ropeproof.assert_fused_close
rng = np.random.default_rng(3)
BATCH, SEQ, HEADS, DIM, SLOTS = 2, 5, 3, 16, 24
POSITIONS = np.array([0, 1, 257, 513, 4097])
SLOT_OF = np.array([[3, 17, -1, 0, 22], [5, 9, 10, -1, 1]])


def rms_norm(x, weight, epsilon=1e-6):
    mean = np.mean(x * x, -1, keepdims=True, dtype=np.float32)
    return x / np.sqrt(mean + np.float32(epsilon)) * weight


def int8(y, scale):
    return np.clip(np.rint(y / scale), -128, 127).astype(np.int8)


class Fused(unittest.TestCase):
    def setUp(self):
        def numbers(*shape):
            return rng.standard_normal(shape, dtype=np.float32)
        self.q, self.k, self.v = (numbers(BATCH, SEQ, HEADS, DIM)
                                  for _ in range(3))
        self.weight = numbers(DIM)
        self.norm = {"epsilon": 1e-6, "q_weight": self.weight,
                     "k_weight": self.weight}

    def said(self, result, given, **how):
        with self.assertRaises(AssertionError) as caught:
            close(result, given, positions=POSITIONS, **how)
        return str(caught.exception)

    def test_a_norm_before_the_rotation(self):
        y = rope(rms_norm(self.q, self.weight), POSITIONS)
        close(y, self.q, positions=POSITIONS, norm=self.norm)
        plain = rope(self.q, POSITIONS)
        self.assertIn("x is rotated without its norm",
                      self.said(plain, self.q, norm=self.norm))
        no_weight = rope(rms_norm(self.q, 1), POSITIONS)
        self.assertIn("the norm has no weight",
                      self.said(no_weight, self.q, norm=self.norm))
        other = rope(rms_norm(self.q, self.weight, 1e-2), POSITIONS)
        self.assertIn("beyond their bound",
                      self.said(other, self.q, norm=self.norm))

    def test_results_of_8_bits(self):
        y = rope(self.q, POSITIONS)
        scale = np.abs(y).max(-1) / 127
        close(int8(y, scale[..., None]), self.q, positions=POSITIONS,
              scale={"q": scale})
        self.assertIn("multiplied by the scale", self.said(
            int8(rope(8 * self.q, POSITIONS), 0.5), 8 * self.q, scale={"q": 2}))
        self.assertIn("cut off", self.said(
            np.trunc(y / scale[..., None]).astype(np.int8), self.q,
            scale={"q": scale}))

    def test_fp8_of_torch(self):
        try:
            import torch
        except ImportError:
            self.skipTest("torch is not installed")
        y = torch.from_numpy(rope(self.q, POSITIONS))
        for kind in (torch.float8_e4m3fn, torch.float8_e5m2):
            close((y / 0.05).to(kind), torch.from_numpy(self.q),
                  positions=POSITIONS, scale={"q": 0.05})
            self.assertIn("without a scale", self.said(
                y.to(kind), torch.from_numpy(self.q), scale={"q": 0.05}))

    def cached(self, shift=0, is_head_major=False):
        """A cache of k and one of v, written by a right kernel."""
        before = rng.standard_normal((SLOTS, HEADS, DIM), dtype=np.float32)
        caches = {}
        for name, rows in (("k", rope(self.k, POSITIONS)), ("v", self.v)):
            after = before.copy()
            for b, s in np.ndindex(BATCH, SEQ):
                if SLOT_OF[b, s] >= 0:
                    after[SLOT_OF[b, s] + shift] = rows[b, s]
            pair = [x.reshape(6, 4, HEADS, DIM) for x in (before, after)]
            if is_head_major:
                pair = [x.swapaxes(1, 2) for x in pair]
            caches[name] = tuple(pair)
        return caches

    def test_a_paged_cache(self):
        how = dict(slots=SLOT_OF, v=self.v)
        q = rope(self.q, POSITIONS)
        for is_head_major, order in ((False, "nshd"), (True, "nhsd")):
            close((q, None), (self.q, self.k), positions=POSITIONS,
                  cache=self.cached(0, is_head_major), cache_order=order, **how)
        text = self.said((q, None), (self.q, self.k), cache=self.cached(1),
                         **how)
        self.assertIn("slots of the k cache that no token names changed", text)
        self.assertIn("of v are not in their slots", text)

    def test_a_function_of_a_paged_cache_is_asked_the_suite_s_questions(self):
        def kernel(fault):
            def fused_rope(positions, q, k, v, cos_sin_cache, key_cache,
                           value_cache, slot_mapping):
                cos, sin = np.split(cos_sin_cache[positions][:, None], 2, -1)
                width = 2 * cos.shape[-1]

                def turn(x):
                    a, b = np.split(x[..., :width], 2, -1)
                    return np.concatenate((a * cos - b * sin, a * sin + b * cos,
                                           x[..., width:]), -1).astype(x.dtype)
                kept = (slot_mapping >= -1 if fault == "padding"
                        else slot_mapping >= 0)
                slots = slot_mapping[kept]
                key_cache[slots] = turn(k)[kept]
                value_cache[slots] = (k if fault == "v" else v)[kept]
                return turn(q)
            return fused_rope

        def report(fault):
            return ropeproof.judge(kernel(fault), like="paged", dtypes=["f32"],
                                   tier="smoke")
        self.assertTrue(report("").conforms, report(""))
        self.assertIn("changed slot", str(report("padding")))
        self.assertIn("did not copy v of token", str(report("v")))

    def test_arguments_that_cannot_be_are_one_line(self):
        y = rope(self.q, POSITIONS)
        k = (self.q, self.k)
        cases = [
            (y, self.q, dict(norm={"eps": 1e-6}), "norm is"),
            (y, self.q, dict(norm={"epsilon": 1e-6, "q_weight": self.q}),
             "norm's q_weight has shape"),
            (y, self.q, dict(scale={"q": 2}), "scale has q, whose result"),
            (y, self.q, dict(scale={"k": 2}), "expected a dict of q"),
            (y, self.q, dict(norm={"epsilon": 1e-6, "roundings": 1.5}),
             "norm's roundings is 1.5"),
            (y.astype(np.uint8), self.q, {}, "is of bytes"),
            (y.astype(np.float16), self.q, {}, "the result for q is f16"),
            ((y, None), k, dict(slots=SLOT_OF), "slots and cache go together"),
            ((y, y), k, dict(slots=SLOT_OF, cache=self.cached(), v=self.v),
             "k goes to the cache"),
            ((y, None), k, dict(slots=SLOT_OF[:1], cache=self.cached(),
                                v=self.v), "slots has shape"),
            ((y, None), k, dict(slots=SLOT_OF + 2, cache=self.cached(),
                                v=self.v), "slots has 24"),
            ((y, None), k, dict(slots=SLOT_OF, cache=self.cached()),
             "give v and cache"),
            (y, self.q, dict(cos=y[0, :, 0, :8], sin=y[0, :, 0, :8],
                             positions=np.arange(SEQ)), "not a table")]
        for result, given, how, words in cases:
            with self.subTest(words), self.assertRaises(ValueError) as caught:
                close(result, given, **{"positions": POSITIONS, **how})
            self.assertIn(words, str(caught.exception))
            self.assertNotIn("\n", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
