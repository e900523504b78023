"""The decorator, and what a decorated function or class says to a request."""

import difflib
import inspect
import os
import traceback

import numpy as np

from ropeproof import backends
from ropeproof import few_shapes as few_shape_parts
from ropeproof.arguments import one_whole, said
from ropeproof.arrays import word_of
from ropeproof.errors import Error, WrongTable
from ropeproof.problem import Problem, View, results_of
from ropeproof.request import TENSORS

ABI_VERSION = 1
CLAIM = ("angle_class", "angle_dtype", "power", "power_ulp", "trig_ulp",
         "table_dtype", "rounding")
FIELDS = ("axis_maps", "caches", "scalings", "padding_bytes", "max_position",
          "head_dim", "rotary_dim", "base")
KEYWORDS = ("operations", "dtypes", "pairings", "features", "claims", "supports",
            "arrays", "backend", "device", "heads_first", "window", "backward",
            "few_shapes", "most_tokens",
            *CLAIM, *FIELDS)
OBJECT_LIMIT = 8
MESSAGE_LIMIT = 1000

registered = None


class Unsupported(Exception):
    """Raise it for a problem outside what the kernel offers."""


class Invalid(Exception):
    """Raise it for a problem that contradicts itself."""


def kernel(*, like="plain", **declaration):
    """Registers what it decorates as the kernel that serve() runs: a function
    of a Problem, or a class whose objects are. With like, a function of another
    signature, which ropeproof/like/ names.

    The function returns arrays in the problem's dtypes:
        rope, rotate, lookup    q, k, or the one that there is
        table                   cos, sin
        frequencies             inv_freq
        permute                 the permuted weight

    Of a class, one object for each set of arguments lives on; the parameters of
    __init__ are names of a Problem's fields. The scaling has no seq_len there.

    claims       dtypes to claims, or a list of claims; or keywords of one for all
    supports     a function of a Problem without arrays: whether it is taken
    empty        True: problems and tensors of no elements come, too
    arrays       the library of all arrays: numpy, ml_dtypes, torch, jax, mlx
                 or onnxruntime
    backend      what stands in for its device, "triton-interpret",
                 "pallas-interpret", "lavapipe" or "pocl": it says arrays,
                 few_shapes and most_tokens, and the report says what it covers
    device       where torch has its tensors: "cpu", "cuda", ...
    heads_first  True: q and k are [batch, heads, seq, head_dim]
    window       True: q and k are cut to the rotary window; their other
                 channels are copied
    few_shapes   True, as for jax.jit with like=: problems come in parts of three
                 sizes, and in heads of some sizes unless a model is asked about
                 or "any head" is said, for what is compiled for each shape
    most_tokens  of up to 32 heads (2 on Triton's interpreter), and fewer of more;
                 larger problems are declined
    backward     True: the adjoint is judged by the function's gradients
    more         other fields of the description, PROTOCOL.md lists them
    """
    from ropeproof.like import kernel_of  # which needs this module

    def register(subject):
        global registered
        registered = kernel_of(subject, like, **declaration)
        return subject
    return register


def kernel_of(subject, **declaration):
    """The kernel that the decorator would register for a function of a Problem,
    or a class."""
    for word in ("name", "version", "operations", "dtypes", "pairings"):
        if word not in declaration:
            raise TypeError(f"a kernel has no {word}; say {word}=")
    return _Kernel(subject, *_parts(**declaration))


