"""Builds covering arrays: few rows, small and plain, the most useful ones first.

A row is an array with one class (its number in the model) for each dimension. A tuple
is a pair or a triple of classes of different dimensions, by the `strength` 2 or 3; a
set of tuples is a bool array [classes] * strength, symmetric in its axes.
"""

import itertools

import numpy

CANDIDATES = 24  # rows that are tried for each that is taken
EXPONENT = 3  # of weights()


def index(rows, strength):
    """The tuples of each row, as an index of a set of tuples."""
    sets = numpy.array(list(itertools.combinations(range(rows.shape[1]), strength)))
    return tuple(rows[:, sets[:, axis]] for axis in range(strength))


def mark(array, where, value):
    """Sets array[where] in every order of its axes."""
    for axes in itertools.permutations(where):
        array[axes] = value


def ascending(array):
    """The tuples of a set, [tuples, strength], each once."""
    where = numpy.argwhere(array)
    return where[(numpy.diff(where, axis=1) > 0).all(1)]


def different(model, strength):
    """The tuples of classes of different dimensions, possible or not."""
    count = model.of.size
    result = numpy.ones((count,) * strength, bool)
    for a, b in itertools.combinations(range(strength), 2):
        shape = [1] * strength
        shape[a] = shape[b] = count
        result &= (model.of[:, None] != model.of).reshape(shape)
    return result


