"""The coverage model of vectors/coverage/model.json: its classes and its rules.

Classes are numbered through all dimensions; `domains` is a bool array [rows,
classes] that says which classes each row may still have. A row is complete when
every dimension has one left.
"""

import itertools
import json

import numpy

FORMAT = "ropeproof-coverage/1"
NO_SIZE = 2.0**99  # of a dimension that has no class left
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class BadModel(Exception):
    """What is wrong with a model, in one line."""


def need(condition, message):
    if not condition:
        raise BadModel(message)


def without_duplicates(pairs):
    keys = [key for key, _ in pairs]
    for key in keys:
        need(keys.count(key) == 1, f'the key "{key}" is there twice')
    return dict(pairs)


def is_list_of(kind, value):
    return isinstance(value, list) and all(type(entry) is kind for entry in value)


class Dimension:
    """A name and its classes; `lows` is None unless they are ranges of numbers."""

    def __init__(self, entry):
        need(isinstance(entry, dict) and type(entry.get("name")) is str,
             "a dimension has no name")
        self.name, self.lows = entry["name"], None
        where = f'dimension "{self.name}"'
        if set(entry) == {"name", "low", "high"}:
            low, high = entry["low"], entry["high"]
            need(is_list_of(int, low) and is_list_of(int, high),
                 f"{where}: low and high are lists of whole numbers")
            need(len(low) == len(high), f"{where}: {len(low)} low and {len(high)} high")
            spans = list(zip(low, high))
            need(all(0 <= a <= b for a, b in spans), f"{where}: a range is empty or negative")
            need(all(a[1] < b[0] for a, b in itertools.pairwise(spans)),
                 f"{where}: ranges overlap, or descend")
            self.lows = low
            self.classes = [str(a) if a == b else f"{a}-{b}" for a, b in spans]
        else:
            need(set(entry) == {"name", "classes"} and is_list_of(str, entry["classes"]),
                 f"{where} needs classes, or low and high, and nothing else")
            self.classes = entry["classes"]
        for name in self.classes:
            need(self.classes.count(name) == 1, f'{where}: class "{name}" is there twice')
        need(2 <= len(self.classes) <= len(DIGITS),
             f"{where}: {len(self.classes)} classes, 2 to {len(DIGITS)} are possible")


