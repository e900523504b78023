"""What judge() does, with the program.

    python3 conformance/adapters/judge_test.py BUILD_DIR
"""

import contextlib
import gc
import io
import json
import os
import pathlib
import pty
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from unittest import mock

import numpy as np

from test_functions import (angles, exact_rope, folder, judge, my_rope,
                            ropeproof, wrong_rope)


class Verdicts(unittest.TestCase):
    def test_an_honest_function_conforms_at_its_claim(self):
        report = judge(my_rope, claim={"angle_class": "A1"}, version="2.1")
        self.assertTrue(report.conforms, report)
        self.assertEqual(report.exit_status, 0)
        self.assertEqual(report.level, "L1")
        self.assertEqual(report.failures, [])
        self.assertEqual(report.claims[0]["angle_class"], "A1")
        self.assertEqual(report.json["description"]["name"], "my_rope")
        self.assertEqual(report.json["description"]["version"], "2.1")
        measures = report.measures
        self.assertLessEqual(measures["worst_over_bound"], 1)
        self.assertIn(measures["worst_case"], report)
        self.assertEqual(measures["angle"], "A1")
        self.assertLess(measures["phase_rho"], 4)
        self.assertGreater(measures["class_ratio"]["A0"], 1)

    def test_the_text_is_that_of_the_terminal(self):
        report = judge(my_rope, claim={"angle_class": "A1"})
        lines = str(report).split("\n")
        self.assertRegex(lines[0], "^ropeproof .* tier smoke")
        self.assertRegex(lines[-1], "^engine my_rope 0: .* level L1, tier smoke")
        self.assertEqual(repr(report), str(report))

    def test_a_wrong_function_does_not_conform(self):
        report = judge(wrong_rope, claim={"angle_class": "A1"})
        self.assertFalse(report.conforms)
        self.assertEqual(report.exit_status, 1)
        self.assertEqual(len(report.failures), report.verdicts["FAIL"])
        first = report.failures[0]
        self.assertEqual((first.verdict, first.operation, first.dtype),
                         ("FAIL", "rope", "f32"))
        self.assertRegex(first.message, r"^q\[\d+,\d+,\d+,\d+\] is .* x the bound$")
        self.assertIn(f'ropeproof.judge(..., cases=["{first.id}"])', report)
        again = judge(wrong_rope, claim={"angle_class": "A1"}, cases=[first.id])
        self.assertEqual({f.id for f in again.failures}, {first.id})

    def test_a_verdict_alone_has_no_diagnosis(self):
        def verdicts(**how):
            report = judge(wrong_rope, claim={"angle_class": "A1"}, **how)
            return report.json["diagnoses"], report.verdicts
        explained, verdict = verdicts()
        self.assertTrue(explained)
        self.assertEqual(verdicts(diagnosis=False), ([], verdict))

    def test_what_is_required_is_held_to(self):
        claim = {"angle_class": "A1"}
        self.assertTrue(judge(my_rope, claim=claim, require="L1").conforms)
        self.assertFalse(judge(my_rope, claim=claim, require="L2").conforms)

    def test_a_model_is_asked_for(self):
        report = judge(my_rope, tier=None, model="llama-2", dtypes="f32",
                       positions=64, heads="2,1")
        self.assertIn("llama-2", report)
        with self.assertRaisesRegex(ropeproof.Error, "need one dtype"):
            judge(my_rope, tier=None, model="llama-2")

    def test_a_class_is_judged_by_its_objects(self):
        class Rope:
            def __init__(self, base):
                self.base = base

            def __call__(self, p):
                return my_rope(p)
        report = judge(Rope, claim={"angle_class": "A1"})
        self.assertTrue(report.conforms, report)

    def test_what_needs_a_fresh_process_is_unsupported(self):
        report = judge(my_rope, claim={"angle_class": "A1"},
                       features=["deterministic"])
        self.assertTrue(report.conforms, report)
        self.assertEqual(report.level, "L1+D")
        self.assertIn("a fresh process of this kernel",
                      [c.get("reason") for c in report.json["checks"]
                       if c["verdict"] == "UNSUPPORTED"
                       and c.get("aspect") == "one thread or many"])


