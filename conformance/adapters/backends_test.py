"""What stands in for a device: what is declared, declined and said of it.

    python3 conformance/adapters/backends_test.py BUILD_DIR

A backend of this test runs everywhere; Triton's and Pallas's where they are installed, by
triton_backend_test.py and pallas_backend_test.py.
"""

import dataclasses
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest

import numpy as np

from test_functions import angles, folder, judge, my_rope, rotated, ropeproof

from ropeproof import backends, decorator
from ropeproof_test import request, tensor

PROGRAM = os.path.join(folder.name, "ropeproof", "bin", "ropeproof")
MADE_UP = backends.Backend(
    name="made-up", package="numpy", home="made_up", set_before={"MADE_UP": "1"},
    arrays="numpy", few_shapes=False, most_tokens=8, shows="sums", hides="sines",
    libraries=("numpy",), last_position=4095)
HOME = types.SimpleNamespace(is_so=lambda: True,
                             prepare=lambda: {"bf16": "it is made up"})


def said_by(function, *given, **how):
    try:
        function(*given, **how)
    except (ValueError, ropeproof.Error) as error:
        return str(error)
    return "nothing"


class Use(unittest.TestCase):
    def test_an_unknown_one_and_one_that_is_not_installed(self):
        self.assertIn("backend='tpu': known are triton-interpret,",
                      said_by(ropeproof.backend, "tpu"))
        self.assertIn("ropeproof.backends.cuda_as_cpp makes one of a .cu file",
                      said_by(judge, my_rope, backend="cuda-as-cpp"))
        absent = dataclasses.replace(MADE_UP, name="absent", package="no-such-package")
        backends.BACKENDS["absent"] = absent
        self.assertEqual(
            "backend='absent': no-such-package is not installed; pip install "
            "no-such-package", said_by(ropeproof.backend, "absent"))
        self.assertEqual(
            "my_rope: backend='absent': no-such-package is not installed; pip install "
            "no-such-package", said_by(judge, my_rope, backend="absent"))

    def test_one_whose_package_was_imported_the_other_way(self):
        sys.modules["ropeproof.backends.other_way"] = types.SimpleNamespace(
            is_so=lambda: False)
        backends.BACKENDS["other"] = dataclasses.replace(
            MADE_UP, name="other", home="other_way")
        self.assertEqual(
            "backend='other': numpy was imported before without MADE_UP=1; set it, or "
            "call ropeproof.backend('other') before that import",
            said_by(ropeproof.backend, "other"))



class Missing(unittest.TestCase):
    """What a machine lacks is one line and exit status 2, however a kernel is reached."""

    def refused(self, script, message):
        with tempfile.TemporaryDirectory() as made:
            adapter = pathlib.Path(made, "x.py")
            adapter.write_text(script)
            done = subprocess.run(
                [PROGRAM, "run", "--tier", "smoke", "--command", f"{sys.executable} {adapter}"],
                env={**os.environ, "PYTHONPATH": folder.name}, capture_output=True, text=True)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.splitlines()[1:], [])
        self.assertTrue(done.stderr.endswith(f"/x.py: {message}\n"), done.stderr)

    def test_a_package_a_module_and_a_driver_that_are_not_there(self):
        absent = ("import dataclasses, ropeproof\nfrom ropeproof import backends\n"
                  "backends.BACKENDS['absent'] = dataclasses.replace(\n"
                  "    backends.BACKENDS['pocl'], name='absent', package=%r, home=%r)\n"
                  "ropeproof.backend('absent')\n")
        self.refused(absent % ("no-such-package", "pocl"), "backend='absent': no-such-package "
                     "is not installed; pip install no-such-package")
        self.refused(absent % ("numpy", "no_such_home"), "backend='absent': No module named "
                     "'ropeproof.backends.no_such_home'")
        self.refused("import ropeproof\nimport no_such_module\n",
                     "x.py:2: No module named 'no_such_module'")

    def test_a_kernel_that_cannot_be_compiled_or_has_no_room(self):
        line = "x.cl: rope asks for 9 bytes of local memory; the device has 8"
        script = ("import ropeproof\n"
                  "@ropeproof.kernel(name='it', version='0', operations=['rope'],\n"
                  "                  dtypes=['f32'], pairings=['half_split'], angle_class='A1')\n"
                  f"def rope(p):\n    raise ropeproof.Error({line!r})\n"
                  "ropeproof.serve()\n")
        self.refused(script, line)

        def rope(p):
            raise ropeproof.Error(line)
        self.assertEqual(said_by(judge, rope), f"rope: {line}")

    def test_a_driver_that_fails_in_its_own_way(self):
        def prepare():
            raise RuntimeError("no device\nat all")
        sys.modules["ropeproof.backends.broken"] = types.SimpleNamespace(
            is_so=lambda: True, prepare=prepare)
        backends.BACKENDS["broken"] = dataclasses.replace(
            MADE_UP, name="broken", home="broken")
        self.assertEqual(f"backend='broken': numpy {np.__version__} cannot be used so: "
                         "RuntimeError: no device", said_by(ropeproof.backend, "broken"))


