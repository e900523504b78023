"""assert_rope_close, golden and bound, as a wheel has them.

    python3 conformance/adapters/closeness_test.py BUILD_DIR
"""

import json
import pathlib
import tempfile
import threading
import unittest
import unittest.mock

import numpy as np

from test_functions import ropeproof

close = ropeproof.assert_rope_close
rng = np.random.default_rng(7)


def rope(x, positions, pairing="half_split", base=10000.0, order="bshd",
         sign=1):
    """[batch, seq, heads, head_dim] in f32, as engines have it."""
    if order == "bhsd":
        return rope(x.swapaxes(1, 2), positions, pairing, base,
                    sign=sign).swapaxes(1, 2)
    pairs = x.shape[-1] // 2
    theta = np.float32(base) ** -(np.arange(pairs, dtype=np.float32) / pairs)
    phi = np.asarray(positions, np.float32)[..., None, None] * theta
    cos, sin = np.cos(phi), sign * np.sin(phi)
    if pairing == "half_split":
        u, v = x[..., :pairs], x[..., pairs:]
        return np.concatenate([u * cos - v * sin, u * sin + v * cos], -1)
    u, v = x[..., ::2], x[..., 1::2]
    return np.stack([u * cos - v * sin, u * sin + v * cos], -1).reshape(x.shape)


def turned(x, cos, sin):
    u, v = np.split(x, 2, -1)
    return np.concatenate([u * cos - v * sin, u * sin + v * cos], -1)


