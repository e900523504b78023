"""Which other form of its tables a function takes, that fails with those of its
form of arguments: asked of the first problem, so that one line says it."""

import numpy as np

from ropeproof.arrays import bf16_to_f32
from ropeproof.errors import WrongTable
from ropeproof.like.call import TENSORS

TWO = (("cos", "sin"), ("cos_cache", "sin_cache"))
ONE = ("freqs_cis", "cos_sin_cache")
# Forms by what their table is and by its first dimensions, and of how many
# tensors they are. Of the others, the tables that they give begin otherwise.
FORMS = {("complex", "[seq, "): ("meta", (1, 2)),
         ("tuple in pairs", "[seq, "): ("diffusers", (1,)),
         ("2x2", "[batch, 1, seq, "): ("flux", (2,)),
         ("half", "[seq, "): ("flash_attn", (1,))}
OF_ROWS = ("meta", "diffusers", "flash_attn")
NEAR = 0.05  # of the largest element: tells tables apart, and judges nothing


class Tried:
    """One of KINDS, one of LEADS, and whether heads and tokens change places."""

    def __init__(self, kind, lead, turns):
        self.kind, self.lead, self.turns = kind, lead, turns

    def __call__(self, p, given):
        """What a function gets, with its tables so."""
        names = names_of(given)
        before = given[names[0]] if len(names) == 1 else tuple(
            given[name] for name in names)
        parts = before if isinstance(before, tuple) else (before,)
        c, s = _pairs_of(p, [p.back(part) for part in parts])
        tables = KINDS[self.kind.removeprefix("tuple ")](
            *map(LEADS[self.lead], (c, s)))
        made = [p.convert(table, None if np.iscomplexobj(table) else
                          p.table_dtype) for table in tables]
        made = [tuple(made)] if len(names) < len(made) else made
        return {**given, **dict(zip(names, made))}


def names_of(given):
    """The names of tables among the arguments."""
    for pair in TWO:
        if set(pair) <= given.keys():
            return pair
    return tuple(name for name in ONE if name in given)


LEADS = {"": lambda x: x, "[seq, ": lambda x: x.reshape(-1, *x.shape[-2:])[0],
         "[batch, 1, seq, ": lambda x: x[:, None] if x.ndim == 3 else x[None, None],
         "[batch, seq, 1, ": lambda x: (x if x.ndim == 3 else x[None])[:, :, None]}
KINDS = {  # of cosines and sines of each pair
    "half": lambda c, s: [c, s],
    "in halves": lambda c, s: [np.concatenate((x, x), -1) for x in (c, s)],
    "in pairs": lambda c, s: [np.repeat(x, 2, -1) for x in (c, s)],
    "packed": lambda c, s: [np.concatenate((c, s), -1)],
    "sines first": lambda c, s: [np.concatenate((s, c), -1)],
    "complex": lambda c, s: [c + 1j * s],
    "beside": lambda c, s: [np.stack((c, s), -1)],
    "2x2": lambda c, s: [np.stack((c, -s, s, c), -1).reshape(*c.shape, 2, 2)]}
WORDS = {
    "half": "rotary_dim/2]", "in halves": "rotary_dim], doubled in halves",
    "in pairs": "rotary_dim], doubled in pairs",
    "packed": "rotary_dim], cosines, then sines", "complex": "rotary_dim/2], complex",
    "sines first": "rotary_dim], sines, then cosines",
    "beside": "rotary_dim/2, 2], cosine and sine",
    "2x2": "rotary_dim/2, 2, 2], rotations"}


def _pairs_of(p, parts):
    """Cosines and sines of each pair, of tables in any of these forms."""
    pairs = p.rotary_dim // 2
    if len(parts) == 2:
        step = 2 if p.pairing == "interleaved" else 1
        return [part[..., :step * pairs:step] if part.shape[-1] > pairs else part
                for part in parts]
    table, = parts
    if np.iscomplexobj(table):
        return [np.ascontiguousarray(table.real), np.ascontiguousarray(table.imag)]
    if table.shape[-3:] == (pairs, 2, 2):
        table = table[:, 0] if table.ndim == 6 else table
        return [table[..., 0, 0], table[..., 1, 0]]
    return [table[..., :pairs], table[..., pairs:]]


