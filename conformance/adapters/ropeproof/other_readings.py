"""What else a wrong result is right for: other layers of the model, another
length of its scaling."""

import ctypes

from ropeproof.judge_library import (Problem, Scaling, layers_of, load, model_of,
                                     pointer, scaling_of)

BASES = [1e4, 5e5, 1e6, 1e7, 1.5e5, 5e4, 1e5, 2.5e5, 5e6]  # of models
LENGTHS = [2**n for n in range(11, 18)]  # that models were trained at
FACTORS = [2, 4, 8, 16, 32, 40, 64]  # of their scalings


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
    return _agrees(_first_head(problem), claim) and _agrees(problem, claim)


def _first_head(problem):
    """One head of a few tokens: most readings fail there, at less cost."""
    part = Problem.from_buffer_copy(problem)
    part.batch = part.q.heads = 1
    part.k.heads = 0
    part.seq = min(part.seq, 64)
    return part


def _agrees(problem, claim):
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
        if problem.base:
            yield from _scaled(problem)
        return
    scaling = Scaling.from_address(problem.scaling)
    if problem.base:  # without a scaling the judge names it
        for base in BASES:
            if base != problem.base:
                other = Problem.from_buffer_copy(problem)
                other.base = base
                yield f"a base of {base:.0f}, not {problem.base:.10g}", other, None
    for word, values in _parameters(scaling):
        given = getattr(scaling, word)
        for value in dict.fromkeys(values):
            if given and value not in (0, given):
                other = Problem.from_buffer_copy(problem)
                changed = Scaling.from_buffer_copy(scaling)
                setattr(changed, word, value)
                other.scaling = ctypes.addressof(changed)
                yield (f"{NAMES.get(word, 'its ' + word)} of {value:.6g}, not "
                       f"{given:.6g}", other, changed)


def _scaled(problem):
    """With a scaling, of which nobody says anything."""
    for kind, lengths in (("ntk", [0]), ("yarn", LENGTHS), ("llama3", [8192])):
        for factor in FACTORS:
            for length in lengths:
                other = Problem.from_buffer_copy(problem)
                scaling = scaling_of(kind, factor=factor, original_length=length,
                                     low_freq_factor=1, high_freq_factor=4)
                other.scaling = ctypes.addressof(scaling)
                of = f" of an original length of {length}" if length else ""
                yield f"a scaling, {kind} by {factor}{of}", other, scaling


NAMES = {"original_length": "an original length", "factor": "a factor"}


def _parameters(scaling):
    """What else each parameter of a scaling is taken for."""
    length, factor = scaling.original_length, scaling.factor
    yield "original_length", [*LENGTHS, length * factor]
    yield "factor", [*FACTORS, 2 * factor, factor / 2]
    yield "seq_len", [length, 2 * scaling.seq_len, scaling.seq_len / 2]
    for word in ("low_freq_factor", "high_freq_factor", "beta_fast",
                 "beta_slow", "mscale", "mscale_all_dim"):
        given = getattr(scaling, word)
        yield word, [1, 2, 4, 32, 0.707, 2 * given, given / 2]