class BadInput(unittest.TestCase):
    def assert_fails(self, function, message, **more):
        report = judge(function, claim={"angle_class": "A1"}, **more)
        self.assertFalse(report.conforms)
        self.assertRegex(report.failures[0].message, message)
        self.assertNotIn("\n", report.failures[0].message)
        return report

    def test_an_exception_fails_with_file_and_line(self):
        def raises(p):
            if p.seq > 3:
                raise KeyError("no table")
            return my_rope(p)
        report = self.assert_fails(
            raises, r"judge_test\.py:\d+: KeyError: 'no table'")
        self.assertGreater(report.verdicts["PASS"], 0)
        self.assert_fails(lambda p: sys.exit(3), "SystemExit: 3$")
        self.assert_fails(lambda p: sys.exit(), "SystemExit$")

    def test_a_deep_exception_has_the_line_of_the_kernel(self):
        def raises(p):
            return np.linalg.inv(p.q[0, 0, 0])  # this line
        line = raises.__code__.co_firstlineno + 1
        self.assert_fails(raises, rf"judge_test\.py:{line}: LinAlgError: ")

        def wraps(p):
            try:
                raises(p)
            except Exception:
                raise json.JSONDecodeError("a failure elsewhere", "", 0)
        self.assert_fails(wraps, r"judge_test\.py:\d+: JSONDecodeError: ")

    def test_a_function_that_overwrites_what_it_was_given_fails(self):
        def spoils(p):
            y = my_rope(p)
            p.q[...] = 0
            return y
        self.assert_fails(spoils, "overwrites q, which it was given")

        def moves(p):
            y = my_rope(p)
            p.positions += 1
            return y
        self.assert_fails(moves, "overwrites positions, which it was given")

        def in_place(p):
            p.q[...] = my_rope(p)
            return p.q
        report = judge(in_place, claim={"angle_class": "A1"})
        self.assertTrue(report.conforms, report)

    def test_dtypes_are_those_of_a_library_too(self):
        for dtypes in (np.float32, [np.dtype("float32")], ["float32"], "f32"):
            report = judge(my_rope, claim="A1", dtypes=dtypes)
            self.assertTrue(report.conforms, report)
        with self.assertRaisesRegex(ropeproof.Error, "dtype; say dtypes="):
            judge(my_rope, dtype="f32")

    def test_an_exception_has_one_name_whatever_the_sizes_and_promises(self):
        def raises(p):
            if p.seq > 1:
                raise ValueError(f"no table for {p.seq} tokens")
            return my_rope(p)
        report = judge(raises, claim={"angle_class": "A1"})
        named, = report.json["diagnoses"]
        self.assertRegex(named["what"], r"^ends with an error: judge_test\.py:\d+: "
                                        r"ValueError: no table for \d+ tokens$")
        self.assertEqual(named["where"], "seq > 1")
        self.assertEqual(named["checks"], report.verdicts["FAIL"])
        self.assertRegex(report, r"\n  where    \d+ of \d+ failing checks; ")
        self.assertIn("20 calls",
                      [f.check.get("aspect") for f in report.failures])

    def test_a_result_of_another_shape_or_type_fails(self):
        self.assert_fails(lambda p: p.q[:, :1, :, :-1], r"q is f32\[.*, not ")
        self.assert_fails(lambda p: p.q.astype(np.float64),
                          r"q is f64\[.*, not f32")
        self.assert_fails(lambda p: (p.q, p.q, p.q), "returned a tuple of 3 for q")
        self.assert_fails(lambda p: None, "the kernel returned nothing for q")
        self.assert_fails(lambda p: "it", "q is of type str, no array of numpy")
        self.assert_fails(lambda p: np.ma.masked_array(my_rope(p), p.q > 0),
                          "q has masked elements$")
        whole = judge(lambda p: np.ma.masked_array(my_rope(p), False),
                      claim={"angle_class": "A1"})
        self.assertTrue(whole.conforms, whole)

    def hang(self, wait):
        calls = []

        def hangs(p):
            calls.append(p)
            if len(calls) == 20:
                wait()
            return my_rope(p)
        before = signal.getsignal(signal.SIGINT)
        started = time.monotonic()
        report = judge(hangs, claim={"angle_class": "A1"}, time_limit_ms=500)
        self.assertLess(time.monotonic() - started, 60)
        self.assertFalse(report.conforms)
        hung = report.failures[0]
        self.assertEqual(hung.verdict, "TIMEOUT")
        self.assertRegex(hung.message, "no answer within 500 ms$")
        self.assertEqual(len(report.failures), 1)  # the others are asked
        self.assertGreater(report.verdicts["PASS"], 10)
        self.assertEqual(signal.getsignal(signal.SIGINT), before)

    def test_a_function_that_hangs_gives_control_back(self):
        self.hang(lambda: time.sleep(3600))

        def computes():
            while True:
                with contextlib.suppress(Exception):
                    time.monotonic()
        self.hang(computes)

    def test_a_function_that_hangs_has_no_claim(self):
        report = judge(lambda p: time.sleep(3600), time_limit_ms=100)
        self.assertFalse(report.conforms)
        self.assertGreater(report.verdicts["TIMEOUT"], 10)
        self.assertNotIn("FAIL", report.verdicts)

    def test_what_nothing_interrupts_is_told_of(self):
        def stubborn():
            until = time.monotonic() + 3
            while time.monotonic() < until:
                with contextlib.suppress(BaseException):
                    time.sleep(1)
        with tempfile.TemporaryFile() as said:
            kept = os.dup(2)
            os.dup2(said.fileno(), 2)
            try:
                with mock.patch.object(ropeproof.program, "GIVE_UP_S", 1):
                    self.hang(stubborn)
            finally:
                os.dup2(kept, 2)
                os.close(kept)
            said.seek(0)
            self.assertRegex(
                said.read().decode(),
                r"^ropeproof: hangs has not returned for \d+ s after its time "
                r"limit, and catches what interrupts it, at \S+judge_test\.py:"
                r"\d+: .*kill \d+.*\n$")

    def test_a_function_that_hangs_in_another_thread_gives_control_back(self):
        def computes():
            while True:
                pass
        found = []
        thread = threading.Thread(
            target=lambda: found.append(self.hang(computes)))
        thread.start()
        thread.join()
        self.assertEqual(found, [None])

    def test_an_interruption_is_the_callers(self):
        def interrupted(p):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(3600)
        with self.assertRaises(KeyboardInterrupt):
            judge(interrupted, claim={"angle_class": "A1"})

    def test_what_cannot_be_judged_is_an_error_of_one_line(self):
        for message, function, more in (
                (r"^f: takes \(q, k\), not one Problem", lambda q, k: q,
                 dict(name="f")),
                ('^my_rope: pairings: "waltz"; known are', my_rope,
                 dict(pairings=["waltz"])),
                ("^my_rope: .*no-such-profile", my_rope,
                 dict(profile="no-such-profile", tier=None)),
                ("^my_rope: profile and tier", my_rope,
                 dict(profile="llama2-f32-4k")),
                ("^my_rope: .*smoke-rich-999", my_rope,
                 dict(cases=["smoke-rich-999"])),
                ("colour", my_rope, dict(colour="red")),
                *(("neither an angle_class nor dtypes", my_rope,
                   dict(claim=claim)) for claim in ({"angle": "A1"}, [], 3)),
                ('angle_class: "B1"; expected A0', my_rope, dict(claim="B1")),
                ("cannot be written", my_rope, dict(report="/no/such/file")),
                (r"^two lines: name", my_rope, dict(name="two\nlines")),
                ("no program", my_rope, dict(program="/no/such/program")),
                ("cannot be started", my_rope, dict(program=__file__))):
            more = {"claim": {"angle_class": "A1"}, **more}
            with self.subTest(message):
                if "started" in message and not os.access(__file__, os.X_OK):
                    message = "is no program"
                with self.assertRaisesRegex(ropeproof.Error, message) as raised:
                    judge(function, **more)
                self.assertNotIn("\n", str(raised.exception))

    def assert_cannot_be_judged(self, message, **more):
        with self.assertRaisesRegex(ropeproof.Error, message) as raised:
            judge(my_rope, claim={"angle_class": "A1"},
                  cases=["smoke-rich-009"], **more)
        self.assertNotIn("\n", str(raised.exception))

    def test_without_descriptors_it_is_an_error_of_one_line(self):
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        for files in range(3, 9):  # none free: 0, 1 and 2 are open
            with self.subTest(files=files):
                resource.setrlimit(resource.RLIMIT_NOFILE, (files, limits[1]))
                try:
                    self.assert_cannot_be_judged("open files")
                finally:
                    resource.setrlimit(resource.RLIMIT_NOFILE, limits)

    def test_without_a_place_for_files_it_is_an_error_of_one_line(self):
        with mock.patch.object(tempfile, "tempdir", "/no/such/folder"):
            self.assert_cannot_be_judged("^my_rope: .*/no/such/folder")
        self.assert_cannot_be_judged("^my_rope: .*'/dev/full' cannot be written: ",
                                     report="/dev/full")


