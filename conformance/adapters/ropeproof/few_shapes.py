"""Problems in parts of a few shapes, for functions that are compiled anew for
each: jax.jit takes a second for one of the thousand shapes of core.

Tokens and heads do not depend on each other, so any problem is some of one size;
the last part is filled up with tokens and heads that were there. What is not
asked so is how a function treats sizes.
"""

import copy

import numpy as np

from ropeproof.problem import runs
from ropeproof.request import ROTATING, TENSORS

# batch, seq and heads of a part: of small problems, of large ones, of many heads.
SMALL, LARGE, WIDE = (2, 8, 2), (2, 512, 8), (2, 1, 2048)
# The same for forms with one row of positions for the batch, and with runs of them.
PARTS = {None: {size: size for size in (SMALL, LARGE, WIDE)},
         "row": {SMALL: (1, 16, 2), LARGE: (1, 1024, 8), WIDE: (1, 2, 2048)},
         "runs": {SMALL: (1, 8, 2), LARGE: (1, 8, 128), WIDE: (1, 1, 2048)}}
LARGE_FROM, WIDE_FROM = 4096, 1024  # rows; heads
MOST_RUNS = 1024  # tokens of a problem, each of which may be a call
# Heads of each: with three types at most 40 shapes, of which f32 has 24. Tables are
# as wide as the rotary window, so that a part of a head is a shape of its own.
HEAD_DIMS = {SMALL: (*range(2, 18, 2), 20, 24, 32, 40, 48, 64, 72, 80, 96, 112,
                     128, 256), LARGE: (2, 16, 64), WIDE: (2,)}
HEAD_DIMS_OF_16_BITS = {SMALL: (16, 24, 48, 64, 128), LARGE: (2, 16), WIDE: (2,)}
# Of kernels that take parts of heads: that many of these, and head and window.
WHOLE = (2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 80, 128)
PARTIAL = ((7, 4), (13, 8), (12, 8), (24, 16), (6, 4), (20, 8), (40, 16), (32, 8))
WHOLE_OF_16_BITS, PARTIAL_OF_16_BITS = (24, 48, 128), ((12, 8), (24, 16))
FAR = 4096  # rows before those of a small cache, as the suite has them
BY_TOKEN = ("positions", "real_positions", "ids", "pair_amplitude")


def takes(p, has_partial=False, pieces=None):
    """Whether a problem's head is one of the few, and its runs may be."""
    if p.operation not in ROTATING:
        return True
    if pieces == "runs" and p.batch * p.seq > MOST_RUNS:
        return False
    is_short = p.dtype in ("f16", "bf16")
    size = _size(max(p.q_heads, p.k_heads), p.batch * p.seq)
    whole = (HEAD_DIMS_OF_16_BITS if is_short else HEAD_DIMS)[size]
    if has_partial and size == SMALL:
        whole, partial = ((WHOLE_OF_16_BITS, PARTIAL_OF_16_BITS) if is_short
                          else (WHOLE, PARTIAL))
        if (p.head_dim, p.rotary_dim) in partial:
            return True
    return p.head_dim == p.rotary_dim and p.head_dim in whole


def _size(heads, tokens):
    return (WIDE if heads >= WIDE_FROM else
            LARGE if tokens * heads >= LARGE_FROM else SMALL)


def solve(kernel_solve, request, pieces=None):
    """Status, message and results of a request, part by part. pieces: a word of
    PARTS."""
    f = request.fields
    heads = max(f["q_heads"], f["k_heads"])
    tokens = f["batch"] * f["seq"]
    if f["operation"] not in ROTATING or tokens * heads == 0:
        return kernel_solve(request)
    size = PARTS[pieces][_size(heads, tokens)]
    results = {name: request.empty(name) for name in request.results}
    flat = {name: y.reshape(-1, *y.shape[2:]) for name, y in results.items()}
    for place, count in _places(request, size, pieces):
        for head in range(0, heads, size[2]):
            chosen = {name: np.minimum(np.arange(head, head + size[2]),
                                       f[name + "_heads"] - 1)
                      for name in request.results}
            part = _part(request, size, place, chosen)
            if pieces == "runs" and "positions" in part.arrays:
                part.arrays["positions"] = (part.arrays["positions"][:, :1]
                                            + np.arange(size[1]))
            status, message, found = kernel_solve(part)
            if status != "ok":
                return status, message, None
            for name, y in found:
                y = y.reshape(len(place), *y.shape[2:])[:count]
                flat[name][np.ix_(place[:count], chosen[name])] = y
    return "ok", None, list(results.items())


def _places(request, size, pieces):
    """The tokens of each part, which is filled up with its last, and how many of
    them count: all, but for runs, where positions go on."""
    f, most = request.fields, size[0] * size[1]
    tokens = [(0, f["batch"] * f["seq"])]
    is_run = pieces == "runs" and "positions" in request.arrays
    if is_run:
        tokens = [(row * f["seq"] + run.start, row * f["seq"] + run.stop)
                  for row, places in enumerate(request.arrays["positions"])
                  for run, _ in runs(places)]
    for start, stop in tokens:
        for first in range(start, stop, most):
            count = min(most, stop - first) if is_run else most
            yield np.minimum(np.arange(first, first + most), stop - 1), count


def _part(request, size, place, chosen):
    """The request of some tokens and heads."""
    part = copy.copy(request)
    part.returned = set()
    part.fields = dict(request.fields, batch=size[0], seq=size[1])
    part.fields.update((name + "_heads", size[2]) for name in chosen)
    part.arrays = dict(request.arrays)
    for name, array in request.arrays.items():
        if name in TENSORS:
            rows = array.reshape(-1, *array.shape[2:])[place][:, chosen[name]]
        elif name in BY_TOKEN or (name in ("cos", "sin") and
                                  request.fields["operation"] == "rotate"):
            if array.ndim == 3 and name not in ("cos", "sin", "pair_amplitude"):
                axes = array.reshape(len(array), -1)[:, place]  # several axes
                part.arrays[name] = np.ascontiguousarray(
                    axes.reshape(len(array), *size[:2]))
                continue
            rows = array.reshape(-1, *array.shape[2:])[place]
        else:
            continue
        part.arrays[name] = np.ascontiguousarray(
            rows.reshape(*size[:2], *rows.shape[1:]))
    if "ids" in part.arrays:
        _cut_cache(part, len(place))
    return part


def _cut_cache(part, tokens):
    """Gives it a cache of as many rows as all such parts have: its own are the
    last ones."""
    used, place = np.unique(part.arrays["ids"], return_inverse=True)
    rows = tokens + 3 + (FAR if part.fields["rotary_dim"] <= 16 else 0)
    part.arrays["ids"] = rows - 1 - place.reshape(part.arrays["ids"].shape)
    part.fields["cache_rows"] = rows
    for name in {"cos", "sin"} & part.arrays.keys():
        cache = part.arrays[name]
        part.arrays[name] = np.resize(cache, (rows, cache.shape[1]))
        part.arrays[name][rows - 1 - np.arange(len(used))] = cache[used]
