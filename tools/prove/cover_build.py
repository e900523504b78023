"""Builds covering arrays: few rows, small and plain, the most useful ones first.

A row is an array with one class (its number in the model) for each dimension. A tuple
is `strength` classes of different dimensions, a pair or a triple; a set of tuples is a
bool array [classes] * strength, symmetric in its axes.

Masking classes divide the work into parts: tuples whose masking classes are M are shown
by the rows whose masking classes are M. With M taken from both, a part is a covering
array of its own, of a strength that is less by the size of M.
"""

import itertools

import numpy

# Where it does not matter, a size is the least class from these on, so that a wrong
# stride, head or token shows; in rows of at most MODERATE_COST elements.
MODERATE = {"q_heads": 2, "seq": 4, "k_heads": 2, "pairs": 4, "batch": 2}
MODERATE_COST = 4096
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


class Part:
    """The tuples with just the masking classes `masks`, and the rows that show them.

    strength   of the tuples without `masks`
    classes    of the rows, a bool array
    different  the tuples of classes of different dimensions, possible or not
    """

    def __init__(self, model, masks, strength):
        self.model, self.masks, self.strength = model, masks, strength - len(masks)
        self.classes = model.masked_by(masks)
        self.different = numpy.ones((model.of.size,) * self.strength, bool)
        free = self.classes & ~numpy.isin(model.of, model.of[masks])
        for a in range(self.strength):
            self.different &= free.reshape(self._shape(a))
        for a, b in itertools.combinations(range(self.strength), 2):
            self.different &= (model.of[:, None] != model.of).reshape(self._shape(a, b))

    def _shape(self, *axes):
        return [self.model.of.size if axis in axes else 1 for axis in range(self.strength)]

    def rows_of(self, rows):
        """Those of `rows` that belong to this part."""
        return rows[self.classes[rows].all(1)]

    def start(self, chosen):
        """Domains of this part's rows that have the classes `chosen`."""
        return self.model.start(chosen) & self.classes

    def covered(self, rows):
        """The tuples of this part's `rows`."""
        result = numpy.zeros_like(self.different)
        if len(rows):
            mark(result, index(rows, self.strength), True)
        result &= self.different
        return result


def parts(model, strength):
    return (Part(model, masks, strength) for masks in model.mask_sets(strength))