def _parts(*, name, version, operations, dtypes, pairings, features=(),
           claims=None, supports=None, empty=False, arrays=None, backend=None,
           device="cpu", heads_first=False, window=False, backward=False,
           few_shapes=None, most_tokens=None, **more):
    """Of a kernel, but for its subject."""
    in_use = backends.use(backend) if backend else None
    heads = backends.MOST_HEADS
    if in_use:
        row = in_use.backend
        dtypes = [word for word in map(word_of, dtypes)
                  if word not in in_use.declined]
        arrays = arrays or row.arrays
        few_shapes = row.few_shapes if few_shapes is None else few_shapes
        most_tokens = row.most_tokens if most_tokens is None else most_tokens
        heads = row.most_heads
        if row.last_position:
            more["max_position"] = min(
                row.last_position, more.get("max_position") or row.last_position)
    flat = {word: more.pop(word) for word in CLAIM if word in more}
    if isinstance(claims, dict):
        claims = [dict(claim, dtypes=[dtype])
                  for dtype, claim in claims.items()]
    if (claims is None) == (not flat):
        raise TypeError("a kernel has claims, or the keywords of one claim: "
                        "angle_class and so on")
    for word in sorted(set(more) - set(FIELDS)):
        near = difflib.get_close_matches(word, KEYWORDS, 1, 0.8)
        raise TypeError(f"no keyword of a kernel: {word}"
                        + "".join(f"; say {word}=" for word in near))
    if supports is not None and not callable(supports):
        raise TypeError(f"supports is {said(supports)}; expected a function")
    if most_tokens is not None and one_whole("most_tokens", most_tokens) < 0:
        raise ValueError(f"most_tokens is {said(most_tokens)}; expected 0, for any, or more")
    if few_shapes not in (None, False, True, "any head"):
        raise ValueError(f"few_shapes is {said(few_shapes)}; expected True, False or \"any head\"")
    dtypes = list(map(word_of, dtypes))
    features = ["out_of_place", *features, *["adjoint"] * backward]
    if most_tokens:
        supports = _both(lambda p: p.batch * p.seq * max(
            p.q_heads + p.k_heads, heads) <= most_tokens * heads, supports)
    description = dict(
        status="ok", abi_version=ABI_VERSION, name=name, version=version,
        operations=list(operations), dtypes=list(dtypes),
        pairings=list(pairings), features=list(dict.fromkeys(features)),
        claims=claims or [flat], **more)
    if supports or few_shapes:
        description["supports"] = True
    if in_use:
        description["backend"] = in_use.declared(most_tokens)
    view = View(arrays or "numpy", heads_first, window, bool(more.get("axis_maps")),
                device, backward)
    return description, supports, empty, view, few_shapes, in_use


def _both(first, second):
    return lambda p: first(p) and (second is None or second(p))


