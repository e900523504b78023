"""Problems in parts of a few shapes, for functions that are compiled anew for
each: jax.jit takes a second for one of the thousand shapes of core.

Tokens and heads do not depend on each other, so any problem is some of one size;
the last part is filled up with tokens and heads that were there. What is not
asked so is how a function treats sizes.
"""

import copy

import numpy as np

from ropeproof.request import ROTATING, TENSORS

# batch, seq and heads of a part: of small problems, of large ones, of many heads.
SMALL, LARGE, WIDE = (2, 8, 2), (2, 512, 8), (2, 1, 2048)
LARGE_FROM, WIDE_FROM = 4096, 1024  # rows; heads
# Heads of each: with three types at most 40 shapes, of which f32 has 24.
HEAD_DIMS = {SMALL: (*range(2, 18, 2), 20, 24, 32, 40, 48, 64, 72, 80, 96, 112,
                     128, 256), LARGE: (2, 16, 64), WIDE: (2,)}
HEAD_DIMS_OF_16_BITS = {SMALL: (16, 24, 48, 64, 128), LARGE: (2, 16), WIDE: (2,)}
BY_TOKEN = ("positions", "real_positions", "ids", "pair_amplitude")


def takes(p):
    """Whether a problem's head is one of the few."""
    if p.operation not in ROTATING:
        return True
    few = (HEAD_DIMS_OF_16_BITS if p.dtype in ("f16", "bf16") else HEAD_DIMS)
    heads = max(p.q_heads, p.k_heads)
    return p.head_dim in few[_size(heads, p.batch * p.seq)]


def _size(heads, tokens):
    return (WIDE if heads >= WIDE_FROM else
            LARGE if tokens * heads >= LARGE_FROM else SMALL)


def solve(kernel_solve, request):
    """Status, message and results of a request, part by part."""
    f = request.fields
    heads = max(f["q_heads"], f["k_heads"])
    tokens = f["batch"] * f["seq"]
    if f["operation"] not in ROTATING or tokens * heads == 0:
        return kernel_solve(request)
    size = _size(heads, tokens)
    count = size[0] * size[1]
    results = {name: request.empty(name) for name in request.results}
    flat = {name: y.reshape(-1, *y.shape[2:]) for name, y in results.items()}
    for first in range(0, tokens, count):
        place = np.minimum(np.arange(first, first + count), tokens - 1)
        for head in range(0, heads, size[2]):
            chosen = {name: np.minimum(np.arange(head, head + size[2]),
                                       f[name + "_heads"] - 1)
                      for name in request.results}
            part = _part(request, size, place, chosen)
            status, message, found = kernel_solve(part)
            if status != "ok":
                return status, message, None
            for name, y in found:
                y = y.reshape(count, *y.shape[2:])
                flat[name][np.ix_(place, chosen[name])] = y
    return "ok", None, list(results.items())


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
    return part
