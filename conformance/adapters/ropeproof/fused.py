"""One call of a kernel that does more than rotate: a norm before, 8 bits or a
paged cache behind."""

import ctypes

import numpy as np

from ropeproof.arguments import number, numbers, one_whole, said, whole
from ropeproof.closeness import claim_of
from ropeproof.closeness_problem import call_of, order_of
from ropeproof.given_tables import numbers_of
from ropeproof.judge_library import (BITS, ROPE, Cached, Fused, Stored, load)

TYPES = {"float8_e4m3fn": 1, "float8_e5m2": 2, "int8": 3}


def _elements(name, array):
    """An array of any library as one of NumPy: of a dtype, or the bytes of a
    type of 8 bits; and the number of that type, 0 for a dtype."""
    word = str(getattr(array, "dtype", "")).split(".")[-1]
    if word == "uint8":
        raise ValueError(f"{name} is of bytes: say of which type, as by "
                         f".view(torch.float8_e4m3fn)")
    if word not in TYPES:
        found, word = numbers_of(name, array)
        return found, word, 0
    if hasattr(array, "detach"):
        import torch
        array = array.detach().cpu().contiguous().view(torch.uint8).numpy()
    return np.asarray(array).view(np.uint8), word, TYPES[word]


def _last(array, order):
    """Channels last and in one piece; each letter's stride, in elements."""
    array = np.ascontiguousarray(np.moveaxis(array, order.index("d"), -1))
    letters = order.replace("d", "") + "d"
    return array, dict(zip(letters, np.array(array.strides) // array.itemsize))


def _result(call, tensor, name, array, shape, order):
    """Sets where a tensor's result lies; gives its type."""
    found, word, kind = _elements(f"the result for {name}", array)
    if list(found.shape) != list(shape):
        raise ValueError(f"{name} has shape {list(shape)}, its result "
                         f"{list(found.shape)}")
    if kind == 0 and BITS[word] != call.problem.dtype:
        raise ValueError(f"the result for {name} is {word}, {name} is not: a "
                         f"kernel of the judge returns what it was given, or "
                         f"{', '.join(TYPES)}")
    found, strides = _last(found, order)
    tensor.out = call.keep(found)
    tensor.out_batch_stride, tensor.out_token_stride, tensor.out_head_stride = (
        int(strides.get(letter, 0)) for letter in "bsh")
    return kind


def _scale(call, name, scale, kind, heads):
    """A number, or an array that broadcasts to [batch, tokens, heads]."""
    made = Stored(type=kind)
    if scale is None:
        return made
    if kind == 0:
        raise ValueError(f"scale has {name}, whose result is of no 8-bit type")
    shape = (call.problem.batch, call.problem.seq, heads)
    given = numbers(f"scale of {name}", scale).astype(np.float32)
    try:
        full = np.broadcast_to(given, shape)
    except ValueError:
        raise ValueError(f"scale of {name} has shape {list(given.shape)}; "
                         f"expected what broadcasts to [batch, tokens, heads], "
                         f"{list(shape)}") from None
    made.scale = call.keep(full)
    made.batch_stride, made.token_stride = shape[1] * shape[2], shape[2]
    made.head_stride = 1
    return made


def _set_norm(call, fused, norm):
    known = {"epsilon", "q_weight", "k_weight", "offset", "roundings"}
    if not isinstance(norm, dict) or "epsilon" not in norm or set(norm) - known:
        raise ValueError(f"norm is {said(norm)}; expected a dict of epsilon, "
                         f"q_weight, k_weight, offset, roundings")
    fused.is_normed = 1
    fused.epsilon = number("norm's epsilon", norm["epsilon"])
    fused.weight_offset = number("norm's offset", norm.get("offset", 0))
    roundings = one_whole("norm's roundings", norm.get("roundings", 0))
    if not 0 <= roundings <= 2:
        raise ValueError(f"norm's roundings is {roundings}; expected 0 to 2")
    fused.norm_roundings = roundings
    words = set()
    for name in ("q_weight", "k_weight"):
        if norm.get(name) is None:
            continue
        weight, word = numbers_of(f"norm's {name}", norm[name])
        if weight.shape != (call.problem.head_dim,):
            raise ValueError(f"norm's {name} has shape {list(weight.shape)}; "
                             f"expected [{call.problem.head_dim}]")
        setattr(fused, name, call.keep(weight))
        words.add(word)
    if len(words) > 1:
        raise ValueError(f"norm's weights are {' and '.join(sorted(words))}; "
                         f"expected one dtype")
    fused.weight_dtype = BITS[words.pop()] if words else 0


def _cached(call, name, cache, order, heads):
    """A cache of k or v as (before, after); its slots, and its type."""
    if not isinstance(cache, (tuple, list)) or len(cache) != 2:
        raise ValueError(f"cache of {name} is {said(cache)}; expected (before, "
                         f"after), a copy from before the call first")
    (before, word, kind), (after, other, _) = (
        _elements(f"the cache of {name}", part) for part in cache)
    if before.shape != after.shape or word != other:
        raise ValueError(f"the cache of {name} is {word} {list(before.shape)} "
                         f"before the call, {other} {list(after.shape)} after it")
    if before.size and np.shares_memory(before, after):
        raise ValueError(f"the cache of {name} before and after the call is the "
                         f"same memory; give a copy from before the call")
    if kind == 0 and BITS[word] != call.problem.dtype:
        raise ValueError(f"the cache of {name} is {word}, {name} is not")
    letters = order if before.ndim == len(order) else order.replace("n", "")
    if before.ndim != len(letters):
        raise ValueError(f"the cache of {name} has shape {list(before.shape)}; "
                         f"cache_order={order!r} needs {len(order)} dimensions, "
                         f"or one less for slots without blocks")
    sizes = dict(zip(letters, before.shape))
    if (sizes["h"], sizes["d"]) != (heads, call.problem.head_dim):
        raise ValueError(f"the cache of {name} has {sizes['h']} heads of "
                         f"{sizes['d']} channels, {name} has {heads} of "
                         f"{call.problem.head_dim}")
    (before, strides), (after, _) = _last(before, letters), _last(after, letters)
    block = sizes["s"] if "n" in sizes else 0
    made = Cached(call.keep(before), call.keep(after), block,
                  int(strides.get("n", 0)), int(strides["s"]), int(strides["h"]))
    return made, sizes.get("n", 1) * sizes["s"], kind


def _set_cache(call, fused, slots, cache, cache_order, v, scale, order,
               said_order):
    if sorted(cache_order) != sorted("nshd"):
        raise ValueError(f"cache_order is {cache_order!r}; expected the letters "
                         f"n blocks, s slots of a block, h heads, d channels")
    if not isinstance(cache, dict) or "k" not in cache or set(cache) - {"k", "v"}:
        raise ValueError("cache is to be a dict of k, and v where v is given: "
                         "each (before, after)")
    if (v is None) != ("v" not in cache):
        raise ValueError("give v and cache['v'], or neither")
    p = call.problem
    slots = whole("slots", slots)
    if slots.size != p.batch * p.seq:
        raise ValueError(f"slots has shape {list(slots.shape)}; expected one for "
                         f"each of {p.batch * p.seq} tokens")
    fused.slots = call.keep(slots.reshape(p.batch, p.seq))
    fused.k_cache, fused.slot_count, kind = _cached(call, "k", cache["k"],
                                                    cache_order, p.k.heads)
    fused.k_stored = _scale(call, "k", scale.get("k"), kind, p.k.heads)
    if v is None:
        return
    fused.v, sizes, word = call.tensor("v", order, said_order, v, None)
    if (sizes.get("b", 1), sizes["s"], sizes["d"], BITS[word]) != (
            p.batch, p.seq, p.head_dim, p.dtype):
        raise ValueError(f"v is {word} {list(np.shape(v))}: k and v differ in "
                         f"more than their heads")
    fused.v_cache, count, kind = _cached(call, "v", cache["v"], cache_order,
                                         fused.v.heads)
    if count != fused.slot_count:
        raise ValueError(f"the cache of v has {count} slots, that of k "
                         f"{fused.slot_count}")
    fused.v_stored = _scale(call, "v", scale.get("v"), kind, fused.v.heads)


def assert_fused_close(result, given, *, norm=None, scale=None, slots=None,
                       cache=None, cache_order="nshd", v=None, claim="A1",
                       order="bshd", **how):
    """Passes if what a fused kernel wrote is within its bound: RMSNorm, rotation,
    a type of 8 bits and a paged cache, each where it is given.

    result   as in assert_rope_close; also of float8_e4m3fn, float8_e5m2 or int8.
             None in place of k where it goes to a cache
    given    what the kernel was given: x, or (q, k), before norm and rotation
    norm     of each head: {"epsilon": 1e-6, "q_weight": [head_dim], "k_weight":
             ..., "offset": 1 where weights are stored less 1, "roundings": to
             the 16-bit type between norm and rotation, 0 to 2}
    scale    {"q": s, "k": s, "v": s} of results of 8 bits, which hold y / s: a
             number, or what broadcasts to [batch, tokens, heads]
    slots    of each token in the cache; -1: nothing is written
    cache    {"k": (before, after), "v": (before, after)}: blocks of slots, or
             slots; all slots that no token names must be as before
    v        what the kernel was given to copy into its cache

    cache_order is of n blocks, s slots of a block, h heads and d channels.
    Positions, base, scaling, pairing, order, claim ... as in assert_rope_close,
    but no given table. AssertionError says what is wrong: the norm or scale that
    was applied in place of the one asked for, slots written by mistake, whose v
    stands in a slot, and what assert_rope_close says of the rotation.
    """
    inputs = given if isinstance(given, (tuple, list)) else (given,)
    results = result if isinstance(result, (tuple, list)) else (result,)
    if len(inputs) != len(results) or len(inputs) not in (1, 2):
        raise ValueError(f"results: {len(results)}, given: {len(inputs)}; "
                         f"expected one for each of x, or of (q, k)")
    if scale is None:
        scale = {}
    there = "qkv"[:len(inputs)] + ("" if v is None else "v")
    if not isinstance(scale, dict) or set(scale) - set(there):
        raise ValueError(f"scale is {said(scale)}; expected a dict of "
                         f"{', '.join(there)}")
    call = call_of([None] * len(inputs), list(inputs), order=order, **how)
    p, letters = call.problem, order_of(order)
    if p.operation != ROPE:
        raise ValueError("a fused kernel is judged by positions and frequencies: "
                         "give positions and base, not a table")
    fused = Fused(struct_size=ctypes.sizeof(Fused))
    if norm is not None:
        _set_norm(call, fused, norm)
    is_cached = slots is not None
    if is_cached != (cache is not None) or (is_cached and len(inputs) != 2):
        raise ValueError("slots and cache go together, with (q, k) given")
    for name, x, y in zip("qk", inputs, results):
        is_there = not (is_cached and name == "k")
        if is_there == (y is None):
            raise ValueError(f"the result for {name} is None" if is_there else
                             "k goes to the cache: give None as its result")
        if is_there:
            tensor = getattr(p, name)
            kind = _result(call, tensor, name, y, np.shape(x), letters)
            setattr(fused, name + "_stored",
                    _scale(call, name, scale.get(name), kind, tensor.heads))
    if is_cached:
        _set_cache(call, fused, slots, cache, cache_order, v, scale, letters,
                   order)
    elif v is not None:
        raise ValueError("v is copied to a cache: give slots and cache")
    held_to, library = claim_of(claim), load()
    text = library.ropeproof_fused_failure(
        ctypes.byref(p), ctypes.byref(fused), ctypes.byref(held_to)).decode()
    if library.ropeproof_error():
        raise ValueError(text)
    if text:
        raise AssertionError(text)
