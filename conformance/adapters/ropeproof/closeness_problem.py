"""The arguments of assert_rope_close as a problem of the judge."""

import ctypes

import numpy as np

from ropeproof import given_tables
from ropeproof.arrays import word_of
from ropeproof.arguments import (number, numbers, one_of, one_whole, said,
                                 whole)
from ropeproof.judge_library import (BITS, DOUBLED, LOOKUP, PAIRINGS, ROPE, ROTATE,
                                     Problem, Scaling, Tensor, model_of, scaling_of,
                                     scalings)

LARGEST_POSITION = 2**53


class Call:
    """A problem for the library, and the memory that it points to."""

    def __init__(self, dtype):
        self._dtype = dtype
        self.problem = Problem(struct_size=ctypes.sizeof(Problem),
                               amplitude=1.0, direction=1)
        self._kept = []

    def keep(self, array, dtype=None):
        array = np.ascontiguousarray(array, dtype)
        self._kept.append(array)
        return array.ctypes.data

    def rows(self, *arrays):
        """Where arrays of the same rows begin, and how far rows are apart: half
        of a wide row as it is."""
        first = arrays[0].strides
        if any(x.ndim != 2 or x.strides != first or first[0] <= 0
               or first[1] != x.itemsize for x in arrays):
            return [self.keep(x) for x in arrays], arrays[0].shape[-1]
        self._kept.extend(arrays)
        return ([x.ctypes.data for x in arrays],
                first[0] // arrays[0].itemsize)

    def own(self, thing):
        self._kept.append(thing)
        return thing

    def tensor(self, name, order, said_order, given, out):
        """said_order: the caller's word for it. out: None where nobody asks for
        a result."""
        x, word = given_tables.numbers_of(name, given, self._dtype)
        y, of_result = (x, word) if out is None else given_tables.numbers_of(
            f"the result for {name}", out, self._dtype)
        if np.iscomplexobj(x) or np.iscomplexobj(y):
            raise ValueError(f"{name} is complex; expected real channels")
        if x.shape != y.shape or word != of_result:
            raise ValueError(f"{name} is {word} {list(x.shape)}, its result "
                             f"{of_result} {list(y.shape)}")
        if x.ndim != len(order):
            is_flat = x.ndim == len(order) - 1 and "h" in order
            raise ValueError(f"{name} has shape {list(x.shape)}; order="
                             f"{said_order!r} needs {len(order)} dimensions: " +
                             ("reshape it to one of heads and one of channels"
                              if is_flat else "say which it has"))
        last = order.index("d")
        if x.shape[last] == 0:
            raise ValueError(f"{name} has shape {list(x.shape)}: no channels")
        if out is not None and np.shares_memory(x, y):
            raise ValueError(f"{name} and its result are the same memory: the "
                             f"kernel returned {name} itself or wrote into it; "
                             f"give a copy from before the call")
        x, y = (np.ascontiguousarray(np.moveaxis(a, last, -1)) for a in (x, y))
        axes = order.replace("d", "") + "d"
        sizes = dict(zip(axes, x.shape))
        strides = dict(zip(axes, np.array(x.strides) // x.itemsize))
        b, s, h = (int(strides.get(axis, 0)) for axis in "bsh")
        tensor = Tensor(self.keep(x), self.keep(y), sizes.get("h", 1), b, s, h,
                        b, s, h)
        return tensor, sizes, word


def order_of(order):
    """Its letters, tokens as s; ValueError for one that is none."""
    letters = str(order).replace("t", "s")
    if (sorted(letters) != sorted(set(letters)) or "s" not in letters
            or "d" not in letters or set(letters) - set("bshd")):
        raise ValueError(f"order is {said(order)}; known are bshd, bhsd, sbhd, thd: "
                         f"b batch, s or t tokens, h heads, d channels")
    return letters


def _places(offset, cu_seqlens, batch, seq):
    """Positions that begin anew in each row, or in each sequence of cu_seqlens,
    [batch, seq], from an offset on."""
    if cu_seqlens is None:
        starts = whole("offset", offset).reshape(-1, 1)
        if starts.size not in (1, batch):
            raise ValueError(f"offset has {starts.size} entries for a batch of "
                             f"{batch}")
        return np.broadcast_to(starts + np.arange(seq), (batch, seq))
    ends = whole("cu_seqlens", cu_seqlens)
    if batch != 1:
        raise ValueError(f"cu_seqlens is of sequences in one batch; here are "
                         f"{batch}: say order=\"thd\", or give positions")
    if (ends.ndim != 1 or ends[:1].tolist() != [0]
            or ends[-1] != seq or (np.diff(ends) < 0).any()):
        raise ValueError(f"cu_seqlens is {said(ends.tolist())}; expected ascending "
                         f"numbers from 0 to {seq}, the tokens of one batch")
    lengths = np.diff(ends)
    starts = whole("offset", 0 if offset is None else offset)
    if starts.size not in (1, lengths.size):
        raise ValueError(f"offset has {starts.size} entries for "
                         f"{lengths.size} sequences")
    first = np.broadcast_to(starts.reshape(-1), lengths.shape) - ends[:-1]
    return (np.arange(seq) + np.repeat(first, lengths))[None]


def positions_of(positions, offset, cu_seqlens, batch, seq):
    """[axes, batch or 1, seq], whole or real; None: none are given."""
    if positions is None:
        if offset is None and cu_seqlens is None:
            return None
        return _places(offset, cu_seqlens, batch, seq)[None]
    for name, other in (("offset", offset), ("cu_seqlens", cu_seqlens)):
        if other is not None:
            raise ValueError(f"give positions or {name}")
    array = numbers("positions", positions)
    if not np.isfinite(array).all():
        raise ValueError("positions are not all finite numbers")
    if np.abs(array).max(initial=0).item() > LARGEST_POSITION:
        raise ValueError(f"positions reach {np.abs(array).max()}; expected at "
                         f"most 2^53")
    given = array.shape
    if array.ndim == 2 and batch == 1 and given[0] > 1:
        given = given[:1] + (1,) + given[1:]  # [axes, tokens]
    given = (1,) * (3 - len(given)) + given
    if len(given) != 3 or given[1] not in (1, batch) or given[2] != seq:
        raise ValueError(f"positions has shape {list(array.shape)}; expected "
                         f"[{seq}], [{batch}, {seq}] or [axes, {batch}, {seq}], "
                         f"as order= says {seq} tokens")
    return array.reshape(given)


def _of_axes(places, axes, batch):
    """[axes, batch, seq]; [batch, 1, seq], of one head, is of one axis where no
    more are known."""
    if axes <= 1 and places.shape[:2] == (batch, 1):
        places = places.swapaxes(0, 1)
    return np.broadcast_to(places, (len(places), batch, places.shape[2]))


def _set_positions(call, positions, axes):
    p = call.problem
    positions = _of_axes(positions, axes, p.batch)
    axes = len(positions)
    if p.position_axes > 1 and axes == 1:  # of text: the same on all axes
        positions = np.broadcast_to(positions, (p.position_axes,
                                                *positions.shape[1:]))
    elif p.position_axes and p.position_axes != axes:
        raise ValueError(f"positions have {axes} axes, the model "
                         f"{p.position_axes}")
    if positions.dtype.kind == "f":
        p.real_positions = call.keep(positions, np.float64)
    else:
        p.positions = call.keep(positions, np.int64)
    p.position_axes, p.position_batch_stride = len(positions), p.seq
    p.position_axis_stride = p.batch * p.seq


def _set_axes(call, sections, axis_of_pair, axes, pairs):
    if axis_of_pair is None and sections is not None:
        sections = whole("sections", sections).reshape(-1)
        if (len(sections) != axes or sum(sections) != pairs
                or sections.min(initial=0) < 0):
            raise ValueError(f"sections is {said(sections.tolist())}; expected pairs of "
                             f"each of {axes} axes, {pairs} in all")
        axis_of_pair = np.repeat(np.arange(axes), sections)
    if axis_of_pair is None:
        if axes > 1:
            raise ValueError(f"positions for a batch of {call.problem.batch} have "
                             f"{axes} axes: say sections, the pairs of each, or "
                             f"axis_of_pair")
        return
    axis_of_pair = whole("axis_of_pair", axis_of_pair)
    if axis_of_pair.shape != (pairs,):
        raise ValueError(f"axis_of_pair has shape {list(axis_of_pair.shape)}; "
                         f"expected [{pairs}]")
    if not ((axis_of_pair >= 0) & (axis_of_pair < axes)).all():
        raise ValueError(f"axis_of_pair is {said(axis_of_pair.tolist())}; "
                         f"expected axes, 0 to {axes - 1}")
    call.problem.axis_of_pair = call.keep(axis_of_pair, np.int32)


def _set_scaling(call, scaling, pairs):
    if not isinstance(scaling, dict):
        raise ValueError(f"scaling is {said(scaling)}; expected a dict")
    given = dict(scaling)
    if "kind" not in given:
        raise ValueError(f"scaling has no kind; expected {', '.join(scalings())}; "
                         f"a dictionary of Hugging Face goes into config=")
    kind = one_of("scaling's kind", given.pop("kind"), scalings())
    made = call.own(scaling_of(kind))
    needed = list(scalings()[kind][1])
    if kind == "long_rope":  # what decides the amplitude
        needed[needed.index("factor")] = "factor or attention_factor"
    for word in given:
        if word not in dict(Scaling._fields_) or word == "struct_size":
            raise ValueError(f"scaling has no {word!r}; one of kind {kind!r} needs "
                             f"{', '.join(needed)}")
    missing = [words for words in needed if not set(words.split(" or ")) & set(given)]
    if missing:
        raise ValueError(f"scaling of kind {kind!r} lacks {', '.join(missing)}")
    for word, value in given.items():
        if word in ("short_factor", "long_factor"):
            value = numbers(f"scaling's {word}", value)
            if value.shape != (pairs,):
                raise ValueError(f"scaling's {word} has shape "
                                 f"{list(value.shape)}; expected [{pairs}]")
            value = call.keep(value, np.float64)
        elif word == "truncate":
            if value not in (0, 1):
                raise ValueError(f"scaling's truncate is {said(value)}; "
                                 f"expected True or False")
            value = int(value)
        else:
            value = number(f"scaling's {word}", value)
        setattr(made, word, value)
    call.problem.scaling = ctypes.addressof(made)


def _set_model(call, config, layers, pairing, seq_len):
    p = call.problem
    head_dim = p.head_dim
    call.own(model_of(config, layers, pairing, seq_len)).set(p)
    if head_dim == p.rotary_dim:  # of a head cut to its window
        p.head_dim, p.rotary_offset = head_dim, 0
    if head_dim != p.head_dim:
        raise ValueError(f"q has {head_dim} channels, a head of the model "
                         f"{p.head_dim}")


def _set_table(call, given, ids, order):
    p = call.problem
    pairs = p.rotary_dim // 2
    tables, word = given_tables.parts_of(pairs, **given)
    is_seq_first = "b" in order and order.index("s") < order.index("b")
    is_interleaved = p.pairing == PAIRINGS["interleaved"]
    p.table_dtype = BITS[word]
    if ids is None:
        p.operation = ROTATE
        rows = {name: given_tables.rows_of(name, table, p.batch, p.seq,
                                           is_seq_first)
                for name, table in tables.items()}
    else:  # of a cache: the judge sees its other rows, too
        p.operation = LOOKUP
        rows = {name: given_tables.cache_of(name, table, ids)
                for name, table in tables.items()}
        p.ids, p.position_batch_stride = call.keep(ids, np.int64), p.seq
        p.cache_rows = len(rows["cos"])
    rows, is_doubled = given_tables.halves_of(rows, ids, pairs, is_interleaved)
    (p.cos, p.sin), p.table_token_stride = call.rows(rows["cos"], rows["sin"])
    p.table_batch_stride = p.seq * p.table_token_stride
    p.cache = DOUBLED if is_doubled else 0


def call_of(results, inputs, *, positions=None, offset=None, cu_seqlens=None,
            base=None, inv_freq=None, scaling=None, amplitude=None, cos=None,
            sin=None, cos_sin=None, freqs_cis=None, config=None, layers=None,
            seq_len=None, pairing=None, order="bshd", rotary_dim=None,
            rotary_offset=0, sections=None, axis_of_pair=None,
            direction="forward", dtype=None):
    said_order, order = order, order_of(order)
    if pairing is not None:
        one_of("pairing", pairing, PAIRINGS)
    one_of("direction", direction, ("forward", "adjoint"))
    if len(results) != len(inputs) or len(inputs) not in (1, 2):
        raise ValueError(f"results: {len(results)}, given: {len(inputs)}; expected "
                         f"an array for one x, or a tuple of two for (q, k)")
    if dtype is not None:
        dtype = one_of("dtype", word_of(dtype), BITS)
    call = Call(dtype)
    p = call.problem
    for name, x, y in zip("qk", inputs, results):
        tensor, sizes, word = call.tensor(name, order, said_order, x, y)
        setattr(p, name, tensor)
        found = (sizes.get("b", 1), sizes["s"], sizes["d"], BITS[word])
        if name == "k" and found != (p.batch, p.seq, p.head_dim, p.dtype):
            raise ValueError(f"q and k differ in more than their heads: k is "
                             f"{word} {list(np.shape(x))}; judge each by a "
                             f"call of its own")
        p.batch, p.seq, p.head_dim, p.dtype = found
    p.direction = -1 if direction == "adjoint" else 1
    p.rotary_offset = one_whole("rotary_offset", rotary_offset)
    if not 0 <= p.rotary_offset < p.head_dim:
        raise ValueError(f"rotary_offset is {p.rotary_offset}; expected 0 to "
                         f"{p.head_dim - 1}")
    p.rotary_dim = (p.head_dim - p.rotary_offset if rotary_dim is None
                    else one_whole("rotary_dim", rotary_dim))
    p.pairing = PAIRINGS[pairing or "half_split"]
    places = positions_of(positions, offset, cu_seqlens, p.batch, p.seq)
    if not isinstance(layers, (str, type(None))):
        raise ValueError(f"layers is {said(layers)}; expected a word of the "
                         f"config")
    if config is not None:
        _refuse("config", base=base, inv_freq=inv_freq, scaling=scaling,
                amplitude=amplitude, sections=sections, rotary_dim=rotary_dim,
                axis_of_pair=axis_of_pair, rotary_offset=rotary_offset or None)
        if seq_len is not None:
            seq_len = one_whole("seq_len", seq_len)
            if not 1 <= seq_len <= LARGEST_POSITION:
                raise ValueError(f"seq_len is {seq_len}; expected 1 to 2^53")
        elif places is not None:
            seq_len = max(1, int(np.max(places, initial=0)) + 1)
        _set_model(call, config, layers, pairing, seq_len)
    elif layers is not None or seq_len is not None:
        raise ValueError("layers and seq_len are of a config")
    pairs = p.rotary_dim // 2
    table = dict(cos=cos, sin=sin, cos_sin=cos_sin, freqs_cis=freqs_cis)
    if any(part is not None for part in table.values()):
        _refuse("a table", base=base, inv_freq=inv_freq, scaling=scaling,
                amplitude=amplitude, sections=sections)
        if places is not None:
            places = _of_axes(places, 1, p.batch)
        if places is not None and (len(places) > 1 or places.dtype.kind == "f"):
            raise ValueError("positions beside a table name its rows: expected "
                             "whole numbers, and one axis")
        _set_table(call, table, None if places is None else places[0], order)
        return call
    if places is None:
        raise ValueError("give positions, offset or cu_seqlens; or a table, cos "
                         "and sin")
    p.operation = ROPE
    if config is not None:
        _set_positions(call, places, p.position_axes)
        return call
    p.amplitude = 1.0 if amplitude is None else number("amplitude", amplitude)
    has_axes = sections is not None or axis_of_pair is not None
    _set_positions(call, places, len(places) if has_axes else 1)
    _set_axes(call, sections, axis_of_pair, p.position_axes, pairs)
    if inv_freq is None:
        p.base = 10000.0 if base is None else number("base", base)
        if p.base <= 0:
            raise ValueError(f"base is {said(base)}; expected a number above 0")
    else:
        _refuse("inv_freq", base=base)
        given = numbers("inv_freq", inv_freq).astype(np.float64)
        if given.shape != (pairs,):
            raise ValueError(f"inv_freq has shape {list(given.shape)}; "
                             f"expected [{pairs}]")
        p.inv_freq = call.keep(given)
    if scaling is not None:
        _set_scaling(call, scaling, pairs)
    return call


def _refuse(decider, **others):
    """What the decider says cannot be said otherwise beside it."""
    for name, value in others.items():
        if value is not None:
            raise ValueError(f"{decider} says what {name} is: leave it out")
