"""Which argument of a function gets what.

    python3 conformance/adapters/call_test.py
"""

import functools
import types
import unittest

from ropeproof.like.call import Call
from ropeproof.like.maker import Maker

HF = "q k cos sin"


def called(function, names, p=None, method=None, **given):
    """What a function returns whose every argument is its own name."""
    made = Call(function, "form", [names], given, method)
    if method:
        made = made.on(getattr(function(), method))
    return made(p, {name: name for name in made.names})


def rope(q, k, cos, sin):
    return q, k, cos, sin


def of_other_names(a, b, c, s):
    return a, b, c, s


def passed_on(function):
    """As torch.func.vmap has it: keywords are lost."""
    @functools.wraps(function)
    def inner(*args, **_):
        return function(*args)
    return inner


def by_keyword(function):
    @functools.wraps(function)
    def inner(**given):
        return function(**given)
    return inner


def filled_in(function):
    @functools.wraps(function)
    def inner(q, k):
        return function(q, k, "cos", "sin")
    return inner


class Rope:
    def __call__(self, *args):
        return rope(*args)

    def method(self, q, k, cos, sin):
        return q, k, cos, sin

    @staticmethod
    def static(q, k, cos, sin):
        return q, k, cos, sin

    @classmethod
    def of_class(cls, q, k, cos, sin):
        return q, k, cos, sin


class Called(unittest.TestCase):
    """What a function of other names gets."""

    def test_known_names_get_what_they_say_wherever_they_stand(self):
        p = types.SimpleNamespace(rotary_dim=4, base=5e5, pairing="interleaved",
                                  head_dim=8)

        def named(x, positions, *, base_frequency, interleaved, other=None):
            return x, positions, base_frequency, interleaved, other

        def tensors_of_other_names(inputs, place, theta):
            return inputs, place, theta

        def ids(t, input_pos=None):
            return t, input_pos

        def neither(data, where):
            return data, where

        def call(function, **given):
            return called(function, "x positions", p, **given)
        self.assertEqual(call(named), ("x", "positions", 5e5, True, None))
        self.assertEqual(call(named, other=lambda head_dim: 2 * head_dim),
                         ("x", "positions", 5e5, True, 16))
        self.assertEqual(call(tensors_of_other_names), ("x", "positions", 5e5))
        self.assertEqual(call(ids), ("x", "positions"))
        self.assertEqual(call(neither), ("x", "positions"))

    def test_a_dim_that_need_not_be_given_is_an_axis(self):
        def axis(x, positions, dim=-1):
            return dim

        def size(x, positions, dim):
            return dim
        p = types.SimpleNamespace(rotary_dim=4)
        for function, want in ((axis, -1), (size, 4)):
            made = Call(function, "positions", ["x positions"], {})
            self.assertEqual(made(p, dict(x=0, positions=0)), want)

    def test_a_function_of_one_tensor_is_not_taken_for_one_of_two(self):
        def one(a, cos, sin, unsqueeze_dim=1):
            return a
        made = Call(one, "hf", ["q k cos sin", "x cos sin"], {})
        self.assertEqual(made.names, ["x", "cos", "sin"])

    def test_whatever_passes_arguments_on_gets_all_of_them(self):
        def only_by_position(q, k, cos, sin, /):
            return q, k, cos, sin

        def only_by_name(*, sin, cos, k, q):
            return q, k, cos, sin

        def turned(cos, sin, q, k, /):
            return q, k, cos, sin

        def of_names_and_keywords(q, k, mask=None, *, cos, sin):
            return q, k, cos, sin

        def scaled(scale, q, k, cos, sin):
            return q, k, cos, sin
        for function in (
                rope, of_other_names, only_by_position, only_by_name, turned,
                of_names_and_keywords, lambda *args: args,
                passed_on(rope), passed_on(of_other_names), passed_on(turned),
                by_keyword(rope), passed_on(passed_on(rope)),
                functools.lru_cache(rope), functools.singledispatch(rope),
                functools.partial(scaled, 2), functools.partial(scaled, scale=2),
                functools.partial(passed_on(scaled), 2), Rope(), Rope().method,
                Rope.static, Rope.of_class):
            with self.subTest(function):
                self.assertEqual(called(function, HF), ("q", "k", "cos", "sin"))
        for method in ("__call__", "method", "static", "of_class"):
            with self.subTest(method):
                self.assertEqual(called(Rope, HF, method=method),
                                 ("q", "k", "cos", "sin"))

    def test_what_a_decorator_takes_counts_not_what_it_decorates(self):
        with self.assertRaisesRegex(TypeError, r"it takes \(q, k\)$"):
            called(filled_in(rope), HF)
        self.assertEqual(called(filled_in(rope), "q k"),
                         ("q", "k", "cos", "sin"))

    def test_any_arguments_are_those_of_the_form_but_for_what_comes_first(self):
        def more(*args, base):
            return *args, base

        def first(base, *args):
            return base, *args
        p = types.SimpleNamespace(base=5e5)
        self.assertEqual(called(more, "x positions", p), ("x", "positions", 5e5))
        with self.assertRaisesRegex(TypeError, r"it takes \(base, \*args\)"):
            called(first, "x positions", p)

    def test_what_makes_a_table_is_called_alike(self):
        def table(dim, end, /, theta=1e4):
            return dim, end, theta
        for function in (table, passed_on(table)):
            made = []
            subject = Maker(function, {}, rows=64).subject(
                lambda table, p: made.append(table))
            subject(rotary_dim=8, base=5e5)(None)
            self.assertEqual(made, [(8, 64, 5e5)])


if __name__ == "__main__":
    unittest.main()
