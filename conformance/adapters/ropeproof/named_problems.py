"""The suite's problems for a test of one's own, with what is true of them."""

import json
import os
import subprocess
import tempfile

import numpy as np

from ropeproof import arrays as libraries
from ropeproof import program as runner
from ropeproof.arguments import said
from ropeproof.arrays import word_of
from ropeproof.closeness import claim_of
from ropeproof.errors import Error
from ropeproof.named_judging import text_of
from ropeproof.problem import Problem, View, form_of, wanted
from ropeproof.request import Request

TYPES = {"F64": np.float64, "F32": np.float32, "F16": np.float16,
         "BF16": np.uint16, "I64": np.int64, "I32": np.int32}


class NamedProblem(Problem):
    """A Problem, as a decorated kernel gets one, with an id, the exact results
    `want` and how far each element may be off, `bound`: by the name of q and k,
    float64."""

    def __init__(self, name, header, data, view, like, has_keys, asked, claim):
        request = Request(header, lambda array: _fill(array, data))
        true = {part: values.reshape(request.form(part.split("_")[1])[0])
                for part, values in data.rest()}
        if not has_keys and "k" in request.arrays:
            del request.arrays["k"], true["want_k"], true["bound_k"]
            request.results.remove("k")
            header["k_heads"] = 0
        super().__init__(request, view)
        self.id, self._like, self._asked = name, like, asked
        self._claim = claim
        self.want, self.bound = (
            {name: view.turned(true[f"{kind}_{name}"]) for name in
             request.results} for kind in ("want", "bound"))

    def __str__(self):
        return self.id

    __repr__ = __str__

    def assert_close(self, result):
        """AssertionError, with the worst element and what assert_rope_close
        would say, where a result, or a tuple of them, is not within the
        bound."""
        found = {name: self._view.back(y, name) for name, y in
                 zip(self.want, wanted(self.want, result))}
        for name, y in found.items():
            want, bound = self.want[name], self.bound[name]
            if y.shape != want.shape:
                raise AssertionError(f"{self.id}: {name} is {form_of(y)}, not "
                                     f"of shape {list(want.shape)}")
            if self.dtype == "bf16" and y.dtype == np.uint16:
                y = libraries.bf16_to_f32(y)
            off = np.abs(y.astype(np.float64) - want)
            wrong = ~(off <= bound)
            if not wrong.any():
                continue
            with np.errstate(divide="ignore", invalid="ignore"):
                ratio = np.where(wrong, np.nan_to_num(off / bound, nan=np.inf), 0)
            at = np.unravel_index(np.argmax(ratio), ratio.shape)
            raise AssertionError(
                f"{self.id}: {wrong.sum()} of {wrong.size} elements of {name} "
                f"are beyond their bound; the worst, {name}"
                f"[{','.join(map(str, at))}], is {y[at]:.9g}, not "
                f"{want[at]:.9g}: {ratio[at]:.3g} x the bound {bound[at]:.3g}"
                f"{self._words_of(found)}")

    def _words_of(self, found):
        words = text_of(self._request, {name: self._view.turned(y)
                                        for name, y in found.items()},
                        claim_of(self._claim))
        return "\n" + words if words else ""

    def check(self, function, **declaration):
        """Calls a function, as like= says or with this problem, and asserts
        what it returns. declaration: as of ropeproof.kernel; arrays and
        heads_first are those of problems() unless it says otherwise."""
        if self._like in (None, "plain"):
            return self.assert_close(function(self))
        from ropeproof.like import kernel_of
        declaration = {**self._asked, **declaration}
        kernel = kernel_of(function, self._like, **declaration)
        status, message, results = kernel.solve(self._request)
        if status != "ok":
            raise AssertionError(f"{self.id}: {message or status}")
        self.assert_close([self._view.turned(y) for _, y in results])


class _Data:
    """The tensors of one problem in a file, in their order."""

    def __init__(self, memory, tensors):
        self._memory, self._tensors = memory, list(tensors)

    def next(self):
        name, dtype, (start, end) = self._tensors.pop(0)
        return name, self._memory[start:end].view(TYPES[dtype])

    def rest(self):
        while self._tensors:
            yield self.next()


def _fill(array, data):
    array.reshape(-1)[...] = data.next()[1]


