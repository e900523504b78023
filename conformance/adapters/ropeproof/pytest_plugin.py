"""Functions judged by pytest: one test for each group of cases.

    pytest --ropeproof module:function --ropeproof-like hf

or, in a test module, of a function that is there:

    @ropeproof.mark(like="hf", dtypes=["bf16"])
    def my_rope(q, k, cos, sin): ...

The function is judged once; each test shows what is wrong, and what failed in its
group. The last one, `verdict`, is the whole report. Under pytest-xdist there is a test for each
shard instead, and the last to end has the verdict of all.
"""

import contextlib
import inspect
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import pytest

from ropeproof import backends, program
from ropeproof.errors import Error
from ropeproof.judging import check, judge
from ropeproof.named import function_named

LISTS = ("dtypes", "operations", "pairings", "features", "scalings")
WORDS = ("like", "claim", "profile", "model", "config", "positions", "heads",
         "layers", "tier", "fresh", "require", "program", "arrays", "backend")
SHOWN = 3  # failures of a group in full
# In a report; with the case.
FAILURE = re.compile(r"^(?:FAIL|CRASH|TIMEOUT|ERROR)  (\S+) .*\n(?:  .*\n)*?"
                     r"  replay .*\n\n?", re.M)
# What is wrong, where and why: once for the whole report.
DIAGNOSIS = re.compile(r"^  what     .*\n(?:  .*\n)*\n", re.M)
VERDICT = "verdict"


def pytest_addoption(parser):
    group = parser.getgroup("ropeproof", "RoPE functions")
    group.addoption("--ropeproof", action="append", default=[],
                    metavar="MODULE:FUNCTION",
                    help="judge it, in place of the tests of this folder; "
                    "paths may be named, too")
    for word in (*WORDS, *LISTS):
        group.addoption(f"--ropeproof-{word}", metavar="WORD" + ",..." *
                        (word in LISTS), help=f"judge({word}=...)")


def pytest_ignore_collect(collection_path, config):
    """Tests that are not asked for are not imported: they might fail."""
    return (_is_alone(config) and collection_path.is_file()) or None


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector, name, obj):
    if not isinstance(collector, pytest.Module):
        return None
    # What else a module has may answer any question for an attribute.
    how = inspect.getattr_static(obj, "ropeproof", None)
    if not isinstance(how, dict):
        return None
    return Judged.from_parent(collector, name=name, function=obj, how=how)


def pytest_collection_modifyitems(session, config, items):
    how = {}
    for word in (*WORDS, *LISTS):
        value = config.getoption(f"ropeproof_{word}")
        if value:
            how[word] = value.split(",") if word in LISTS else value
    for spec in config.getoption("ropeproof"):
        try:
            if "backend" in how:  # before what it runs is imported
                backends.use(how["backend"])
            function = function_named(
                spec, str(config.invocation_params.dir), "--ropeproof")
            check(function, **how)
        except (Error, ValueError) as error:
            if not hasattr(config, "workerinput"):
                raise pytest.UsageError(str(error)) from error
            # What a worker of xdist raises here nobody would see.
            items.append(NotThere.from_parent(session, name=spec, nodeid=spec,
                                              error=error))
            continue
        judged = Judged.from_parent(session, name=spec, nodeid=spec, how=how,
                                    function=function)
        items.extend(judged.collect())


def _is_alone(config):
    """Whether --ropeproof is asked for, and no path."""
    return (config.getoption("ropeproof")
            and config.args_source != config.ArgsSource.ARGS)