class Judged(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        backends.BACKENDS["made-up"] = MADE_UP
        sys.modules["ropeproof.backends.made_up"] = HOME
        cls.report = judge(my_rope, backend="made-up", dtypes=["f32", "bf16"],
                           claim="A1", details=True)

    def test_the_report_says_what_it_covers_first(self):
        version = np.__version__
        self.assertIn(f"  on       made-up {version}: sums; not sines\n", self.report)
        self.assertIn("  without  calls of more than 8 tokens of 32 heads; positions beyond "
                      "4095, where its sine is wrong;\n           bf16: it is made up\n", self.report)
        self.assertRegex(self.report, f"CONFORMS[A-Z ]* on made-up {version} ")
        self.assertEqual(self.report.json["description"]["backend"], dict(
            name="made-up", version=version, shows="sums", hides="sines",
            left_out=["calls of more than 8 tokens of 32 heads", "positions beyond 4095, where its "
                      "sine is wrong", "bf16: it is made up"]))
        self.assertEqual(self.report.json["description"]["max_position"], 4095)

    def test_what_it_gets_wrong_is_not_offered_and_what_is_large_is_declined(self):
        self.assertEqual(self.report.json["description"]["dtypes"], ["f32"])
        self.assertGreater(self.report.verdicts["DECLINED"], 0)
        whole = judge(my_rope, backend="made-up", claim="A1", most_tokens=0)
        self.assertNotIn("DECLINED", whole.verdicts)
        self.assertNotIn("calls of more", whole)

    def test_of_more_than_32_heads_fewer_tokens_are_taken(self):
        made = decorator.kernel_of(
            my_rope, name="it", version="0", operations=["rope"], dtypes=["f32"],
            pairings=["half_split"], angle_class="A1", backend="made-up")
        for seq, heads, status in ((8, 32, "ok"), (8, 33, "unsupported"), (4, 64, "ok")):
            self.assertEqual(
                made.supports(request(q=tensor(1, seq, heads, 4)))[0], status)

    def test_of_a_backend_that_is_slow_fewer_heads(self):
        backends.BACKENDS["slow"] = dataclasses.replace(
            MADE_UP, name="slow", most_heads=2)
        sys.modules["ropeproof.backends.made_up"] = HOME
        made = decorator.kernel_of(
            my_rope, name="it", version="0", operations=["rope"], dtypes=["f32"],
            pairings=["half_split"], angle_class="A1", backend="slow")
        for seq, heads, status in ((8, 2, "ok"), (8, 3, "unsupported"), (4, 4, "ok"),
                                   (9, 1, "unsupported")):
            self.assertEqual(
                made.supports(request(q=tensor(1, seq, heads, 4)))[0], status)
        self.assertIn("calls of more than 8 tokens of 2 heads",
                      made.description["backend"]["left_out"])

    def test_a_sine_as_far_off_as_that_of_special_function_units_is_wrong(self):
        def rope_of_units(p):  # of CUDA's table for __sinf and __cosf, within pi
            phi, off = angles(p), np.float32(2 ** -21.41)
            return rotated(p, np.cos(phi) + off, np.sin(phi) + off)
        self.assertFalse(judge(rope_of_units, claim="A1", diagnosis=False).conforms)
        self.assertTrue(judge(my_rope, claim="A1", diagnosis=False).conforms)

    def test_without_one_nothing_is_said(self):
        report = judge(my_rope, claim="A1")
        self.assertNotIn("backend", report.json["description"])
        self.assertNotIn("  on ", report)

    def test_an_error_names_the_line_that_the_package_calls_back(self):
        def launch(p):
            np.apply_along_axis(kernel, 0, p.q)

        def kernel(row):
            return np.reshape(row, (3, 5, 7))
        line = kernel.__code__.co_firstlineno + 1
        made = decorator.kernel_of(
            launch, name="it", version="0", operations=["rope"], dtypes=["f32"],
            pairings=["half_split"], angle_class="A1", backend="made-up")
        status, message, _ = made.solve(request(q=tensor(1, 2, 1, 4)))
        self.assertEqual(status, "failed")
        self.assertTrue(message.startswith(
            f"backends_test.py:{line}: ValueError: cannot reshape"), message)

    def test_one_result_is_judged_on_it_too(self):
        x = np.float32([[[[1, 2]]]])
        how = dict(positions=[257], backend="made-up")
        self.assertIn(f"on made-up {np.__version__}: sums; not sines",
                      self.failure(x.copy(), x, **how))
        bf16 = types.SimpleNamespace(dtype="bfloat16")
        self.assertEqual("backend='made-up': bf16: it is made up", said_by(
            ropeproof.assert_rope_close, bf16, bf16, **how))

    def failure(self, *given, **how):
        with self.assertRaises(AssertionError) as caught:
            ropeproof.assert_rope_close(*given, **how)
        return str(caught.exception)


def main():
    unittest.main(argv=sys.argv)


if __name__ == "__main__":
    main()
