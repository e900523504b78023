"""The gate of a CI: `python -m ropeproof.gate` judges what the environment names, leaves the
reports in a folder, and ends with the exit status of `ropeproof run`, or with 1 where that is 0
and something that passed before fails or is no longer offered.

  ROPEPROOF_LIBRARY, ROPEPROOF_COMMAND, ROPEPROOF_FUNCTION
                      the kernel: a plug-in, a process, or module:function; one of them
  ROPEPROOF_PROFILE, ROPEPROOF_CONFIG, ROPEPROOF_DTYPE, ROPEPROOF_TIER,
  ROPEPROOF_REQUIRE, ROPEPROOF_WAIVERS, ROPEPROOF_SHARD
                      as the flags of `ropeproof run` without their dashes
  ROPEPROOF_LIKE, ROPEPROOF_DTYPES
                      of a function: as ropeproof.judge() has them, dtypes with commas
  ROPEPROOF_BASELINE  the report.json of an earlier run; where there is no such file, nothing is
                      compared
  ROPEPROOF_OUT       the folder: report.json, report.html, junit.xml, diff.md where there is a
                      baseline (default: ropeproof-report)

With GITHUB_ACTIONS=true failures are annotations, at the function's line, the waiver's, or at
none: a library has no lines.
"""

import inspect
import json
import os
import pathlib
import secrets
import subprocess
import sys

from ropeproof.errors import Error
from ropeproof.named import function_named
from ropeproof.program import find

MOST_ANNOTATIONS = 10
FAILURES = ("FAIL", "CRASH", "TIMEOUT", "ERROR", "MISSING")
KERNELS = ("library", "command", "function")
FLAGS = ("profile", "config", "dtype", "tier", "require", "waivers", "shard")


def setting(name):
    return os.environ.get(f"ROPEPROOF_{name.upper()}", "").strip()


def escaped(text, of_property=False):
    """Text in a workflow command: of a property, ":" and "," too."""
    marks = {"%": "%25", "\r": "%0D", "\n": "%0A"}
    if of_property:
        marks.update({":": "%3A", ",": "%2C"})
    return "".join(marks.get(c, c) for c in text)


def annotation(kind, title, message, place):
    where = "".join(f"{key}={escaped(str(value), True)},"
                    for key, value in place.items())
    return f"::{kind} {where}title={escaped(title, True)}::{escaped(message)}"


def annotations(report, place, waivers):
    """The lines of a report for GitHub: what is wrong first, then check by check."""
    lines = []
    for fault in report["diagnoses"]:
        what = fault["what"] or "no known bug gives these numbers"
        where = f"; exactly where {fault['where']}" if len(fault["where"]) > 1 else ""
        lines.append(annotation("error", "ropeproof: what is wrong",
                                f"{what}{where}. {fault['advice']}".strip(), place))
    failing = [c for c in report["checks"] if c["verdict"] in FAILURES]
    for check in failing[:MOST_ANNOTATIONS]:
        message = check.get("reason") or check.get("pattern") or check["verdict"]
        lines.append(annotation(
            "error", f"{check['verdict']} {check['case']} {check['operation']}",
            f"{message}\n{check['summary']}", place))
    if len(failing) > MOST_ANNOTATIONS:
        lines.append(annotation("notice", "ropeproof",
                                f"{len(failing)} checks fail; report.html has them", {}))
    text = pathlib.Path(waivers).read_text(errors="replace").split("\n") if waivers else []
    for waiver in report["waivers"]:
        if waiver["is_expired"]:
            at = [i for i, line in enumerate(text, 1) if json.dumps(waiver["id"]) in line]
            lines.append(annotation(
                "error", "ropeproof: a waiver has expired", f"{waiver['id']}: {waiver['reason']}",
                {"file": waivers, "line": at[0]} if at else {}))
    return lines


def place_of(function):
    """Where its definition stands, as far as Python knows."""
    try:
        file = os.path.relpath(inspect.getsourcefile(function))
        return {"file": file, "line": inspect.getsourcelines(function)[1] or 1}
    except (TypeError, OSError):
        return {}


def judge_function(function, report):
    from ropeproof.judging import judge

    how = {name: setting(name) for name in ("like", *FLAGS) if setting(name)}
    dtypes = setting("dtypes") or how.pop("dtype", "")
    how.pop("dtype", None)
    if dtypes:
        how["dtypes"] = dtypes.split(",")
    found = judge(function, report=str(report), **how)
    print(found)
    return found.exit_status


def judge_kernel(program, kernel, report):
    flag = "--lib" if kernel == "library" else "--command"
    words = [word for name in FLAGS if setting(name) for word in (f"--{name}", setting(name))]
    return subprocess.run([program, "run", flag, setting(kernel), *words,
                           "--report", str(report)]).returncode


def gate():
    kernels = [name for name in KERNELS if setting(name)]
    if len(kernels) != 1:
        raise Error("set one of ROPEPROOF_LIBRARY, ROPEPROOF_COMMAND, ROPEPROOF_FUNCTION")
    out = pathlib.Path(setting("out") or "ropeproof-report")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Error(f"ROPEPROOF_OUT {out}: {error.strerror}") from None
    program, report, baseline = find(), out / "report.json", setting("baseline")
    for old in (report, out / "diff.md"):
        old.unlink(missing_ok=True)
    is_github = os.environ.get("GITHUB_ACTIONS") == "true"
    # What a kernel has printed is no command of a workflow.
    token = secrets.token_hex(16)
    if is_github:
        print(f"::stop-commands::{token}", flush=True)
    place = {}
    try:
        if kernels == ["function"]:
            function = function_named(setting("function"), os.getcwd(),
                                      "ROPEPROOF_FUNCTION")
            place = place_of(function)
            status = judge_function(function, report)
        else:
            status = judge_kernel(program, kernels[0], report)
        if report.exists():
            page = str(out / "report.html")
            subprocess.run([program, "merge", str(report), "--junit", str(out / "junit.xml"),
                            "--html", page], stdout=subprocess.DEVNULL, check=False)
            if os.path.isfile(baseline):
                compared = subprocess.run([program, "diff", baseline, str(report),
                                           "--markdown", str(out / "diff.md")])
                if (out / "diff.md").exists():
                    subprocess.run([program, "html", str(report), "--since", baseline, "--out",
                                    page], stdout=subprocess.DEVNULL, check=False)
                # A baseline of another version compares with nothing, and breaks nothing.
                status = status or int(compared.returncode == 1)
    finally:
        sys.stdout.flush()
        if is_github:
            print(f"\n::{token}::", flush=True)
    if is_github and report.exists():
        found = json.loads(report.read_text())
        print("\n".join(annotations(found, place, setting("waivers"))), flush=True)
    return status


if __name__ == "__main__":
    try:
        sys.exit(gate())
    except Error as error:
        print(f"ropeproof: {error}", file=sys.stderr)
        sys.exit(2)  # as of the program: 1 is a verdict