class _Kernel:
    # Whether its subject uses Problem.in_pieces, which forms gradients.
    has_pieces = False
    # Exceptions that leave supports() and solve(); each other one is an answer.
    passes = ()
    # Asked about its first failures, until it can tell: refuses it.
    refuse = None
    # How it is called where it is compiled for each shape: few_shapes.PARTS.
    pieces = None
    # Whether q and k are there to be written.
    in_place = False

    def __init__(self, subject, description, supports, empty, view, few_shapes,
                 in_use):
        self.description, self._few_shapes = description, few_shapes
        self.takes_any_head = not few_shapes or few_shapes == "any head"
        self._in_use = in_use
        self._subject, self._supports = subject, supports
        self._empty, self._view = empty, view
        self._objects = {}
        self.files = files_of(subject)  # whose lines an error names

    def supports(self, request):
        """Status and message: whether it takes a problem without arrays."""
        def ask():
            p = Problem(request, self._view)
            if (not self.takes_any_head and not few_shape_parts.takes(
                        p, "partial" in self.description["features"], self.pieces)
                    or self._supports and not self._supports(p)):
                raise Unsupported
        return self._guarded(ask)[:2]

    def solve(self, request):
        """Status, message and, if that is "ok", names and arrays."""
        if request.is_empty() and not self._empty:
            return "ok", None, [(name, request.empty(name))
                                for name in request.results]
        if self._few_shapes:
            return few_shape_parts.solve(self._solve_one, request, self.pieces)
        return self._solve_one(request)

    def _solve_one(self, request):
        return self._guarded(lambda: self._answered_or_refused(request))

    def _answered_or_refused(self, request):
        if not self.refuse:
            return self.answered(request)
        asked = {name: array.copy() for name, array in request.arrays.items()}
        try:
            found = self.answered(request)
        except WrongTable:
            raise
        except Exception:
            request.arrays.update(asked)  # which it may have written
            if self.refuse(request):
                self.refuse = None
            raise
        self.refuse = None  # it takes what it is given
        return found

    def answered(self, request):
        """The results. ValueError where the kernel wrote into what it was given,
        but for a q or k that it returns, or is to write into."""
        before = {name: array.copy() for name, array in request.arrays.items()}
        results = results_of(request, self._view, self._call(request))
        for name, array in request.arrays.items():
            may_write = (self.in_place and name in TENSORS
                         or name in request.returned)
            if not may_write and not _same_bytes(array, before[name]):
                raise ValueError(f"overwrites {name}, which it was given, and "
                                 f"returns something else")
        return results

    def _call(self, request):
        problem = Problem(request, self._view)
        if self._empty:
            problem.add_empty()
        if not inspect.isclass(self._subject):
            return self._solved(self._subject, problem)
        given = {name: getattr(problem, name) for name, parameter
                 in inspect.signature(self._subject).parameters.items()
                 if parameter.kind not in (parameter.VAR_POSITIONAL,
                                           parameter.VAR_KEYWORD)}
        if given.get("scaling"):
            given["scaling"] = {name: value
                                for name, value in problem.scaling.items()
                                if name != "seq_len"}
        key = tuple(_key(request.arrays.get(name, value))
                    for name, value in given.items())
        if key not in self._objects:
            self._objects[key] = self._subject(**given)
        kept = self._objects[key] = self._objects.pop(key)  # used last
        if len(self._objects) > OBJECT_LIMIT:
            del self._objects[next(iter(self._objects))]
        return self._solved(kept, problem)

    def _solved(self, subject, problem):
        if self.has_pieces:
            return subject(problem)
        return problem.gradient_of(subject)

    def _guarded(self, function):
        """Status, message, result of third-party code, whatever it raises."""
        try:
            return "ok", None, function()
        except self.passes:
            raise
        except Unsupported as error:
            return "unsupported", _text(error), None
        except Invalid as error:
            return "invalid", _text(error), None
        except Error as error:  # no room, or tables of another form
            return "unusable", _text(error), None
        except BaseException as error:  # even SystemExit: the run goes on
            where = _where(error, self.files, self._in_use)
            if self._in_use:
                error = _root(error)
            parts = [type(error).__name__, _text(error)]
            return ("failed", where + ": ".join(filter(None, parts)), None)


def _same_bytes(a, b):
    return np.array_equal(a.reshape(-1).view(np.uint8),
                          b.reshape(-1).view(np.uint8))


def _key(value):
    return value.tobytes() if isinstance(value, np.ndarray) else repr(value)


def _text(error):
    try:
        text = str(error)
    except Exception:
        text = "(its message cannot be printed)"
    return text[:MESSAGE_LIMIT].encode("utf-8", "replace").decode()


def _followed(error):
    """The error, and those that it followed."""
    seen = []
    while error is not None and error not in seen:
        seen.append(error)
        error = error.__cause__ or error.__context__
    return seen


def _root(error):
    """What a backend raised another error of."""
    return _followed(error)[-1]


def _where(error, files, in_use=None):
    """The innermost line of the kernel's files, also of an error that this one
    followed; else the innermost that is not ours. On a backend, which calls the
    kernel back, the innermost line that is neither ours nor its own."""
    ours = os.path.join(os.path.dirname(__file__), "")
    errors = _followed(error)
    lines = [(frame.f_code.co_filename, line)
             for one in (reversed(errors) if in_use else errors)
             for frame, line in reversed(list(traceback.walk_tb(one.__traceback__)))
             if not frame.f_code.co_filename.startswith(ours)]
    if in_use:
        found = [at for at in lines if not at[0].startswith(in_use.folders)
                 and os.path.exists(at[0])]
    else:
        found = [at for at in lines if os.path.abspath(at[0]) in files]
    for name, line in found + lines[:1]:
        return f"{os.path.basename(name)}:{line}: "
    return ""


def files_of(subject):
    """The files that a function, a class or an object is written in."""
    found = set()
    for part in (inspect.unwrap(subject), getattr(subject, "func", None),
                 type(subject)):
        try:
            found.add(os.path.abspath(inspect.getsourcefile(part)))
        except TypeError:  # a builtin
            pass
    return found
