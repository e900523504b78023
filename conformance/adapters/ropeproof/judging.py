"""A function of this process, judged."""

import inspect
import json
import os
import pathlib
import re
import sys
import tempfile

from ropeproof import decorator, program as runner
from ropeproof.arrays import DTYPES, word_of
from ropeproof.errors import Error
from ropeproof.report import Report
from ropeproof.standby import Standby


def judge(function, *, like=None, name=None, version=None, dtypes=None,
          claim="auto", profile=None, model=None, config=None,
          positions=None, heads=None, layers=None, tier=None, fresh=None,
          require=None, cases=(), shard=None, waivers=None, time_limit_ms=None,
          failures=1, details=False, diagnosis=True, report=None, program=None,
          **declaration):
    """Judges a function, or a class whose objects are functions; a Report.

    It is for friends: the function runs in this process, where it could patch
    the judge or never return. What a program wrote to pass grade() judges.

    It is called in this thread, and prints where it likes. What the program
    `ropeproof run` judges by files or a command, it judges here alike, but for
    what needs a fresh process.

    like           the form of the function's arguments and results, by name:
                   ropeproof/like. None or "plain": a function of a Problem
    name, version  of the kernel, in the report; the function's, and "0"
    dtypes         a list of "f64", "f32", "f16", "bf16", or of the types of a
                   library, torch.bfloat16; without it what the
                   profile is for, or what the form takes, ["f32"] of a Problem
    claim          "auto": the strictest that holds, with angles as good as f32
                   and cos and sin in no narrower type than the tensors', where
                   one does; "any": also what is coarser. Or what the function
                   is held to: a class, "A1"; a claim, a dict from dtypes to
                   claims, or a list of claims with their dtypes
                   (conformance/adapters/PROTOCOL.md, "describe")
    profile        what a model needs, in place of a tier
    model, config  the same of another model, or of a config.json, for one
                   dtype; positions, heads and layers as `ropeproof run` has
                   them. pairings, if one is given, are those of the weights;
                   backward=True asks the backward pass
    tier           "smoke", "core" (the default) or "full"
    fresh          a seed, or True, for sizes, positions and elements of its own
    require        the least that conforms: "L1+D", "A1"
    cases          only these ids; what a failure says under "replay"
    shard          "2/8": each eighth case, from the second on
    waivers        a file of failures to live with
    time_limit_ms  of one call; 10,000
    failures       how many the text shows in full
    details        whether the text says more
    diagnosis      whether what fails is looked at: what is wrong, where and
                   why; a verdict alone comes sooner
    report         a file for the JSON, as `--report` writes it
    program        the path of `ropeproof`, where it is not this package's
    declaration    what else @ropeproof.kernel takes: operations (["rope"]),
                   pairings (["half_split"]), features, scalings, arrays ...

    Error where nothing can be judged: no such program, profile or form, another
    signature, a declaration that contradicts itself. An exception, a wrong
    shape and a function that hangs are failures in the report.
    """
    name = name or _name_of(function)
    path = runner.find(program)
    dtypes = _words_of(dtypes)
    if profile and tier:
        raise Error(f"{name}: profile and tier: give one of them")
    if report and (os.path.isdir(report) or not os.access(
            os.path.dirname(os.path.abspath(report)), os.W_OK)):
        raise Error(f"{name}: report {str(report)!r} cannot be written")
    if (model or config) and (dtypes is None or len(dtypes) != 1):
        raise Error(f"{name}: model and config need one dtype: "
                    f"dtypes=[\"bf16\"]")
    if dtypes is None and profile:
        dtypes = [w for w in profile.split("-") if w in DTYPES] or None
    is_searched = isinstance(claim, str) and claim in ("auto", "any")
    is_auto = (is_searched
               and not {"claims", "angle_class"} & declaration.keys())
    if not is_searched:
        declaration["claims"] = _claims(name, claim)
    kernel = _kernel_of(function, like, name=name, version=version,
                        dtypes=dtypes, **declaration)

    if profile or model or config:
        kernel.takes_any_head = True  # it is one head, and compiled for it alone
    chosen = _flags(profile=profile, model=model, config=config,
                    positions=positions, heads=heads, layers=layers, tier=tier,
                    fresh=fresh)
    if model or config:
        given = declaration.get("pairings") or []
        chosen += _flags(dtype=dtypes[0], adjoint=declaration.get("backward"),
                         pairing=given[0] if len(given) == 1 else None)
    limit = _flags(time_limit=time_limit_ms)
    about = [*limit, *_flags(require=require, case=cases, shard=shard,
                             waivers=waivers, failures=failures)]
    about += _flags(details=details, no_diagnosis=not diagnosis)

    def alone(asked):
        """Which of some cases pass where nothing else is asked."""
        kernel.description["claims"] = asked["claims"]
        return [case for case in asked["ids"] if _passes(
            path, [*chosen, *limit, f"--case={case}"], kernel)]
    standby = None if cases or shard else Standby(alone)
    try:
        judged = _at_its_claim(path, claim if is_auto else None, kernel, report,
                               chosen, about, limit, shard, tier, cases)
        if standby and judged.exit_status == 1:
            judged = _with_earlier_calls(judged, standby, kernel)
        return judged
    finally:
        if standby:
            standby.close()