class Judged(pytest.Collector):
    """A function, with the tests of its groups or shards."""

    def __init__(self, *, function, how, **more):
        super().__init__(**more)
        self._function, self._how = function, how
        self._outcome, self._is_told = None, False

    def collect(self):
        shards = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 1))
        if shards > 1:
            return [ShardTest.from_parent(self, name=f"shard {i}/{shards}")
                    for i in range(1, shards + 1)]
        try:
            check(self._function, **self._how)
            names = _groups(self._how)
        except Error as error:
            raise self.CollectError(str(error)) from None
        return [GroupTest.from_parent(self, name=name, groups=names)
                for name in (*names, VERDICT)]

    def judge(self, **more):
        return judge(self._function, **{**self._how, **more})

    def report(self):
        """Of the one run."""
        if self._outcome is None:
            try:
                self._outcome = self.judge(failures=1000000)
            except Error as error:
                self._outcome = error
        if isinstance(self._outcome, Error):
            if self._is_told:
                pytest.skip("not judged: the first test says why")
            self._is_told = True
            raise self._outcome
        return self._outcome

    def merged(self, folder):
        """Status and text of all shards together."""
        files = sorted(map(str, pathlib.Path(folder).glob("*.json")))
        run = subprocess.run(
            [program.find(self._how.get("program")), "merge", *files],
            capture_output=True, text=True)
        return run.returncode, run.stdout + run.stderr


class Failed(Exception):
    """With the text to show."""


class _Test(pytest.Item):
    def repr_failure(self, excinfo, style=None):
        if isinstance(excinfo.value, (Failed, Error)):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self):
        return self.path, None, f"{self.parent.name}[{self.name}]"


class NotThere(_Test):
    def __init__(self, *, error, **more):
        super().__init__(**more)
        self._error = error

    def runtest(self):
        raise self._error


class GroupTest(_Test):
    def __init__(self, *, groups, **more):
        super().__init__(**more)
        self._groups = groups

    def runtest(self):
        report = self.parent.report()
        texts = list(FAILURE.finditer(report))
        if self.name == VERDICT:
            if not report.conforms and texts:
                raise Failed(report[:texts[0].start()] + _some(texts, 1) +
                             report[texts[-1].end():])
            if not report.conforms:
                raise Failed(report)
            return
        failed = [text for text in texts if self._has(text[1])]
        if failed:
            raise Failed("".join(DIAGNOSIS.findall(report)) +
                         _some(failed, SHOWN))
        if not any(self._has(check["case"]) and check["verdict"] in
                   ("PASS", "XFAIL") for check in report.json["checks"]):
            pytest.skip("asks nothing that the function offers")

    def _has(self, case):
        fits = [name for name in self._groups if re.match(
            re.escape(name) + ("[0-9]*-" if name == "fresh" else "-"), case)]
        return self.name == max(fits, key=len, default=VERDICT)


class ShardTest(_Test):
    def runtest(self):
        shard = self.name.split()[1]
        number, count = shard.split("/")
        run = self.config.workerinput["testrunuid"]
        name = re.sub("[^A-Za-z0-9]+", "-", self.parent.nodeid)
        folder = os.path.join(tempfile.gettempdir(), f"ropeproof-{run}-{name}")
        os.makedirs(folder, mode=0o700, exist_ok=True)
        file = os.path.join(folder, number)
        report = self.parent.judge(shard=shard, report=file)
        os.rename(file, file + ".json")
        with contextlib.suppress(FileExistsError, FileNotFoundError):
            if len(list(pathlib.Path(folder).glob("*.json"))) == int(count):
                os.mkdir(os.path.join(folder, "merged"))  # by one of them
                status, text = self.parent.merged(folder)
                shutil.rmtree(folder)
                if status != 0:
                    raise Failed(text)
        if not report.conforms:
            raise Failed(report)


def _some(texts, count):
    more = len(texts) - count
    return ("".join(text[0] for text in texts[:count]) +
            (f"... and {more} more that fail\n\n" if more > 0 else ""))


def _groups(how):
    if how.get("profile") or how.get("model") or how.get("config"):
        return ["profile", "pairs"]
    tier = how.get("tier") or "core"
    listed = subprocess.run([program.find(how.get("program")), "list"],
                            capture_output=True, text=True).stdout
    names = [name for name, of in re.findall(r"^(\S+) \((\w+)\): ", listed,
                                             re.M)
             if tier != "smoke" or of == "smoke"]
    if tier == "smoke":
        return names
    names.append("fresh" if how.get("fresh") else "pairs")
    return names + ["triples", "full"] * (tier == "full")