class Model:
    """Dimensions and rules.

    offsets  the number of each dimension's first class, and that of all classes
    of       the dimension of each class
    masking  whether a class hides what else is wrong: a row shows a tuple only if the
             tuple has all masking classes of the row
    """

    def __init__(self, text):
        try:
            model = json.loads(text, object_pairs_hook=without_duplicates)
        except (ValueError, RecursionError) as error:
            raise BadModel(f"not JSON: {error}") from None
        keys = ("format", "dimensions", "never", "masking", "at_most")
        need(isinstance(model, dict) and set(model) == set(keys), f"needs {', '.join(keys)}")
        need(model["format"] == FORMAT, f'the format is not "{FORMAT}"')
        for key in keys[1:]:
            need(is_list_of(dict, model[key]), f"{key} is not a list of objects")
        self.dimensions = [Dimension(entry) for entry in model["dimensions"]]
        names = [dimension.name for dimension in self.dimensions]
        for name in names:
            need(names.count(name) == 1, f'dimension "{name}" is there twice')
        need(len(names) >= 3, "fewer than three dimensions have no triples")
        self.index = {name: i for i, name in enumerate(names)}
        sizes = [len(dimension.classes) for dimension in self.dimensions]
        self.offsets = numpy.concatenate([[0], numpy.cumsum(sizes)])
        self.of = numpy.repeat(numpy.arange(len(sizes)), sizes)
        self.within = numpy.zeros((len(sizes), self.of.size), bool)
        self.within[self.of, numpy.arange(self.of.size)] = True
        self._add_never(model["never"])
        self._add_masking(model["masking"])
        self._add_at_most(model["at_most"])

    def name(self, number):
        dimension = self.dimensions[self.of[number]]
        return f"{dimension.name} {dimension.classes[number - self.offsets[self.of[number]]]}"

    def _named(self, rule, where):
        """The dimensions that a rule names, each with its classes as a bool array."""
        need(set(rule) == {"of", "because"} and isinstance(rule["of"], dict) and rule["of"],
             f"{where}: needs of and because")
        for name, classes in rule["of"].items():
            need(name in self.index, f'{where}: unknown dimension "{name}"')
            need(is_list_of(str, classes) and classes, f"{where}: {name} lists no classes")
            dimension = self.index[name]
            named = numpy.zeros(self.of.size, bool)
            for entry in classes:
                known = self.dimensions[dimension].classes
                need(entry in known, f'{where}: {name} has no class "{entry}"')
                named[self.offsets[dimension] + known.index(entry)] = True
            yield dimension, named

    def _add_never(self, rules):
        # A clause for each dimension of each rule: the classes that the rule does
        # not name, one of which saves the row.
        self.reasons, self.rule_of, self.clause_of, saving = [], [], [], []
        for number, rule in enumerate(rules, 1):
            where = f"never, rule {number}"
            for dimension, named in self._named(rule, where):
                self.rule_of.append(number - 1)
                self.clause_of.append(dimension)
                saving.append(self.within[dimension] & ~named)
            self.reasons.append(f"{where}: {rule['because']}")
        self.saving = numpy.array(saving, bool).reshape(-1, self.of.size)
        self.rule_of = numpy.array(self.rule_of, int)
        self.clause_of = numpy.array(self.clause_of, int)
        self._saving = self.saving.T.astype(numpy.float32)
        self._excluded = (self.within[self.clause_of] & ~self.saving).astype(numpy.float32)
        member = self.rule_of[:, None] == numpy.arange(len(self.reasons))
        self._member = member.astype(numpy.float32)

    def _add_masking(self, rules):
        self.masking = numpy.zeros(self.of.size, bool)
        for number, rule in enumerate(rules, 1):
            where = f"masking, rule {number}"
            for dimension, named in self._named(rule, where):
                plain = self.offsets[dimension]
                need(not named[plain], f"{where}: {self.name(plain)} is plain, and hides nothing")
                self.masking |= named

    def mask_sets(self, strength):
        """The sets of masking classes that a tuple may have, as lists."""
        for size in range(strength + 1):
            for masks in itertools.combinations(numpy.flatnonzero(self.masking), size):
                if len(set(self.of[list(masks)])) == size:
                    yield list(masks)

    def masked_by(self, masks):
        """The classes, a bool array, of the rows whose masking classes are `masks`."""
        classes = ~self.masking & ~self.within[self.of[masks]].any(0)
        classes[masks] = True
        return classes

    def _add_at_most(self, rules):
        # The product of the least sizes of the classes; 0 counts as 1.
        self.limits = []
        for number, rule in enumerate(rules, 1):
            where = f"at_most, rule {number}"
            need(set(rule) == {"product", "is", "because"} and is_list_of(str, rule["product"]),
                 f"{where}: needs product, is and because")
            need(type(rule["is"]) is int and rule["is"] > 0,
                 f"{where}: is is not a positive whole number")
            sizes = numpy.ones(self.of.size)
            dimensions = []
            for name in rule["product"]:
                need(name in self.index, f'{where}: unknown dimension "{name}"')
                dimension = self.index[name]
                need(self.dimensions[dimension].lows, f"{where}: {name} has no sizes")
                need(dimension not in dimensions, f"{where}: {name} is there twice")
                dimensions.append(dimension)
                lows = self.dimensions[dimension].lows
                sizes[self.within[dimension]] = numpy.maximum(lows, 1)
            self.limits.append((dimensions, sizes, rule["is"], f"{where}: {rule['because']}"))

    def narrow(self, domains):
        """Takes from `domains`, in place, classes that the rules exclude.

        Returns  for each row, whether every dimension still has a class. Rows
                 that are complete break a rule if and only if one has none.
        """
        while True:
            before = numpy.count_nonzero(domains)
            if self.reasons:
                open_clauses = domains.astype(numpy.float32) @ self._saving > 0
                ways = open_clauses.astype(numpy.float32) @ self._member
                only = open_clauses & (ways == 1)[:, self.rule_of]
                domains &= only.astype(numpy.float32) @ self._excluded == 0
                domains[(ways == 0).any(1)] = False
            for dimensions, sizes, limit, _ in self.limits:
                spans = [slice(self.offsets[d], self.offsets[d + 1]) for d in dimensions]
                least = [numpy.where(domains[:, span], sizes[span], NO_SIZE).min(1)
                         for span in spans]
                for span, own in zip(spans, least):
                    others = numpy.prod(least, 0) / own
                    domains[:, span] &= others[:, None] * sizes[span] <= limit
            if numpy.count_nonzero(domains) == before:
                return numpy.add.reduceat(domains, self.offsets[:-1], 1).all(1)

    def broken_rule(self, row):
        """Why a complete row (numbers of classes) is contradictory; None if it is not."""
        for number, reason in enumerate(self.reasons):
            if not self.saving[self.rule_of == number][:, row].any():
                return reason
        for _, sizes, limit, reason in self.limits:
            if sizes[row].prod() > limit:
                return reason
        return None

    def start(self, chosen):
        """Domains of rows that have the classes `chosen`, [rows, any number]."""
        domains = numpy.ones((len(chosen), self.of.size), bool)
        for column in numpy.transpose(chosen):
            self.fix(domains, column)
        return domains

    def fix(self, domains, column):
        """Row i gets class column[i]."""
        rows = numpy.arange(len(domains))
        kept = domains[rows, column]
        domains &= ~self.within[self.of[column]]
        domains[rows, column] = kept

    def search(self, domains):
        """A complete row of one row's domains, or None if there is none. Exact."""
        domains = domains.reshape(1, -1).copy()
        if not self.narrow(domains)[0]:
            return None
        left = numpy.add.reduceat(domains[0], self.offsets[:-1])
        if (left == 1).all():
            return numpy.flatnonzero(domains[0])
        dimension = int(numpy.argmin(numpy.where(left == 1, 99, left)))
        for number in numpy.flatnonzero(domains[0] & self.within[dimension]):
            tried = domains.copy()
            self.fix(tried, numpy.array([number]))
            row = self.search(tried)
            if row is not None:
                return row
        return None
