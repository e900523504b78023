"""One result of a RoPE, judged in a test of one's own."""

import ctypes
import difflib
import inspect
import weakref

import numpy as np

from ropeproof import backends
from ropeproof.arguments import one_of, said
from ropeproof.closeness_problem import call_of, order_of
from ropeproof.judge_library import (BITS, UNSUPPORTED, Claim, check, load,
                                     pointer)
from ropeproof.other_readings import reading_of

CLAIM_WORDS = {"angle_class": {"A0": 0, "A1": 1, "A2": 2, "A3": 3},
               "angle_dtype": BITS, "table_dtype": BITS,
               "power": {"pow": 0, "exp2": 1},
               "rounding": {"once": 0, "each": 1, "truncate": 2}}

OTHERS_WORDS = {word: ours for ours, words in (
    ("positions", "position_ids pos_ids ids input_pos"),
    ("base", "theta rope_theta rope_base rotary_base"),
    ("pairing", "interleaved is_neox neox traditional"),
    ("claim", "atol rtol tol tolerance")) for word in words.split()}

NONE = object()  # where there is no result to judge


def claim_of(claim):
    """A class or a dict as a claim; ValueError, a line, for what is none."""
    if not isinstance(claim, (str, dict)):
        raise ValueError(f"claim is {said(claim)}; expected a class, \"A1\", or "
                         f"a dict")
    words = {"angle_class": claim} if isinstance(claim, str) else claim
    made = Claim(angle_class=CLAIM_WORDS["angle_class"]["A1"], power_ulp=1,
                 trig_ulp=1)
    for word, value in words.items():
        known = CLAIM_WORDS.get(word)
        if word not in dict(Claim._fields_):
            raise ValueError(f"claim has no {word!r}")
        if known:
            value = known[one_of(f"claim's {word}", value, known)]
        elif not isinstance(value, int) or not 0 <= value < 100:
            raise ValueError(f"claim's {word} is {said(value)}; expected a small "
                             f"whole number")
        setattr(made, word, value)
    return made


def _tuple(x):
    return tuple(x) if isinstance(x, (tuple, list)) else (x,)


def _judged(result, given, claim, read, **how):
    """read(library, judgement, line) of a judgement, which is freed when nobody
    has it any more; line: why there is no verdict, or None."""
    inputs = _tuple(given)
    results = [None] * len(inputs) if result is NONE else _tuple(result)
    try:
        call = call_of(results, inputs, **how)
    except TypeError as error:
        if "unexpected keyword" not in str(error):
            raise
        name = str(error).split("'")[1]
        near = OTHERS_WORDS.get(name) or "".join(difflib.get_close_matches(
            name, inspect.signature(call_of).parameters, 1))
        raise TypeError(f"no argument of this function: {name}" +
                        (f"; say {near}=" if near else "")) from None
    held_to, judgement, library = claim_of(claim), pointer(), load()
    ask = library.ropeproof_expect if result is NONE else library.ropeproof_judge
    status = ask(ctypes.byref(call.problem), ctypes.byref(held_to),
                 ctypes.byref(judgement))
    line = None
    if status == UNSUPPORTED:
        line = library.ropeproof_error().decode()
    else:
        check(status)
    judgement = _Judgement(library, judgement)
    judgement.reading = lambda: reading_of(
        call, held_to, lambda **other: call_of(results, inputs,
                                               **{**how, **other}), **how)
    return read(library, judgement, line)


class _Judgement:
    """What functions of the library take, as long as something of it is used."""

    def __init__(self, library, judgement):
        self._as_parameter_ = judgement
        weakref.finalize(self, library.ropeproof_free, judgement)


class _Numbers:
    """An array of a judgement, not copied, for NumPy, which keeps this."""

    def __init__(self, judgement, values, count):
        self._judgement = judgement
        self.__array_interface__ = {
            "version": 3, "shape": (count,), "typestr": np.dtype(float).str,
            "data": (ctypes.addressof(values.contents), False)}