def _at_its_claim(path, claim, kernel, report, chosen, about, limit, shard, tier,
                  cases):
    """The report of a kernel, at its claim or, where one is searched for, at
    that."""
    def run():
        return _judged(path, [*chosen, *about], kernel, report)
    if claim is None:
        return run()
    # A few calls usually show which claim it is. Shards must all find the same.
    is_quick = not shard and tier != "smoke"
    quick = ["--tier=smoke"] if is_quick else chosen
    found = _claim_strictest(path, claim, [*quick, *limit], kernel)
    if is_quick and found["unasked"] and not found["spoiled"]:
        is_quick = False
        found = _claim_strictest(path, claim, [*chosen, *limit], kernel)
    judged = run()
    if (judged.exit_status == 1 and is_quick and not found["none"]
            and not cases):
        before = kernel.description["claims"]
        _claim_strictest(path, claim, [*chosen, *limit], kernel)
        if kernel.description["claims"] != before:
            return run()
    return judged


def _passes(path, arguments, kernel):
    document = _run(path, arguments, kernel)[2]
    if document is None:
        return False
    return any(check["verdict"] == "PASS" and "aspect" not in check
               for check in json.loads(document)["checks"])


MOST_ASKED_AGAIN = 3


def _with_earlier_calls(judged, standby, kernel):
    """The report, and what it cannot know: that wrong results are right where
    other calls, or none, came before."""
    wrong = [check["case"] for check in judged.json["checks"]
             if check["verdict"] == "FAIL" and "first_wrong" in check]
    again = list(dict.fromkeys(wrong))[:MOST_ASKED_AGAIN]
    right = standby.ask(dict(ids=again, claims=kernel.description["claims"])
                        ) if again else None
    if not right:
        return judged
    where = ("in a process of its own" if standby.is_fresh
             else "when asked again, after others")
    return judged.with_note(
        f"depends on earlier calls: right {where}: {', '.join(right)}", right)


# What judge() takes and a declaration does not.
JUDGING = {word for word, parameter in inspect.signature(judge).parameters.items()
           if parameter.kind is parameter.KEYWORD_ONLY} - {"dtypes", "like", "name"}


def mark(**how):
    """For pytest: the function that it decorates is judged so, with a test for
    each group of cases."""
    def marked(function):
        function.ropeproof = how
        return function
    return marked


def check(function, *, like=None, name=None, dtypes=None, **how):
    """Error where a function cannot be judged so, before any call."""
    rest = {word: value for word, value in how.items() if word not in JUDGING}
    _kernel_of(function, like, name=name or _name_of(function),
               dtypes=_words_of(dtypes), **rest)


def _words_of(dtypes):
    if dtypes is None:
        return None
    is_list = isinstance(dtypes, (list, tuple, set))
    return list(map(word_of, dtypes if is_list else [dtypes]))


