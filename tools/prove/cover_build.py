"""Builds covering arrays: few rows, small and plain, the most useful ones first.

A row is an array with one class (its number in the model) for each dimension. A
tuple is a pair or a triple of classes of different dimensions; `wanted` holds the
possible ones as a bool array [classes, classes] or [classes, classes, classes],
symmetric in its axes.
"""

import itertools

import numpy

CANDIDATES = 48  # rows that are tried for each that is taken


def index(rows, strength):
    """The tuples of each row, as an index of `wanted` in ascending dimensions."""
    sets = numpy.array(list(itertools.combinations(range(rows.shape[1]), strength)))
    return tuple(rows[:, sets[:, axis]] for axis in range(strength))


def mark(array, where, value):
    for axes in itertools.permutations(where):
        array[axes] = value


def ascending(array):
    """The tuples in `array`, [tuples, strength], each once."""
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
    """The tuples that some row without a contradiction has, and such rows: `rows`,
    which are sound, and more where these leave tuples open."""
    count = model.of.size
    covered = numpy.zeros((count,) * strength, bool)
    if len(rows):
        mark(covered, index(rows, strength), True)
    left = ascending(different(model, strength) & ~covered)
    random = numpy.random.Generator(numpy.random.PCG64(strength))
    # What the rules exclude at once, then rows at random, then a search for each.
    alive = [model.narrow(model.start(part)) for part in numpy.array_split(left, len(left) // 9999 + 1)]
    left = left[numpy.concatenate(alive)]
    while len(left):
        chosen = left[(random.random(min(len(left), 500)) * len(left)).astype(int)]
        domains = model.start(chosen)
        model.narrow(domains)
        made = complete(model, domains, random, None)
        if len(made):
            mark(covered, index(made, strength), True)
        first = ~covered[tuple(left.T)]
        if len(made) < 400 or first.sum() > len(left) - 100:
            left = left[first]
            break
        left = left[first]
    for chosen in left:
        if not covered[tuple(chosen)]:
            row = model.search(model.start(chosen[None]))
            if row is not None:
                mark(covered, index(row[None], strength), True)
    return covered


class Gain:
    """How many tuples of `wanted` each class would add to rows that are being formed."""

    def __init__(self, wanted, count):
        self.wanted, self.pairs = wanted.view(numpy.uint8), wanted.ndim == 2
        self.total = numpy.zeros((count, len(wanted)), numpy.int32)

    def add(self, classes, others, sign=1):
        """Row i, which has others[i], gets (or with sign -1 loses) classes[i]."""
        if self.pairs:
            self.total += sign * self.wanted[classes].astype(numpy.int32)
        else:
            self.total += sign * self.wanted[classes[:, None], others].sum(1, dtype=numpy.int32)


def complete(model, domains, random, wanted):
    """Rows of `domains`, each dimension in an order of its own: the class that adds
    most tuples of `wanted`, or one at random. Rows that come to nothing are left out."""
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
    sound = model.narrow(domains)
    made = numpy.sort(chosen[sound], 1)
    return made


def climb(model, rows, random, wanted, passes=2):
    """Exchanges the classes of complete rows for ones that add more, and their gains."""
    gain = Gain(wanted, len(rows))
    for step in range(rows.shape[1]):
        gain.add(rows[:, step], rows[:, :step])
    for _ in range(passes):
        for dimension in numpy.argsort(random.random(rows.shape[1]), kind="stable"):
            domains = model.start(numpy.delete(rows, dimension, 1))
            sound = model.narrow(domains)
            assert sound.all()
            score = numpy.where(domains & model.within[dimension],
                                gain.total + 0.5 * random.random(gain.total.shape), -1)
            best = score.argmax(1)
            others = numpy.delete(rows, dimension, 1)
            gain.add(rows[:, dimension], others, -1)
            gain.add(best, others)
            rows[:, dimension] = best
    where = index(rows, wanted.ndim)
    return rows, wanted[where].sum(1)


def greedy(model, possible, seed):
    """Rows that have every tuple of `possible`."""
    strength = possible.ndim
    random = numpy.random.Generator(numpy.random.PCG64(seed))
    wanted = possible.copy()
    groups = numpy.zeros((len(model.dimensions),) * strength, int)
    left = ascending(wanted)
    numpy.add.at(groups, tuple(model.of[left].T), 1)
    rows = []
    while True:
        # Candidates begin with tuples of the dimensions that need most rows.
        group = numpy.unravel_index(groups.argmax(), groups.shape)
        if groups[group] == 0:
            return numpy.array(rows)
        block = wanted[numpy.ix_(*(numpy.flatnonzero(model.within[d]) for d in group))]
        starts = numpy.argwhere(block) + model.offsets[list(group)]
        chosen = starts[(random.random(CANDIDATES) * len(starts)).astype(int)]
        domains = model.start(chosen)
        model.narrow(domains)
        made = complete(model, domains, random, wanted)
        if not len(made):
            made = model.search(model.start(chosen[:1]))[None]
        made, gains = climb(model, made, random, wanted)
        row = made[gains.argmax()]
        where = index(row[None], strength)
        fresh = wanted[where][0]
        if not fresh.any():
            row = model.search(model.start(chosen[:1]))
            where = index(row[None], strength)
            fresh = wanted[where][0]
        groups[tuple(model.of[axis[0][fresh]] for axis in where)] -= 1
        mark(wanted, where, False)
        rows.append(row)


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
    """Drops rows that add nothing; entries that add nothing become small and plain."""
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
                options = numpy.flatnonzero(domains[0] & model.within[dimension])
                lows = model.dimensions[dimension].lows
                if lows:
                    options = sorted(options, key=lambda c: lows[c - model.offsets[dimension]])
                row[dimension] = options[0]
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
    gains, covered, order = numpy.full(len(rows), tuples.shape[1]), numpy.zeros(begins.size, bool), []
    for _ in rows:
        best = int(gains.argmax())
        order.append(best)
        fresh = tuples[best][~covered[tuples[best]]]
        covered[fresh] = True
        for tuple_ in fresh:
            gains[holders[begins[tuple_] : begins[tuple_ + 1]]] -= 1
        gains[best] = -1
    return rows[order]