def assert_rope_close(result, given, *, claim="A1", judged=0.99, backend=None,
                      **how):
    """Passes if a RoPE's result is within the bound that follows from a claim.

    result, given  what the kernel returned, and what it was given: an array, or
                   a tuple (q, k); of NumPy, torch, JAX, MLX or ml_dtypes, in
                   f64, f32, f16 or bf16 (its bits are uint16). Arrays of devices
                   are copied once
    dtype          what the kernel computed in, where the arrays hold its numbers
                   in a wider type: "bf16", torch.float16
    order          of dimensions, "bshd": b batch, s or t tokens, h heads, d
                   channels; also "bhsd", "sbhd", "thd", "bsd" ...

    The angles, by one of

    positions      [seq], [batch, seq] or [axes, batch, seq], whole or real
    offset         of the first token; a number, or one for each row
    cu_seqlens     where sequences begin in "thd": positions count anew in each
    config         a config.json (path, dict or object of transformers) says all
                   but the positions; layers: which of its ropes, as run has
                   them: "sliding_attention", "vision_config"; seq_len:
                   what dynamic scalings depend on; the largest position + 1
    base           of the frequencies, 10000; or inv_freq, one for each pair
    scaling        {"kind": "yarn", "factor": 4, ...}: the parameters of a
                   scaling, by the names of ropeproof_scaling
    amplitude      of cos and sin
    sections       with several axes: the pairs of each; or axis_of_pair

    or by the table that the kernel was given, a row for each token; or any rows,
    which positions, offset or cu_seqlens name:

    cos, sin       as wide as half of the window, or as the window: a value for
                   each channel, also where those of a pair differ
    cos_sin        cosines, then sines, in one row
    freqs_cis      complex, or real pairs (cos, sin), or 2x2 rotations

    pairing        "half_split", "interleaved" or "interleaved_to_half"
    rotary_dim     channels that rotate, from rotary_offset on; all
    direction      "forward", or "adjoint" for gradients
    claim          "A1": angles as good as f32, cos and sin in the tensors' type.
                   It admits what rounding such a table can do: an
                   amplitude wrong by 0.3 % passes in bf16, by 0.05 % in f16.
                   A kernel whose cos and sin are f32 says so by {"angle_class":
                   "A1", "table_dtype": "f32"}; then 0.01 % fails. "A0", "A2",
                   "A3", or a dict, also with angle_dtype, rounding ...
    judged         of A1 from positions of some 2^22 on, and earlier of looser
                   claims, the bound accepts any rotation; then a right result is
                   a ValueError. A number below 0.99 is the share of elements
                   that a verdict needs
    backend        what stood in for the device, as in ropeproof.kernel: a dtype
                   that it gets wrong is a ValueError, and a failure says what it
                   covers

    AssertionError says which elements are wrong, the pattern that they follow,
    what the bound consists of and, where it is known, the bug. ValueError names
    an argument that cannot be. Empty arrays pass, as in NumPy. Cost: some 0.2 ms
    and 10 ns an element, 40 in f64, where other threads of Python go on; a config
    is read at each call, and understood once.
    """
    def failure(library, judgement, line):
        if library.ropeproof_wrong(judgement) > 0:
            first, _, rest = library.ropeproof_text(
                judgement).decode().partition("\n")
            return f"{first}\n{judgement.reading()}{rest}"
        left_open = library.ropeproof_unjudged(judgement)
        if line and left_open > (1 - judged) * library.ropeproof_elements(
                judgement):
            raise ValueError(f"{line}, or judged=, the least share that has to be")
        return None
    if not isinstance(judged, (int, float)) or not 0 <= judged <= 1:
        raise ValueError(f"judged is {said(judged)}; expected a share, 0 to 1")
    if any(part is None for part in _tuple(result)):
        raise ValueError("the result is None: the kernel returned nothing")
    in_use = backends.use(backend) if backend else None
    if in_use:
        in_use.check(_tuple(given))
    text = _judged(result, given, claim, failure, **how)
    if text is not None:
        raise AssertionError(f"{text}\njudged {in_use}" if in_use else text)


def _arrays(name, given, claim, **how):
    shapes = [np.shape(x) for x in _tuple(given)]
    order = order_of(how.get("order", "bshd"))
    plain = [axis for axis in "bshd" if axis in order]

    def read(library, judgement, _):
        values = getattr(library, "ropeproof_" + name)(judgement)
        if not values:
            raise ValueError(library.ropeproof_error().decode())
        values = np.asarray(_Numbers(
            judgement, values, library.ropeproof_elements(judgement)))
        parts = np.split(values, [int(np.prod(shapes[0]))])
        made = []
        for shape, part in zip(shapes, parts):
            sizes = dict(zip(order, shape))
            part = part.reshape([sizes[axis] for axis in plain])
            made.append(part.transpose([plain.index(axis) for axis in order]))
        return made[0] if len(shapes) == 1 else tuple(made)
    return _judged(NONE, given, claim, read, **how)


def golden(given, *, claim="A1", **how):
    """The exact result, float64, in the shape of `given`: an array, or a tuple
    (q, k). Rounded to odd: one cast to a narrower type is correctly rounded.
    Arguments as those of assert_rope_close; it depends on no claim."""
    return _arrays("golden", given, claim, **how)


def bound(given, *, claim="A1", **how):
    """How far each element of a result may be from the golden, float64."""
    return _arrays("bound", given, claim, **how)


for _function in (assert_rope_close, golden, bound):  # for editors and help()
    _own = inspect.signature(_function).parameters.values()
    _of_call = inspect.signature(call_of).parameters.values()
    _function.__signature__ = inspect.Signature([
        *(p for p in _own if p.kind is not p.VAR_KEYWORD),
        *(p for p in _of_call if p.kind is p.KEYWORD_ONLY)])
