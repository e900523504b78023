"""What judge() says of functions that keep something from call to call.

    python3 conformance/adapters/state_test.py BUILD_DIR
"""

import unittest
from unittest import mock

from test_functions import judge, my_rope, ropeproof, wrong_rope


class State(unittest.TestCase):
    """Wrong for what was called before, which in this process stays."""

    def first_base(self):
        kept = []

        def rope(p):
            kept.append(kept[0] if kept else p.base)
            p.base = kept[0]
            return my_rope(p)
        return rope

    def test_a_function_that_keeps_its_first_base_depends_on_earlier_calls(self):
        report = judge(self.first_base(), claim="A1")
        self.assertRegex(report, r"\ndepends on earlier calls: right in a "
                                 r"process of its own: smoke-\S+")
        self.assertTrue(set(report.depends_on_calls)
                        <= {f.id for f in report.failures})
        report = judge(wrong_rope, claim="A1")
        self.assertNotIn("earlier calls", report)
        self.assertEqual(report.depends_on_calls, ())

    def test_where_no_fork_is_possible_it_is_asked_again_here(self):
        calls = []

        def rope(p):  # wrong until it has been called often
            calls.append(p)
            return (wrong_rope if len(calls) < 12 else my_rope)(p)
        with mock.patch.object(ropeproof.fresh, "is_possible", lambda: False):
            report = judge(rope, claim="A1")
        self.assertRegex(report, "right when asked again, after others: smoke-")


if __name__ == "__main__":
    unittest.main()
