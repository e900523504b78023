"""A problem of the suite and a result of it, for the judge: its words."""

import ctypes

import numpy as np

from ropeproof.judge_library import (AXIS_MAPS, BITS, NESTED, PAIRINGS, ROPE,
                                     ROTATE, Problem, Tensor, load, pointer,
                                     scaling_of)

# Of problems of these operations, fields that are numbers in both.
NUMBERS = ("direction batch seq head_dim rotary_dim rotary_offset pair_distance "
           "pairing_blocks position_axes base amplitude").split()
ARRAYS = ("positions real_positions axis_of_pair axis_weights pair_amplitude "
          "inv_freq inv_freq_lo pair_bases exponent_numerators "
          "exponent_denominators cos sin").split()


def text_of(request, results, claim):
    """What the judge says of wrong results, dense by name, without its first
    line; "" where it cannot judge them, as with an amplitude for each pair."""
    fields, kept = request.fields, []

    def address(array):
        kept.append(np.ascontiguousarray(array))
        return kept[-1].ctypes.data
    p = Problem(struct_size=ctypes.sizeof(Problem))
    p.operation = {"rope": ROPE, "rotate": ROTATE}[fields["operation"]]
    p.dtype, p.table_dtype = (BITS.get(fields[name], 0)
                              for name in ("dtype", "table_dtype"))
    p.pairing = (PAIRINGS | NESTED).get(fields["pairing"], 0)
    p.axis_map = AXIS_MAPS.get(fields["axis_map"], 0)
    for name in NUMBERS:
        setattr(p, name, fields[name])
    for name in ARRAYS:
        if name in request.arrays:
            setattr(p, name, address(request.arrays[name]))
    tokens, pairs = p.batch * p.seq, p.rotary_dim // 2
    p.position_axis_stride, p.position_batch_stride = tokens, p.seq
    p.table_batch_stride, p.table_token_stride = p.seq * pairs, pairs
    for name, y in results.items():
        x = request.arrays[name]
        heads, d = x.shape[2:]
        strides = (p.seq * heads * d, heads * d, d)
        setattr(p, name, Tensor(address(x), address(y), heads, *strides,
                                *strides))
    if fields["scaling"]:
        kept.append(_scaling(fields["scaling"], address))
        p.scaling = ctypes.addressof(kept[-1])
    library, judgement = load(), pointer()
    status = library.ropeproof_judge(ctypes.byref(p), ctypes.byref(claim),
                                     ctypes.byref(judgement))
    try:
        if status != 0 or library.ropeproof_wrong(judgement) <= 0:
            return ""
        words = library.ropeproof_text(judgement).decode()
        return words.partition("\n")[2].rstrip()
    finally:
        library.ropeproof_free(judgement)


def _scaling(words, address):
    made = scaling_of(words["kind"])
    for name, value in words.items():
        if name != "kind":
            setattr(made, name, address(np.array(value, np.float64))
                    if isinstance(value, list) else value)
    return made