class Process(unittest.TestCase):
    def test_a_function_that_closes_all_files_has_a_report_until_then(self):
        calls, files = [], []

        def closes(p):
            calls.append(p)
            if len(calls) == 20:
                os.closerange(3, 256)
                files.extend(open(os.devnull, "w") for _ in range(16))
            return my_rope(p)
        report = judge(closes, claim={"angle_class": "A1"})
        self.assertEqual(len(calls), 20)
        self.assertGreater(report.verdicts["PASS"], 0)
        self.assertRegex(report.failures[0].message, "closed its connection$")
        named, = report.diagnoses
        self.assertEqual(named["what"], "closes its connection to the suite")
        gc.collect()
        for file in files:  # none was taken for one of ours
            file.write("it")
            file.close()

    def test_a_fork_that_returns_gives_no_answer(self):
        before, forks = os.getpid(), []

        def forked(p):
            if not forks:
                forks.append(os.fork())
            return my_rope(p)
        report = judge(forked, claim={"angle_class": "A1"})
        if os.getpid() != before:
            os._exit(3)
        self.assertEqual(os.waitpid(forks[0], 0)[1], 0)
        self.assertTrue(report.conforms, report)

    def test_a_terminal_shows_how_far_it_is(self):
        process, terminal = pty.fork()
        if process == 0:
            os.environ["TERM"] = "xterm"
            judge(my_rope, claim="A1")
            os._exit(0)
        said = b""
        with contextlib.suppress(OSError):  # the end, of a terminal
            while part := os.read(terminal, 4096):
                said += part
        os.close(terminal)
        self.assertEqual(os.waitpid(process, 0)[1], 0)
        self.assertRegex(said, rb"\r.*\d+ of \d+ cases: smoke-\S+")
        self.assertTrue(said.endswith(b"\r\x1b[K"))

    def test_what_the_function_prints_is_seen(self):
        def talks(p):
            print("rotating")
            return my_rope(p)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            report = judge(talks, claim={"angle_class": "A1"})
        self.assertTrue(report.conforms)
        self.assertIn("rotating\n", out.getvalue())

    def test_it_is_called_in_this_process_and_thread(self):
        seen = set()

        def looks(p):
            seen.add((os.getpid(), threading.get_ident()))
            return my_rope(p)
        judge(looks, claim={"angle_class": "A1"})
        self.assertEqual(seen, {(os.getpid(), threading.get_ident())})

    def test_the_command_of_a_wheel_is_the_program(self):
        command = [sys.executable, "-c",
                   "import ropeproof.program as p; p.main()"]
        run = subprocess.run([*command, "list", "kernels"],
                             env={"PYTHONPATH": folder.name},
                             capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn(str(pathlib.Path(folder.name).resolve()), run.stdout)


if __name__ == "__main__":
    # In the background of a script it is ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    unittest.main()