def _kernel_of(function, like, *, name, **declaration):
    given = {word: value for word, value in declaration.items()
             if value is not None}
    try:
        if like not in (None, "plain"):
            from ropeproof.like import kernel_of
            return kernel_of(function, like, name=name, **given)
        if not inspect.isclass(function):
            _check_signature(function)
        if "claims" not in given:
            given.setdefault("angle_class", "A1")
        usual = dict(version="0", operations=["rope"], dtypes=["f32"],
                     pairings=["half_split"])
        return decorator.kernel_of(function, name=name, **{**usual, **given})
    except Exception as error:
        line = str(error).split("\n")[0] or type(error).__name__
        raise Error(f"{name}: {line}") from error


def _check_signature(function):
    # Modules of torch and keras have a __call__ of any arguments.
    called = [getattr(function, name, None) for name in ("forward", "call")]
    try:
        signature = inspect.signature(next(filter(callable, called), function))
    except ValueError:
        return  # a builtin that does not say
    try:
        signature.bind(None)
    except TypeError:
        raise TypeError(f"takes {signature}, not one Problem; for other "
                        f"arguments say like=") from None


def _claims(name, claim):
    if isinstance(claim, str):
        return [{"angle_class": claim}]
    if isinstance(claim, dict) and "angle_class" in claim:
        return [claim]
    listed = claim.values() if isinstance(claim, dict) else claim
    if (not isinstance(claim, (dict, list, tuple)) or not claim
            or not all(isinstance(one, dict) for one in listed)
            or isinstance(claim, dict) and not set(claim) <= set(DTYPES)):
        raise Error(f"{name}: claim {claim} has neither an angle_class nor "
                    f"dtypes")
    return claim


def _name_of(function):
    function = getattr(function, "func", function)  # of a functools.partial
    name = getattr(function, "__name__", type(function).__name__)
    return re.sub(r"[^A-Za-z0-9._/-]+", "-", name).strip("-")[:100] or "kernel"


def _flags(**values):
    flags = []
    for word, value in values.items():
        flag = "--" + word.replace("_", "-")
        if value is True:
            flags.append(flag)
        elif isinstance(value, (list, tuple)):
            flags += [f"{flag}={item}" for item in value]
        elif value is not None and value is not False:
            flags.append(f"{flag}={value}")
    return flags


def _judged(path, arguments, kernel, report):
    status, text, document, message = _run(path, arguments, kernel)
    if document is None:
        raise Error(f"{kernel.description['name']}: {_reason(status, message)}")
    sys.stderr.write(message)
    if report:
        try:
            pathlib.Path(report).write_text(document, encoding="utf-8")
        except OSError as error:  # a full disk
            raise Error(f"{kernel.description['name']}: report "
                        f"{str(report)!r} cannot be written: "
                        f"{error.strerror}") from error
    return Report(text, document)


def _claim_strictest(path, claim, arguments, kernel):
    """Has the kernel claim the strictest that its results hold to; where no
    claim holds, what most kernels do. What the program found."""
    description = kernel.description
    status, _, document, message = _run(path, [f"--claim={claim}", *arguments],
                                        kernel)
    if document is None:
        raise Error(f"{description['name']}: {_reason(status, message)}")
    found = json.loads(document)
    first = description["claims"][0]
    description["claims"] = found["claims"] + [
        dict(first, dtypes=[dtype],
             rounding="each" if dtype in ("f16", "bf16") else "once")
        for dtype in found["none"] + found["unasked"]]
    return found


def _run(path, arguments, kernel):
    """Status, text, the JSON that it wrote or None, messages."""
    try:
        with tempfile.TemporaryDirectory(prefix="ropeproof-") as folder:
            file = os.path.join(folder, "report.json")
            status, text, message = runner.ask(
                path, ["run", *arguments, "--report", file], kernel, folder)
            document = None
            if os.path.exists(file):
                with open(file, encoding="utf-8") as written:
                    document = written.read()
    except OSError as error:  # not the function's, which are failures
        raise Error(f"{kernel.description['name']}: cannot be judged here: "
                    f"{error}") from error
    return status, text, document, message


def _reason(status, message):
    lines = message.strip().splitlines()
    if not lines:
        return f"the program ended with status {status}"
    return re.sub("^ropeproof: (--socket [0-9]+: )?(describe: )?", "",
                  lines[-1])
