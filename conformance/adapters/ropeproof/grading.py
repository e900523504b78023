"""A kernel that nobody trusts, graded: behind walls, in a process of its own."""

import inspect
import json
import os
import pathlib
import shlex
import site
import subprocess
import sys
import sysconfig
import tempfile

from ropeproof import program as runner
from ropeproof.judging import _claims, _flags, _words_of


class Verdict(dict):
    """What `ropeproof grade --json` prints, conformance/report/GRADE.md; each
    field is an attribute, too: verdict.conforms, verdict.lacking ..."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def grade(kernel, policy, *, like=None, name=None, dtypes=None, claim=None,
          show=(), environment=None, sandbox=True, diagnosis=True,
          time_limit_ms=None, program=None, **declaration):
    """Grades a kernel that a program wrote to pass, by a policy; a Verdict.

    kernel       the path of a shared library with the C ABI, or of an adapter in
                 Python, one that calls serve(); or a function: itself, or
                 "module:function" or "path/to/file.py:function", so that nothing
                 of it runs here. It is imported by that name in a process of its
                 own: one of the main program comes from its file, whose main part
                 must stand behind `if __name__ == "__main__"`
    policy       a policy.json, or what it says as a dict
    like, name, dtypes, declaration
                 of a function, as judge() takes them, where JSON can say it
    claim        what it is held to, as judge(claim=...), "A1"; without it what
                 the form claims, and A1 of a function of a Problem
    show         files and folders that it may read, beside the interpreter, the
                 installed packages and its own module
    environment  a dict of variables for the process of a function or an adapter,
                 {"TRITON_INTERPRET": "1"}, which sees few others
    sandbox      False: without walls, where this machine has none
    diagnosis    False: whoever fails is told no cause
    time_limit_ms  of one call; else the policy's
    program      the path of `ropeproof`, where it is not this package's

    Linux with bubblewrap; conformance/report/GRADE.md. ValueError, one line, where there is no verdict:
    no such file or function, a policy that is none, no walls.
    """
    path = runner.find(program)
    arguments = ["grade", "--json", *_flags(
        no_sandbox=not sandbox, no_diagnosis=not diagnosis,
        time_limit=time_limit_ms)]
    options = {"like": like, "name": name, "dtypes": _words_of(dtypes),
               **declaration}
    if claim is not None:
        options["claims"] = _claims(name or "grade", claim)
    options = {word: value for word, value in options.items() if value is not None}
    arguments += _kernel_arguments(kernel, options, show, environment or {})
    with tempfile.TemporaryDirectory(prefix="ropeproof-") as folder:
        file = policy
        if isinstance(policy, dict):
            file = os.path.join(folder, "policy.json")
            pathlib.Path(file).write_text(_json("policy", policy))
        try:
            run = subprocess.run([path, *arguments, f"--policy={os.fspath(file)}"],
                                 stdin=subprocess.DEVNULL, capture_output=True)
        except OSError as error:
            raise ValueError(f"program {path!r} cannot be started: "
                             f"{error.strerror}") from None
    try:
        return Verdict(json.loads(run.stdout))
    except ValueError:
        raise ValueError(_reason(run, policy, str(file))) from None


def _reason(run, policy, file):
    """Why there is no verdict: the last line, without what the caller has not
    said."""
    lines = run.stderr.decode("utf-8", "replace").strip().splitlines()
    if not lines:
        return f"the program ended with status {run.returncode}"
    line = lines[-1].removeprefix("ropeproof: ")
    if isinstance(policy, dict):
        line = line.replace(file, "policy")
    command, is_command, rest = line.partition(": describe: ")
    if not is_command:
        return line
    last = rest.partition(" (last printed: ")[2].removesuffix(")")
    return last or rest


def needed():
    """The files and folders of this interpreter and of installed packages."""
    paths = [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.executable,
             *(sysconfig.get_paths()[key] for key in
               ("stdlib", "platstdlib", "purelib", "platlib")),
             *site.getsitepackages(), os.path.dirname(__file__)]
    if site.ENABLE_USER_SITE:
        paths.append(site.getusersitepackages())
    found = dict.fromkeys(path for path in map(os.path.realpath, paths)
                          if os.path.exists(path))
    found.update(dict.fromkeys(path for path in paths if os.path.exists(path)))
    return [path for path in found if path != "/"]


def _kernel_arguments(kernel, options, show, environment):
    if not callable(kernel):
        kernel = os.fspath(kernel)
        if ":" not in kernel or os.path.exists(kernel):
            return _of_file(kernel, options, show, environment)
    module, function, own = _place_of(kernel)
    words = _json("the declaration", {
        **options, "module": module, "function": function,
        "path": [os.path.dirname(file) for file in own]})
    command = _python(environment, "-m", "ropeproof.graded", words)
    return [f"--command={command}", *_flags(show=[*needed(), *own, *show])]


def _of_file(kernel, options, show, environment):
    if not os.path.isfile(kernel):
        raise ValueError(f"{kernel}: no such file; a library, an adapter in "
                         f"Python, or \"module:function\"")
    if options:
        raise ValueError(f"{kernel}: {', '.join(options)}: is what a function "
                         f"declares; a file declares itself")
    if not kernel.endswith(".py"):
        return [f"--lib={kernel}", *_flags(show=list(show))]
    own = os.path.abspath(kernel)
    return [f"--command={_python(environment, own)}", *_flags(show=[*needed(), own, *show])]


def _python(environment, *words):
    """A command that starts this interpreter, with this package."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    variables = {"PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1", **environment}
    return shlex.join(["env", *(f"{name}={value}" for name, value in variables.items()),
                       sys.executable, *words])


def _place_of(function):
    """Module or file, name in it, and what has to be seen of it."""
    if isinstance(function, str):
        module, _, name = function.rpartition(":")
        if module.endswith(".py"):
            if not os.path.isfile(module):
                raise ValueError(f"{module}: no such file")
            module = os.path.abspath(module)
            return module, name, [module]
        return module, name, _files_of_module(module)
    name = getattr(function, "__qualname__", None)
    module = getattr(function, "__module__", None)
    if not name or not module or "<" in name:
        raise ValueError(f"{name or type(function).__name__}: another process "
                         f"cannot import it; write it at the top of a file")
    if module != "__main__":
        return module, name, _files_of_module(module)
    try:
        file = os.path.abspath(inspect.getsourcefile(function))
    except TypeError:
        file = ""
    if not os.path.isfile(file):
        raise ValueError(f"{name}: another process cannot import it; write it to "
                         f"a file")
    return file, name, [file]


def _files_of_module(module):
    """The folder or the file of the package that it is in."""
    import importlib.util
    top = module.partition(".")[0]
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        spec = None
    if spec is None:
        raise ValueError(f"{module}: there is no such module on sys.path")
    places = list(spec.submodule_search_locations or [spec.origin])
    return [os.path.abspath(place) for place in places]


def _json(what, value):
    try:
        return json.dumps(value)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{what}: {error}; what JSON cannot say an adapter can "
                         f"(conformance/adapters/README.md)") from None