def refuse(kernel, options, call, like, request):
    """WrongTable where the function is right with other tables than it has got,
    or with the heads on the other side of the tokens; else whether this problem
    can tell."""
    want = _wanted(request)
    if want is None:
        return False
    before = {name: array.copy() for name, array in request.arrays.items()}
    view = kernel._view
    two = any(name in call.names for name in ("cos", "cos_cache"))
    kinds = ["half", "in halves", "in pairs"] if two else [
        "packed", "complex", "2x2", "beside", "sines first", "tuple half",
        "tuple in halves", "tuple in pairs"]
    heads_first = view.heads_first
    tries = [Tried(None, "", True)] + [
        Tried(kind, lead, turns) for turns in (False, True) for kind in kinds
        for lead in LEADS]
    tries.sort(key=lambda tried: _form_of(tried, call, like) is None)
    try:
        for tried in tries:
            view.heads_first = heads_first != tried.turns
            options["tables"] = tried if tried.kind else None
            if _is_right(kernel, request, want):
                raise WrongTable(_line(call, like, options, tried, view))
            for name, array in before.items():
                request.arrays[name][...] = array
    finally:
        view.heads_first = heads_first
        options["tables"] = None
    return True


def _lead_of(tried, like):
    return tried.lead or ("[seq, " if like in OF_ROWS else "[..., ")


def _form_of(tried, call, like):
    """Another form that has such tables, for as many tensors; or None."""
    whose, counts = FORMS.get((tried.kind, _lead_of(tried, like)), (like, ()))
    others = set(call.names) - set(TENSORS)
    fits = (whose != like and len(call.names) - len(others) in counts
            and others <= {"cos", "sin", "freqs_cis"})
    return whose if fits else None


def _is_right(kernel, request, want):
    try:
        found = dict(kernel.answered(request))
    except Exception:  # it takes no such table either
        return False
    return all(np.abs(_numbers(request, found[name]) - y).max() <=
               NEAR * np.abs(y).max() for name, y in want.items())


def _line(call, like, options, tried, view):
    order = ("[batch, heads, seq, head_dim]" if view.heads_first
             else "[batch, seq, heads, head_dim]")
    if tried.kind is None:
        return (f"like={like!r}: {call.name} takes {order}: say "
                f"heads_first={view.heads_first}")
    lead, whose = _lead_of(tried, like), _form_of(tried, call, like)
    kind = tried.kind.removeprefix("tuple ")
    a_tuple = "a tuple of " if kind != tried.kind else ""
    turned = f", heads_first={view.heads_first}" if tried.turns else ""
    if whose:
        advice = f"that is like={whose!r}{turned}"
    elif kind.startswith("in ") and not tried.lead and "doubled" in options:
        advice = f'say doubled="{kind.removeprefix("in ")}"{turned}'
    else:
        advice = (f"judge a function of the arguments of like={like!r}{turned} "
                  f"that makes them and calls it")
    return (f"like={like!r}: {call.name} fails with its tables, and takes "
            f"{a_tuple}{lead}{WORDS[kind]}{f', q {order}' * tried.turns}: {advice}")


def _numbers(request, array):
    return (bf16_to_f32(array) if array.dtype == np.uint16 else array).astype(
        np.float64)


def _wanted(request):
    """q and k, rotated; None where they would not tell one table from another."""
    fields, given = request.fields, request.arrays
    pairs = fields["rotary_dim"] // 2
    if (fields["direction"] != 1 or fields["pairing"] not in (
            "half_split", "interleaved") or pairs < 2 or request.is_empty()
            or fields["rotary_dim"] != fields["head_dim"]
            or fields["position_axes"] > 1 or fields["cache"] == "doubled"):
        return None
    if fields["operation"] == "rope":
        if "inv_freq" not in given or "positions" not in given:
            return None
        phi = given["positions"][..., None] * given["inv_freq"]
        c, s = fields["amplitude"] * np.cos(phi), fields["amplitude"] * np.sin(phi)
    else:
        parts = [_numbers(request, given[name]) for name in ("cos", "sin")
                 if name in given]
        if fields["operation"] == "lookup":
            parts = [part[given["ids"]] for part in parts]
        c, s = parts if len(parts) == 2 else np.split(parts[0], 2, axis=-1)
    c, s, want = c[:, :, None], s[:, :, None], {}
    for name in request.results:
        x = _numbers(request, given[name])
        if not (np.isfinite(x).all() and x.any() and np.abs(s).max() > 2 * NEAR):
            return None
        is_beside = fields["pairing"] == "interleaved"
        u, v = ((x[..., ::2], x[..., 1::2]) if is_beside
                else np.split(x, 2, axis=-1))
        y = np.stack((u * c - v * s, u * s + v * c), -1 if is_beside else -2)
        want[name] = y.reshape(x.shape)
    return want
