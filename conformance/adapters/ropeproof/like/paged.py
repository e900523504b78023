"""Functions that rotate q and k and write k and v into a paged cache."""

import numpy as np


def paged(call, options, p):
    """Fused kernels as vLLM's, SGLang's and AITER's, of (positions, q, k, v,
    cos_sin_cache, k_cache, v_cache, slot_mapping): q, k and v [tokens, heads,
    head_dim], caches [slots, heads, head_dim] or, with block_size, [blocks,
    block_size, heads, head_dim]. q is returned, or rotated in place; k and v of
    token i go to slot_mapping[i], of -1 nowhere. One token of padding stands
    last. An error, which names the slot, where v is not copied or another slot
    has changed; the judge gets q and the k of the slots.

    block_size  slots of a block; None: there are no blocks
    """
    rows = p.numpy("ids" if p.operation == "lookup" else "positions").reshape(-1)
    padded = np.concatenate((rows, rows[:1]))
    block = options["block_size"]
    size = 2 * rows.size + 3
    size += -size % (block or 1)
    slots = np.random.default_rng(rows.size).permutation(size)[:rows.size]

    def shown(cache):
        cache = cache.copy()
        if block:
            cache = cache.reshape(-1, block, *cache.shape[1:])
        return p.convert(cache, p.dtype)

    def rotate(xs, _):
        flat = [p.back(x).reshape(rows.size, *x.shape[2:]) for x in xs]
        flat = [np.concatenate((x, x[:1])) for x in flat]
        q, k = flat if len(flat) == 2 else flat * 2
        v = k[:, :, ::-1].copy()
        before = np.resize(k.reshape(-1), (size, *k.shape[1:]))
        caches = [shown(before) for _ in range(2)]
        given_q = p.convert(q.copy(), p.dtype)
        returned = call(p, dict(
            positions=p.convert(padded), q=given_q, k=p.convert(k.copy(), p.dtype),
            v=p.convert(v, p.dtype), cos_sin_cache=p.cos, k_cache=caches[0],
            v_cache=caches[1],
            slot_mapping=p.convert(np.append(slots, -1))))
        if isinstance(returned, (tuple, list)):
            returned = returned[0]
        turned_q = p.back(given_q if returned is None else returned)
        keys, values = (p.back(cache).reshape(before.shape) for cache in caches)
        _check(call.name, slots, before, keys, values, v)
        results = [turned_q[:-1].reshape(xs[0].shape)]
        turned_k = keys[slots].reshape(xs[-1].shape)
        if len(xs) == 2:
            return [*results, turned_k]
        return results if p.k is None else [turned_k]
    return p.in_pieces(rotate, [(slice(None), None)], call.name)


def _check(name, slots, before, keys, values, v):
    others = np.ones(len(before), bool)
    others[slots] = False
    for which, cache in (("k", keys), ("v", values)):
        changed = np.flatnonzero(others & _differ(cache, before))
        if changed.size:
            raise ValueError(f"{name} changed slot {changed[0]} of the {which} "
                             f"cache, which no token has; -1 is no slot")
    wrong = np.flatnonzero(_differ(values[slots], v[:-1]))
    if wrong.size:
        raise ValueError(f"{name} did not copy v of token {wrong[0]} to slot "
                         f"{slots[wrong[0]]} of its cache")


def _differ(a, b):
    """Whether any bit does, row by row."""
    a, b = (np.ascontiguousarray(x).view(np.uint8).reshape(len(x), -1)
            for x in (a, b))
    return (a != b).any(axis=1)
