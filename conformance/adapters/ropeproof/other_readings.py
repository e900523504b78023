"""What else a wrong result is right for: other layers of the model, another
length of its scaling."""

import ctypes

from ropeproof.judge_library import (Problem, Scaling, layers_of, load, model_of,
                                     pointer)

LENGTHS = [2**n for n in range(11, 18)]  # that models were trained at


def reading_of(call, claim, call_with, config=None, layers=None, pairing=None,
               seq_len=None, order="bshd", cu_seqlens=None, offset=None, **_):
    """A line of a failure's text, or "". call_with: the call with other
    arguments."""
    swapped = str(order).translate(str.maketrans("hst", "shh"))
    others = [(f"order={swapped!r}", {"order": swapped})]
    if cu_seqlens is not None and offset is None:
        others.append(("one sequence, whatever cu_seqlens says",
                       {"cu_seqlens": None, "offset": 0}))
    for words, arguments in others:
        try:
            if _is_right(call_with(**arguments).problem, claim):
                return f"  reading  the result is right for {words}\n"
        except ValueError:  # such sizes are none
            pass
    for words, problem, _kept in _others(call.problem, config, layers, pairing,
                                         seq_len):
        if _is_right(problem, claim):
            return f"  reading  the result is right for {words}\n"
    return ""


def _is_right(problem, claim):
    library, judgement = load(), pointer()
    status = library.ropeproof_judge(
        ctypes.byref(problem), ctypes.byref(claim), ctypes.byref(judgement))
    is_right = status == 0 and library.ropeproof_wrong(judgement) == 0
    library.ropeproof_free(judgement)
    return is_right


def _shape(problem):
    return problem.head_dim, problem.position_axes


def _others(problem, config, layers, pairing, seq_len):
    """In words, as a problem, and what it points to."""
    for name in layers_of(config) if config is not None else ():
        if name == layers:
            continue
        other = Problem.from_buffer_copy(problem)
        try:
            model = model_of(config, name, pairing, seq_len)
        except ValueError:
            continue
        model.set(other)
        if _shape(other) == _shape(problem):  # else the tensors are none of it
            yield f"layers={name!r}", other, model
    if not problem.scaling:
        return
    scaling = Scaling.from_address(problem.scaling)
    length = scaling.original_length
    for other_length in LENGTHS + [length * scaling.factor]:
        if length and other_length != length:
            other = Problem.from_buffer_copy(problem)
            changed = Scaling.from_buffer_copy(scaling)
            changed.original_length = other_length
            other.scaling = ctypes.addressof(changed)
            yield (f"an original length of {other_length:.0f}, not {length:.0f}",
                   other, changed)