class Closeness(unittest.TestCase):
    def setUp(self):
        self.x = rng.standard_normal((2, 5, 3, 16), dtype=np.float32)
        self.positions = np.array([0, 1, 257, 513, 4097])

    def test_right_results_pass_in_each_form(self):
        for pairing in ("half_split", "interleaved"):
            y = rope(self.x, self.positions, pairing)
            close(y, self.x, positions=self.positions, pairing=pairing)
        x = np.ascontiguousarray(self.x.swapaxes(1, 2))
        close(rope(x, self.positions, order="bhsd"), x, order="bhsd",
              positions=self.positions)
        k = self.x[:, :, :1]
        close((rope(self.x, self.positions), rope(k, self.positions)),
              (self.x, k), positions=self.positions)
        close(rope(self.x, self.positions, base=5e5), self.x, base=5e5,
              positions=np.tile(self.positions, (2, 1)))
        close(rope(self.x, self.positions, sign=-1), self.x,
              positions=self.positions, direction="adjoint")
        theta = 10000.0 ** -(np.arange(8) / 8)
        close(rope(self.x, self.positions), self.x, positions=self.positions,
              inv_freq=theta)
        close(rope(self.x, self.positions / 4), self.x,
              positions=self.positions,
              scaling={"kind": "linear", "factor": 4})

    def test_given_tables_are_taken_as_they_are(self):
        phi = np.float32(0.1) * np.arange(40, dtype=np.float32).reshape(5, 8)
        cos, sin = np.cos(phi), np.sin(phi)
        u, v = np.split(self.x, 2, -1)
        c, s = cos[:, None], sin[:, None]
        y = np.concatenate([u * c - v * s, u * s + v * c], -1)
        close(y, self.x, cos=cos, sin=sin)
        close(y, self.x, cos=np.tile(cos, 2), sin=np.tile(sin, 2))
        with self.assertRaises(AssertionError):
            close(y, self.x, cos=cos, sin=-sin)

    def test_arrays_are_those_of_any_library_order_of_bytes_and_subclass(self):
        class Own(np.ndarray):
            pass

        class Converted:  # as TensorFlow's
            def __init__(self, array):
                self.array = array

            def __array__(self, dtype=None, copy=None):
                return self.array

        class Said:  # as tinygrad's and Paddle's
            def __init__(self, array):
                self.numpy = lambda: array
        x, y = self.x, rope(self.x, self.positions)
        for made in (lambda a: a.view(Own), Converted, Said,
                     lambda a: a.astype(a.dtype.newbyteorder(">"))):
            close(made(y), made(x), positions=made(self.positions))
            with self.assertRaises(AssertionError):
                close(made(x + 1), made(x), positions=made(self.positions))

    def test_tables_come_in_each_form_that_engines_have(self):
        x, phi = self.x, np.linspace(0, 9, 40, dtype=np.float32).reshape(5, 8)
        cos, sin = np.cos(phi), np.sin(phi)
        y = turned(x, cos[:, None], sin[:, None])
        beside = np.stack([cos, sin], -1)
        for table in (
                {"cos": cos, "sin": sin}, {"cos": cos[None, :, None], "sin": sin},
                {"cos": np.tile(cos, 2), "sin": np.tile(sin, 2)},
                {"cos_sin": np.concatenate([cos, sin], -1)},
                {"freqs_cis": (cos + 1j * sin).astype(np.complex64)},
                {"freqs_cis": beside},
                {"freqs_cis": np.stack([beside * [1, -1], beside[..., ::-1]],
                                       -2).astype(np.float32)}):
            table = {name: part if name != "sin" or part.ndim == np.ndim(
                table["cos"]) else part[None, :, None]
                for name, part in table.items()}
            with self.subTest({name: t.shape for name, t in table.items()}):
                close(y, x, **table)
                with self.assertRaisesRegex(AssertionError, "given"):
                    close(y + np.float32(1e-4), x, **table)
        rows = np.array([7, 3, 99, 0, 50])
        cache = np.zeros((2, 100, 8), np.float32)
        cache[0, rows], cache[1, rows] = cos, sin
        close(y, x, cos=cache[0], sin=cache[1], positions=rows)
        wide = [f(phi.astype(np.float64))[:, None] for f in (np.cos, np.sin)]
        exact = turned(x.astype(np.float64), *wide)
        close(exact.astype(np.float32), x, cos=wide[0], sin=wide[1])
        close(exact, x.astype(np.float64), cos=wide[0], sin=wide[1])

    def test_unlike_halves_of_a_table_belong_to_their_channels(self):
        x, (cos, sin) = self.x, rng.standard_normal((2, 5, 16), dtype=np.float32)
        u, v = np.split(x, 2, -1)
        beside = np.stack([-x[..., 1::2], x[..., ::2]], -1).reshape(x.shape)
        other = np.split(x * sin[:, None], 2, -1)
        for y, how in (
                (np.concatenate([-v, u], -1) * sin[:, None], {}),
                (beside * sin[:, None], {"pairing": "interleaved"}),
                (np.concatenate([other[1], -other[0]], -1),
                 {"direction": "adjoint"})):
            y = x * cos[:, None] + y
            close(y, x, cos=cos, sin=sin, **how)
            y[0, 1, 2, 12] += 1e-4
            with self.assertRaisesRegex(AssertionError, "1 of 480"):
                close(y, x, cos=cos, sin=sin, **how)

    def test_sequences_packed_one_behind_the_other(self):
        x = self.x.reshape(10, 3, 16)
        ends, places = np.array([0, 6, 6, 10]), np.r_[0:6, 0:4]
        y = rope(x[None], places)[0]
        close(y, x, order="thd", cu_seqlens=ends)
        with self.assertRaisesRegex(AssertionError, "position"):
            close(y, x, order="thd", positions=np.arange(10))
        y = rope(x[None], places + np.repeat([5, 70], [6, 4]))[0]
        close(y, x, order="thd", cu_seqlens=ends, offset=[5, 0, 70])
        close(rope(self.x, [[3], [40]] + np.arange(5)), self.x, offset=[3, 40])
        y = np.ascontiguousarray(rope(self.x, self.positions).swapaxes(0, 1))
        close(y, np.ascontiguousarray(self.x.swapaxes(0, 1)), order="sbhd",
              positions=self.positions)

    def test_axes_have_sections(self):
        places = np.array([[5, 6, 7, 8, 9], [1, 1, 2, 2, 3], [4, 5, 4, 5, 4]])
        phi = np.repeat(places, [4, 2, 2], 0).T * np.float32(
            1e4) ** -(np.arange(8, dtype=np.float32) / 8)
        y = turned(self.x, np.cos(phi, dtype=np.float32)[:, None],
                   np.sin(phi, dtype=np.float32)[:, None])
        three = np.repeat(places[:, None], 2, 1)
        close(y, self.x, positions=three, sections=[4, 2, 2])
        with self.assertRaises(AssertionError):
            close(y, self.x, positions=three, sections=[2, 4, 2])
        with self.assertRaisesRegex(ValueError, "3 axes: say sections"):
            close(y, self.x, positions=three)

    def test_a_config_says_what_the_model_computes(self):
        config = {"model_type": "llama", "head_dim": 16, "hidden_size": 64,
                  "num_attention_heads": 4, "rope_theta": 5e5}
        y = rope(self.x, self.positions, base=5e5)
        at = {"positions": self.positions}

        class Config:  # as transformers has them
            def to_dict(self):
                return config
        with tempfile.TemporaryDirectory() as here:
            file = pathlib.Path(here) / "config.json"
            file.write_text(json.dumps(config))
            for given in (config, Config(), file, str(file), here):
                close(y, self.x, config=given, **at)
        with self.assertRaisesRegex(AssertionError, "base"):
            close(rope(self.x, self.positions), self.x, config=config, **at)
        layered = {"model_type": "gemma3_text", "rope_theta": 1e6, "head_dim": 16,
                   "rope_local_base_freq": 5e5, "hidden_size": 64,
                   "num_attention_heads": 4}
        close(y, self.x, config=layered, layers="sliding_attention", **at)
        for given, line in ((layered, "choose by layers full_attention or s"),
                            ({"model_type": "bert"}, "has no RoPE"),
                            ("/no/such.json", "cannot be read"), (7, "a int"),
                            ({**config, "head_dim": 32}, "32")):
            with self.subTest(line), self.assertRaisesRegex(ValueError, line):
                close(y, self.x, config=given, **at)
        for how, line in (({"seq_len": -1}, "seq_len is -1"),
                          ({"seq_len": "a"}, "expected whole numbers"),
                          ({"layers": 0}, "layers is 0")):
            with self.subTest(line), self.assertRaisesRegex(ValueError, line):
                close(y, self.x, config=config, **how, **at)
        with self.assertRaisesRegex(ValueError, "says what base is"):
            close(y, self.x, config=config, base=1e4, **at)

    def test_a_config_is_read_anew_and_other_readings_of_it_are_told(self):
        at = {"positions": self.positions}
        config = {"model_type": "llama", "head_dim": 16, "hidden_size": 64,
                  "num_attention_heads": 4, "rope_theta": 5e5}
        with tempfile.TemporaryDirectory() as here:
            file = pathlib.Path(here) / "config.json"
            for base in (5e5, 1e6):
                file.write_text(json.dumps({**config, "rope_theta": base}))
                close(rope(self.x, self.positions, base=base), self.x,
                      config=file, **at)
        layered = {"model_type": "gemma3_text", "rope_theta": 1e6, "head_dim": 16,
                   "rope_local_base_freq": 1e4, "hidden_size": 64,
                   "num_attention_heads": 4}
        with self.assertRaisesRegex(AssertionError, "reading  the result is right "
                                    "for layers='sliding_attention'"):
            close(rope(self.x, self.positions), self.x, config=layered,
                  layers="full_attention", **at)
        llama3 = {"kind": "llama3", "factor": 8, "low_freq_factor": 1,
                  "high_freq_factor": 4, "original_length": 32768}
        exact = ropeproof.golden(self.x, scaling=llama3, **at)
        with self.assertRaisesRegex(AssertionError, "right for an original length "
                                    "of 32768, not 8192"):
            close(exact.astype(np.float32), self.x, **at,
                  scaling={**llama3, "original_length": 8192})

    def test_a_part_of_a_model_has_the_name_that_run_has_for_it(self):
        size = {"hidden_size": 64, "num_attention_heads": 4}
        config = {"model_type": "qwen2_5_vl",
                  "text_config": {"hidden_size": 512, "num_attention_heads": 4},
                  "vision_config": {"hidden_size": 64, "num_heads": 4}}
        rows = np.array([[5, 6, 7, 8, 9], [1, 1, 2, 2, 3]])
        theta = np.float32(1e4) ** -(np.arange(4, dtype=np.float32) / 4)
        phi = np.repeat(rows, 4, 0).T * np.tile(theta, 2)
        y = turned(self.x, np.cos(phi, dtype=np.float32)[:, None],
                   np.sin(phi, dtype=np.float32)[:, None])
        at = {"positions": np.repeat(rows[:, None], 2, 1), "config": config}
        close(y, self.x, layers="vision_config", **at)
        with self.assertRaises(AssertionError):
            close(-y, self.x, layers="vision_config", **at)
        with self.assertRaisesRegex(ValueError, "expected vision_config"):
            close(y, self.x, layers="vision", **at)
        # Layers with other heads are no reading of these tensors.
        wide = {"model_type": "gemma4_text", "head_dim": 16, **size,
                "global_head_dim": 32, "num_global_key_value_heads": 4,
                "layer_types": ["sliding_attention", "full_attention"]}
        read = []
        note = unittest.mock.patch("ropeproof.other_readings._is_right",
                                   lambda p, claim: read.append(p.head_dim))
        with note, self.assertRaises(AssertionError):
            close(-self.x, self.x, positions=self.positions, config=wide,
                  layers="sliding_attention")
        self.assertEqual(set(read), {16})

    def test_a_scaling_may_be_computed_from_its_parameters_in_f32(self):
        # As transformers computes llama3, for pairs between its two limits.
        theta = np.float32(1) / np.float32(5e5) ** (
            np.arange(64, dtype=np.float32) / np.float32(64))
        turns = np.float32(8192) * theta / np.float32(2 * np.pi)
        smooth = np.clip((turns - 1) / np.float32(3), 0, 1, dtype=np.float32)
        theta = (1 - smooth) * theta / np.float32(8) + smooth * theta
        x = rng.standard_normal((1, 64, 4, 128), dtype=np.float32)
        places = np.arange(16000, 16064)
        phi = places.astype(np.float32)[:, None, None] * theta
        y = turned(x, np.cos(phi), np.sin(phi))
        scaling = {"kind": "llama3", "factor": 8, "low_freq_factor": 1,
                   "high_freq_factor": 4, "original_length": 8192}
        close(y, x, positions=places, base=5e5, scaling=scaling)
        with self.assertRaises(AssertionError):
            close(y, x, positions=places, base=5e5, claim="A0", scaling=scaling)

    def test_a_call_leaves_the_interpreter_to_other_threads(self):
        x = rng.standard_normal((1, 512, 16, 128), dtype=np.float32)
        y, counted, is_over = rope(x, np.arange(512)), [0], threading.Event()

        def count():
            while not is_over.wait(0.001):
                counted[0] += 1
        close(y, x, positions=np.arange(512))
        thread = threading.Thread(target=count)
        thread.start()
        for _ in range(10):
            close(y, x, positions=np.arange(512))
        is_over.set()
        thread.join()
        self.assertGreater(counted[0], 20)

    def test_numbers_that_are_none_follow_their_rules(self):
        x = self.x.copy()
        x[0, 1, 0, 3], x[1, 2, 1, 0] = np.nan, np.inf
        y = rope(x, self.positions)
        close(y, x, positions=self.positions)
        y[0, 1, 0, 3] = 0
        with self.assertRaises(AssertionError):
            close(y, x, positions=self.positions)

    def test_where_a_claim_accepts_any_rotation_nothing_passes_in_silence(self):
        x, far = self.x, np.arange(5) + 2**40
        with self.assertRaisesRegex(ValueError, r"2\^40 and more: .* claim A1 "
                                    r"accepts any .* 480 of 480 elements .* not"):
            close(x.copy(), x, positions=far)
        with self.assertRaises(AssertionError) as failure:
            close(x.copy(), x, positions=far, claim="A0")
        # No looser claim is advised that cannot judge it.
        self.assertNotIn("  claim  ", str(failure.exception))
        some = np.array([0, 1, 2, 3, 2**40])
        y = rope(x, some)
        with self.assertRaisesRegex(ValueError, "96 of 480"):
            close(y, x, positions=some)
        close(y, x, positions=some, judged=0.75)
        with self.assertRaises(AssertionError):
            close(x.copy(), x, positions=some, judged=0.75)
        for share in (2, "all"):
            with self.assertRaisesRegex(ValueError, "judged is"):
                close(y, x, positions=some, judged=share)
        self.assertEqual(ropeproof.golden(x, positions=far).shape, x.shape)
        self.assertGreater(ropeproof.bound(x, positions=far).min(), 0)

    def test_empty_arrays_pass_if_their_shapes_agree(self):
        for shape in ((0, 5, 3, 16), (2, 0, 3, 16), (2, 5, 0, 16)):
            x = np.zeros(shape, np.float32)
            at = {"positions": np.arange(shape[1])}
            close(x.copy(), x, **at)
            self.assertEqual(ropeproof.golden(x, **at).shape, shape)
            with self.assertRaisesRegex(ValueError, "base"):
                close(x.copy(), x, base=-1.0, **at)
            with self.assertRaisesRegex(ValueError, "its result"):
                close(np.zeros((2, 5, 3, 16), np.float32), x, **at)
        x = np.zeros((0, 3, 16), np.float32)
        rows = np.zeros((0, 8), np.float32)
        for how in ({"positions": []}, {"cu_seqlens": [0]}, {"offset": 3},
                    {"cos": rows, "sin": rows}):
            close(x.copy(), x, order="thd", **how)
        q = np.zeros((2, 5, 0, 16), np.float32)
        with self.assertRaisesRegex(AssertionError, r"k\[0,1,0,0\]"):
            close((q.copy(), self.x.copy()), (q, self.x), offset=0)
        with self.assertRaisesRegex(ValueError, "no channels"):
            close(self.x[..., :0].copy(), self.x[..., :0], offset=0)

    def test_the_default_claim_is_no_looser_than_f32_angles(self):
        coarse = self.positions.astype(np.float16).astype(np.float32)
        y = rope(self.x, coarse)
        with self.assertRaises(AssertionError):
            close(y, self.x, positions=self.positions)
        close(y, self.x, positions=self.positions, judged=0.9,
              claim={"angle_class": "A3", "angle_dtype": "f16"})

    def test_what_rounds_to_infinity_may_be_infinite(self):
        x = np.full((1, 2, 1, 2), 6e4, np.float16)
        phi = np.arange(2, dtype=np.float32)[:, None, None]
        c, s, wide = np.cos(phi), np.sin(phi), np.float32(x)
        u, v = wide[..., :1], wide[..., 1:]
        with np.errstate(over="ignore"):
            y = np.concatenate([u * c - v * s, u * s + v * c],
                               -1).astype(np.float16)
        self.assertTrue(np.isinf(y).any())
        close(y, x, offset=0)
        y[np.isinf(y)] *= -1
        with self.assertRaises(AssertionError):
            close(y, x, offset=0)

    def test_a_dynamic_scaling_of_a_config_follows_the_positions(self):
        config = {"model_type": "phi3", "hidden_size": 32,
                  "num_attention_heads": 2, "rope_theta": 10000.0,
                  "max_position_embeddings": 64,
                  "original_max_position_embeddings": 8,
                  "rope_scaling": {"type": "longrope", "short_factor": [1.0] * 8,
                                   "long_factor": [4.0] * 8}}
        x = self.x[:, :2]
        exact = [ropeproof.golden(x, positions=range(2), config=config, **given)
                 for given in ({}, {"seq_len": 2}, {"seq_len": 64})]
        self.assertTrue((exact[0] == exact[1]).all())
        self.assertFalse((exact[0] == exact[2]).all())

    def test_numbers_in_bf16_are_numbers(self):
        class Halves:  # as torch has them; its bits would be 0, 16256, ...
            dtype = "torch.bfloat16"

            def float(self):
                return np.arange(5, dtype=np.float32)
        close(rope(self.x, np.arange(5)), self.x, positions=Halves())

    def test_goldens_and_bounds_have_the_shape_of_the_input(self):
        y = rope(self.x, self.positions)
        exact = ropeproof.golden(self.x, positions=self.positions)
        allowed = ropeproof.bound(self.x, positions=self.positions)
        self.assertEqual((exact.shape, exact.dtype), (y.shape, np.float64))
        self.assertTrue((np.abs(y - exact) <= allowed).all())
        x = np.ascontiguousarray(self.x.swapaxes(1, 2))
        other = ropeproof.golden(x, positions=self.positions, order="bhsd")
        self.assertTrue((other == exact.swapaxes(1, 2)).all())


if __name__ == "__main__":
    unittest.main()
