"""The coverage model of vectors/coverage/model.json: its classes and its rules.

That the file makes sense conformance/cover/model.cc asks, which reads it for every run.

Classes are numbered through all dimensions; `domains` is a bool array [rows,
classes] that says which classes each row may still have. A row is complete when
every dimension has one left.
"""

import itertools
import json

import numpy

NO_SIZE = 2.0**99  # of a dimension that has no class left
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class BadModel(Exception):
    """What is wrong with a model, in one line."""


class Dimension:
    """A name and its classes; `lows` is None unless they are ranges of numbers."""

    def __init__(self, entry):
        self.name, self.lows = entry["name"], entry.get("low")
        self.classes = entry.get("classes") or [
            str(a) if a == b else f"{a}-{b}" for a, b in zip(entry["low"], entry["high"])]


class Model:
    """Dimensions and rules.

    offsets  the number of each dimension's first class, and that of all classes
    of       the dimension of each class
    masking  whether a class hides what else is wrong: a row shows a tuple only if the
             tuple has all masking classes of the row
    """

    def __init__(self, text):
        model = json.loads(text)
        self.dimensions = [Dimension(entry) for entry in model["dimensions"]]
        names = [dimension.name for dimension in self.dimensions]
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

    def number(self, name):
        """The class of this name(); None if there is none."""
        names = [self.name(number) for number in range(self.of.size)]
        return names.index(name) if name in names else None

    def _named(self, rule):
        """The dimensions that a rule names, each with its classes as a bool array."""
        for name, classes in rule["of"].items():
            dimension = self.index[name]
            named = numpy.zeros(self.of.size, bool)
            for entry in classes:
                known = self.dimensions[dimension].classes
                named[self.offsets[dimension] + known.index(entry)] = True
            yield dimension, named

    def _add_never(self, rules):
        # A clause for each dimension of each rule: the classes that the rule does
        # not name, one of which saves the row.
        self.reasons, self.rule_of, self.clause_of, saving = [], [], [], []
        for number, rule in enumerate(rules, 1):
            where = f"never, rule {number}"
            for dimension, named in self._named(rule):
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
        for rule in rules:
            for _, named in self._named(rule):
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
            sizes = numpy.ones(self.of.size)
            dimensions = [self.index[name] for name in rule["product"]]
            for dimension in dimensions:
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