def possible_tuples(model, rows, strength):
    """The tuples that some row has that breaks no rule. `rows`, which are sound, save
    the search for theirs."""
    covered = numpy.zeros((model.of.size,) * strength, bool)
    if len(rows):
        mark(covered, index(rows, strength), True)
    left = ascending(different(model, strength) & ~covered)
    parts = numpy.array_split(left, len(left) // 10000 + 1)
    left = left[numpy.concatenate([model.narrow(model.start(part)) for part in parts])]
    # Rows at random while they find many, then a search for each tuple.
    random = numpy.random.Generator(numpy.random.PCG64(strength))
    found = len(left)
    while found > 100 and len(left):
        chosen = left[(random.random(500) * len(left)).astype(int)]
        domains = model.start(chosen)
        model.narrow(domains)
        mark(covered, index(complete(model, domains, random), strength), True)
        found = len(left)
        left = left[~covered[tuple(left.T)]]
        found -= len(left)
    for chosen in left:
        if not covered[tuple(chosen)]:
            row = model.search(model.start(chosen[None]))
            if row is not None:
                mark(covered, index(row[None], strength), True)
    return covered


def per_group(model, tuples, strength):
    """How many of `tuples` each set of dimensions has, in ascending order."""
    groups = numpy.zeros((len(model.dimensions),) * strength, int)
    numpy.add.at(groups, tuple(model.of[tuples].T), 1)
    return groups


def weights(model, possible):
    """What a tuple is worth while it is not covered; 0 where it is not possible.

    A row has one tuple of each group of dimensions, so the groups with most tuples
    decide how many rows there are; those with few are covered on the way. Measured:
    1,678 rows of triples with exponent 0, 1,550 with 1, 1,512 with 2, 1,492 with 3.
    """
    groups = per_group(model, ascending(possible), possible.ndim)
    symmetric = numpy.zeros_like(groups)
    for axes in itertools.permutations(range(possible.ndim)):
        symmetric = numpy.maximum(symmetric, groups.transpose(axes))
    share = (symmetric / groups.max())[numpy.ix_(*[model.of] * possible.ndim)]
    return numpy.where(possible, 1 + 200 * share**EXPONENT, 0).astype(numpy.uint8)


class Gain:
    """What each class would add to rows that are being formed: the sum of the weights
    in `wanted` of the tuples that it completes."""

    def __init__(self, wanted, count):
        self.wanted = wanted
        self.total = numpy.zeros((count, len(wanted)), numpy.int32)

    def add(self, classes, others, sign=1):
        """Row i, which has others[i], gets (or with sign -1 loses) classes[i]."""
        if self.wanted.ndim == 2:
            self.total += sign * self.wanted[classes].astype(numpy.int32)
        else:
            self.total += sign * self.wanted[classes[:, None], others].sum(1, dtype=numpy.int32)


def complete(model, domains, random, wanted=None):
    """Rows of `domains`, each dimension in an order of its own: the class that adds
    most to the row, or one at random. Rows that come to nothing are left out."""
    count, dimensions = len(domains), len(model.dimensions)
    left = numpy.add.reduceat(domains, model.offsets[:-1], 1, dtype=int)
    order = numpy.argsort(random.random(left.shape) + 9 * (left > 1), 1, kind="stable")
    gain = Gain(wanted, count) if wanted is not None else None
    rows = numpy.arange(count)
    chosen = numpy.zeros((count, 0), int)
    for step in range(dimensions):
        allowed = domains & model.within[order[:, step]]
        score = random.random(domains.shape)
        if gain:
            score += gain.total
        classes = numpy.where(allowed, score, -1).argmax(1)
        if (left[rows, order[:, step]] > 1).any():
            model.fix(domains, classes)
            model.narrow(domains)
        if gain:
            gain.add(classes, chosen)
        chosen = numpy.concatenate([chosen, classes[:, None]], 1)
    return numpy.sort(chosen[model.narrow(domains)], 1)


def climb(model, rows, random, wanted, passes=2):
    """Exchanges the classes of complete rows for ones that add more; the best row."""
    gain = Gain(wanted, len(rows))
    for step in range(rows.shape[1]):
        gain.add(rows[:, step], rows[:, :step])
    for _ in range(passes):
        for dimension in numpy.argsort(random.random(rows.shape[1]), kind="stable"):
            others = numpy.delete(rows, dimension, 1)
            domains = numpy.tile(model.within[dimension], (len(rows), 1))
            numpy.put_along_axis(domains, others, True, 1)
            model.narrow(domains)
            score = gain.total + 0.5 * random.random(gain.total.shape)
            best = numpy.where(domains & model.within[dimension], score, -1).argmax(1)
            gain.add(rows[:, dimension], others, -1)
            gain.add(best, others)
            rows[:, dimension] = best
    return rows[wanted[index(rows, wanted.ndim)].sum(1, dtype=int).argmax()]


def greedy(model, possible, seed):
    """Rows that have every tuple of `possible`."""
    strength = possible.ndim
    random = numpy.random.Generator(numpy.random.PCG64(seed))
    wanted = weights(model, possible)
    groups = per_group(model, ascending(possible), strength)
    rows = []
    while groups.any():
        # Candidates begin with tuples of the dimensions that need most rows.
        group = numpy.unravel_index(groups.argmax(), groups.shape)
        block = wanted[numpy.ix_(*(numpy.flatnonzero(model.within[d]) for d in group))]
        starts = numpy.argwhere(block) + model.offsets[list(group)]
        chosen = starts[(random.random(CANDIDATES) * len(starts)).astype(int)]
        domains = model.start(chosen)
        model.narrow(domains)
        made = complete(model, domains, random, wanted)
        row = climb(model, made, random, wanted) if len(made) else None
        if row is None or not wanted[index(row[None], strength)].any():
            row = model.search(model.start(chosen[:1]))
        where = tuple(axis[0] for axis in index(row[None], strength))
        fresh = wanted[where] > 0
        groups[tuple(model.of[axis[fresh]] for axis in where)] -= 1
        mark(wanted, where, 0)
        rows.append(row)
    return numpy.array(rows)


def cost(model, rows):
    """Elements of q and k at the least sizes of each row, which its time grows with."""
    def least(name):
        sizes = numpy.zeros(model.of.size, int)
        if name in model.index:
            dimension = model.index[name]
            sizes[model.within[dimension]] = model.dimensions[dimension].lows or 1
        return sizes[rows].sum(1)

    heads = least("q_heads") + least("k_heads")
    return least("batch") * least("seq") * heads * 2 * least("pairs")


def simplify(model, rows, possible):
    """Entries that add nothing become small and plain; rows that add nothing are dropped."""
    counts = numpy.zeros(possible.shape, numpy.int32)
    numpy.add.at(counts, index(rows, possible.ndim), 1)
    sets = numpy.array(list(itertools.combinations(range(rows.shape[1]), possible.ndim)))
    has = [(sets == dimension).any(1) for dimension in range(rows.shape[1])]
    kept = []
    for at in cost(model, rows).argsort(kind="stable")[::-1]:
        row = rows[at].copy()
        where = tuple(axis[0] for axis in index(row[None], possible.ndim))
        counts[where] -= 1
        if counts[where].all():
            continue
        for dimension in sorted(range(len(row)), key=lambda d: model.dimensions[d].lows is None):
            if counts[tuple(axis[has[dimension]] for axis in where)].all():
                domains = model.start(numpy.delete(row, dimension)[None])
                model.narrow(domains)
                row[dimension] = (domains[0] & model.within[dimension]).argmax()
                where = tuple(axis[0] for axis in index(row[None], possible.ndim))
        counts[where] += 1
        kept.append(row)
    return numpy.array(kept)


def most_first(model, rows, possible):
    """The rows in the order in which each adds most tuples; the cheaper of equals first."""
    rows = rows[numpy.lexsort((*rows.T[::-1], cost(model, rows)))]
    where = index(rows, possible.ndim)
    _, tuples = numpy.unique(numpy.ravel_multi_index(where, possible.shape), return_inverse=True)
    tuples = tuples.reshape(len(rows), -1)
    holders = numpy.argsort(tuples.ravel(), kind="stable") // tuples.shape[1]
    begins = numpy.concatenate([[0], numpy.bincount(tuples.ravel()).cumsum()])
    gains, order = numpy.full(len(rows), tuples.shape[1]), []
    covered = numpy.zeros(begins.size, bool)
    for _ in rows:
        best = int(gains.argmax())
        order.append(best)
        fresh = tuples[best][~covered[tuples[best]]]
        covered[fresh] = True
        for tuple_ in fresh:
            gains[holders[begins[tuple_] : begins[tuple_ + 1]]] -= 1
        gains[best] = -1
    return rows[order]