def possible_tuples(part, rows):
    """The tuples that some row of the part has that breaks no rule. `rows`, which are
    sound, save the search for theirs."""
    model, strength = part.model, part.strength
    covered = part.covered(rows)
    left = ascending(part.different & ~covered)
    pieces = numpy.array_split(left, len(left) // 10000 + 1)
    left = left[numpy.concatenate([model.narrow(part.start(piece)) for piece in pieces])]
    # Rows at random while they find many, then a search for each tuple.
    random = numpy.random.Generator(numpy.random.PCG64(strength))
    found = len(left)
    while found > 100 and len(left):
        chosen = left[(random.random(500) * len(left)).astype(int)]
        domains = part.start(chosen)
        model.narrow(domains)
        mark(covered, index(complete(model, domains, random), strength), True)
        found = len(left)
        left = left[~covered[tuple(left.T)]]
        found -= len(left)
    for chosen in left:
        if not covered[tuple(chosen)]:
            row = model.search(part.start(chosen[None]))
            if row is not None:
                mark(covered, index(row[None], strength), True)
    covered &= part.different
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
        if self.wanted.ndim == 1:
            self.total[:] = self.wanted  # whatever the others are
        elif self.wanted.ndim == 2:
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


def climb(part, rows, random, wanted, passes=2):
    """Exchanges the classes of complete rows for ones that add more; the best row."""
    model, gain = part.model, Gain(wanted, len(rows))
    for step in range(rows.shape[1]):
        gain.add(rows[:, step], rows[:, :step])
    for _ in range(passes):
        for dimension in numpy.argsort(random.random(rows.shape[1]), kind="stable"):
            others = numpy.delete(rows, dimension, 1)
            domains = numpy.tile(model.within[dimension] & part.classes, (len(rows), 1))
            numpy.put_along_axis(domains, others, True, 1)
            model.narrow(domains)
            score = gain.total + 0.5 * random.random(gain.total.shape)
            best = numpy.where(domains & model.within[dimension], score, -1).argmax(1)
            gain.add(rows[:, dimension], others, -1)
            gain.add(best, others)
            rows[:, dimension] = best
    return rows[wanted[index(rows, wanted.ndim)].sum(1, dtype=int).argmax()]


def greedy(part, possible, seed):
    """Rows of the part that have every tuple of `possible`, which has one."""
    model, strength = part.model, part.strength
    if strength == 0:
        return model.search(part.start([[]]))[None]
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
        domains = part.start(chosen)
        model.narrow(domains)
        made = complete(model, domains, random, wanted)
        row = climb(part, made, random, wanted) if len(made) else None
        if row is None or not wanted[index(row[None], strength)].any():
            row = model.search(part.start(chosen[:1]))
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


def moderate(model, dimension):
    """The class of MODERATE, or None."""
    lows = model.dimensions[dimension].lows or []
    least = MODERATE.get(model.dimensions[dimension].name, numpy.inf)
    found = [i for i, low in enumerate(lows) if low >= least]
    return model.offsets[dimension] + found[0] if found else None


def simplify(part, rows):
    """Entries that add nothing become plain, sizes first small, then moderate; rows that
    add nothing are dropped."""
    model, strength = part.model, part.strength
    counts = numpy.zeros_like(part.different, numpy.int32)
    numpy.add.at(counts, index(rows, strength), 1)
    sets = numpy.array(list(itertools.combinations(range(rows.shape[1]), strength)))
    has = [(sets == dimension).any(1) for dimension in range(rows.shape[1])]
    by_size = sorted(range(rows.shape[1]), key=lambda d: model.dimensions[d].lows is None)
    grown = [model.index[name] for name in MODERATE if name in model.index]
    kept = []
    for at in cost(model, rows).argsort(kind="stable")[::-1]:
        row = rows[at].copy()
        where = tuple(axis[0] for axis in index(row[None], strength))
        counts[where] -= 1
        if strength and counts[where].all():
            continue
        free = []
        for dimension in by_size:
            own = tuple(axis[has[dimension]] for axis in where)
            if strength == 0 or counts[own].all():
                domains = part.start(numpy.delete(row, dimension)[None])
                model.narrow(domains)
                row[dimension] = (domains[0] & model.within[dimension]).argmax()
                where = tuple(axis[0] for axis in index(row[None], strength))
                free.append(dimension)
        for dimension in grown:
            larger = row.copy()
            larger[dimension] = moderate(model, dimension) or row[dimension]
            if (dimension in free and not model.broken_rule(larger)
                    and cost(model, larger[None])[0] <= MODERATE_COST):
                row = larger
        where = tuple(axis[0] for axis in index(row[None], strength))
        counts[where] += 1
        kept.append(row)
    return numpy.array(kept)


def most_first(part, rows):
    """The rows in the order in which each adds most tuples, the cheaper of equals first;
    and how many each adds."""
    rows = rows[numpy.lexsort((*rows.T[::-1], cost(part.model, rows)))]
    numbers = numpy.arange(part.different.size).reshape(part.different.shape)
    found, tuples = numpy.unique(numbers[index(rows, part.strength)], return_inverse=True)
    tuples = tuples.reshape(len(rows), -1)
    holders = numpy.argsort(tuples.ravel(), kind="stable") // tuples.shape[1]
    begins = numpy.concatenate([[0], numpy.bincount(tuples.ravel()).cumsum()])
    covered = ~part.different.ravel()[found]
    gains, order, added = (~covered)[tuples].sum(1), [], []
    for _ in rows:
        best = int(gains.argmax())
        order.append(best)
        added.append(gains[best])
        fresh = tuples[best][~covered[tuples[best]]]
        covered[fresh] = True
        for tuple_ in fresh:
            gains[holders[begins[tuple_] : begins[tuple_ + 1]]] -= 1
        gains[best] = -1
    return rows[order], added