def problems(*, like=None, dtypes=("f32",), pairings=("half_split",),
             operations=("rope",), features=("keys",), tier="smoke", fresh=None,
             arrays=None, heads_first=None, claim=None, program=None):
    """A list of the suite's problems of such a kernel, for parametrize:

        @pytest.mark.parametrize("problem", ropeproof.problems(features=()),
                                 ids=str)
        def test_my_rope(problem):
            problem.assert_close(my_rope(problem.q, problem.positions))

    With the feature "keys", which is the default, most have a problem.k, too,
    and want a tuple (q, k).

    like       problem.check(function) calls it as this form: ropeproof/like.
               Operations and features are then the form's
    tier       "smoke" or "core"; up to 65,536 elements each
    fresh      in core, a seed for inputs that nobody has seen
    claim      that `bound` follows from: an angle class, or a dict. Without it
               "A1"; of a form its own, as rounding each operation
    The rest is as the decorator has it.
    """
    for name, given in (("dtypes", dtypes), ("pairings", pairings),
                        ("operations", operations), ("features", features)):
        if isinstance(given, str):
            raise Error(f"problems: {name} is {given!r}; expected a list of "
                        f"words, [{given!r}]")
        if not isinstance(given, (list, tuple, set)):
            raise Error(f"problems: {name} is {said(given)}; expected a list")
    if tier not in ("smoke", "core"):
        raise Error(f"problems: tier is {said(tier)}; known are smoke, core")
    if fresh is not None and (tier != "core" or type(fresh) is not int or
                              not 1 <= fresh < 2**63):
        raise Error(f"problems: fresh is {said(fresh)}, tier {tier!r}; expected "
                    f"a whole number, 1 to 2^63 - 1, with tier=\"core\"")
    if not isinstance(claim, (str, dict, type(None))):
        raise Error(f"problems: claim is {said(claim)}; expected a class, "
                    f"\"A1\", or a dict")
    description = dict(operations=list(operations), features=list(features))
    words = dict(angle_class="A1")
    if like not in (None, "plain"):
        form = _of_form(like)
        words.update(form.pop("claim"))
        description.update(form)
    if claim is not None:
        words = {"angle_class": claim} if isinstance(claim, str) else dict(claim)
    if not set(description["operations"]) <= {"rope", "rotate"}:
        asked = (f"operations is {said(operations)}" if like in (None, "plain")
                 else f"like={like!r} looks up caches")
        raise Error(f"problems: {asked}; rope and rotate have goldens here")
    description.update(
        name="problems", version="0", dtypes=list(map(word_of, dtypes)),
        pairings=list(pairings), claims=[words],
        features=["out_of_place", *description["features"]])
    asked = {name: value for name, value in (
        ("arrays", arrays), ("heads_first", heads_first)) if value is not None}
    view = View(arrays or "numpy", bool(heads_first))
    with tempfile.TemporaryDirectory(prefix="ropeproof-") as folder:
        file = os.path.join(folder, "description.json")
        with open(file, "w", encoding="utf-8") as out:
            json.dump(description, out)
        done = subprocess.run(
            [runner.find(program), "export", "--goldens", folder, "--tier", tier,
             "--description", file, *([f"--fresh={fresh}"] if fresh else [])],
            capture_output=True, text=True)
        if done.returncode != 0:
            line = done.stderr.strip().removeprefix("ropeproof: ")
            line = line.replace(file + ".", "").replace(file + ": ", "")
            raise Error(f"problems: {line}")
        memory = np.fromfile(os.path.join(folder, "goldens.safetensors"),
                             np.uint8)
    return _read(memory, view, like, "keys" in description["features"], asked,
                 words)


def _of_form(like):
    from ropeproof.decorator import CLAIM
    from ropeproof.like import FORMS
    if like not in FORMS:
        raise Error(f"problems: like={like!r}: known are {', '.join(FORMS)}")
    first = next(iter(FORMS[like].signatures.values()))
    return dict(operations=first["operations"],
                features=first.get("features", ["keys"]),
                claim={word: first[word] for word in CLAIM if word in first})


def _read(memory, view, like, has_keys, asked, claim):
    size = int(memory[:8].view("<u8")[0])
    header = json.loads(memory[8:8 + size].tobytes())
    data = memory[8 + size:]
    heads, tensors = header.pop("__metadata__"), {}
    for name, tensor in header.items():
        owner, _, part = name.rpartition("/")
        tensors.setdefault(owner, []).append(
            (part, tensor["dtype"], tensor["data_offsets"]))
    made = []
    for name, head in heads.items():
        head = json.loads(head)
        head.pop("op")
        made.append(NamedProblem(name, head, _Data(data, tensors[name]), view,
                                 like, has_keys, asked, claim))
    return made
