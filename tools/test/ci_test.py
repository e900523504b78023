"""Runs the steps of action.yml and tools/ci/gitlab.yml here, as the two services would.

  ci_test.py BUILD_DIR

A stand-in reads the same YAML, fills in the expressions and gives each `run` to bash. What the
services have and this machine has not is recorded in place of being done: gh, curl, sudo, and
`pip install` into a new environment, which gets the package of BUILD_DIR. Steps with `uses` are
the services' own; their paths must be there. Exit status 77: there is no PyYAML.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import yaml
except ImportError:
    print("ci_test: no PyYAML, skipped")
    sys.exit(77)

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv[1]).resolve()
PLUGINS = BUILD / "plugins"
KERNEL = """\
import numpy as np


def my_rope(p):
    u, v = np.split(p.q, 2, axis=-1)
    theta = np.float32(p.base) ** -np.linspace(
        0, 1, p.head_dim // 2, endpoint=False, dtype=np.float32)
    phi = p.positions.astype(np.float32)[:, :, None, None] * theta
    print("::error::forged")
    return np.concatenate([u * np.cos(phi) - v * np.sin(phi),
                           SIGN u * np.sin(phi) + v * np.cos(phi)], axis=-1)
"""
# An environment is a folder with a python that finds the package; pip says what it was given.
PYTHON = """\
#!/bin/bash
if [ "$1 $2" = "-m venv" ]; then mkdir -p "$3/bin"; cp "$0" "$3/bin/python"; exit; fi
if [ "$1 $2" = "-m pip" ]; then echo "pip ${*:3}" >>"$RECORD"; exit; fi
PYTHONPATH=$PACKAGE${PYTHONPATH:+:$PYTHONPATH} exec "$REAL_PYTHON" "$@"
"""
RECORDER = '#!/bin/bash\necho "$(basename "$0") $*" >>"$RECORD"\n'


class Machine:
    """A runner: a folder to work in, and programs that record what they are asked."""

    def __init__(self, folder):
        self.work, self.bin = folder / "work", folder / "bin"
        self.record = folder / "record"
        for made in (self.work, self.bin, folder / "temp"):
            made.mkdir(parents=True)
        self.record.touch()
        for name, text in {"python3": PYTHON, "gh": RECORDER, "curl": RECORDER,
                           "sudo": RECORDER}.items():
            (self.bin / name).write_text(text)
            (self.bin / name).chmod(0o755)
        self.env = {
            "PATH": f"{self.bin}:/usr/bin:/bin", "HOME": str(folder), "RECORD": str(self.record),
            "PACKAGE": str(PACKAGE), "REAL_PYTHON": sys.executable,
            "RUNNER_TEMP": str(folder / "temp"), "GITHUB_OUTPUT": str(folder / "output")}

    def bash(self, script, env):
        found = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
                               cwd=self.work, env={**self.env, **env}, capture_output=True,
                               text=True)
        return found.returncode, found.stdout + found.stderr

    def recorded(self):
        return self.record.read_text()


def evaluate(expression, values):
    """An expression of a workflow: names, strings, ==, !=, && and ||."""
    words = re.findall(r"'[^']*'|always\(\)|&&|\|\||==|!=|[\w.-]+", expression)
    python = []
    for word in words:
        if word in ("&&", "||"):
            python.append({"&&": "and", "||": "or"}[word])
        elif word in ("==", "!=") or word.startswith("'"):
            python.append(word)
        else:
            python.append("True" if word == "always()" else repr(values[word]))
    return eval(" ".join(python), {"__builtins__": {}})


def filled(text, values):
    return re.sub(r"\$\{\{(.*?)\}\}", lambda m: str(evaluate(m[1], values)), str(text))


def act(machine, event, **given):
    """The action on an event: exit status of the first step that fails, what was printed."""
    action = yaml.safe_load((SOURCE / "action.yml").read_text())
    unknown = set(given) - set(action["inputs"])
    assert not unknown, unknown
    values = {f"inputs.{name}": given.get(name, how["default"])
              for name, how in action["inputs"].items()}
    values.update({
        "github.action_path": str(SOURCE), "github.event_name": event, "github.ref_name": "main",
        "github.base_ref": "main" if event == "pull_request" else "", "github.run_id": "1",
        "github.event.number": "7", "github.token": "a-token"})
    status, printed = 0, ""
    for step in action["runs"]["steps"]:
        condition = step.get("if", "").removeprefix("${{").removesuffix("}}")
        # Behind a step that fails only those with always() are run.
        if not (evaluate(condition, values) if condition else True):
            continue
        if status and "always()" not in condition:
            continue
        if "uses" in step:
            assert re.fullmatch(r"actions/[a-z/-]+@v\d+", step["uses"]), step["uses"]
            path = filled(step["with"]["path"], values)
            assert step["name"] == "last report" or (machine.work / path).is_dir(), path
            continue
        assert step["shell"] == "bash"
        # An input may hold anything: it reaches a script by its environment alone.
        assert "${{" not in step["run"], step["name"]
        env = {name: filled(text, values) for name, text in step["env"].items()}
        got, text = machine.bash(step["run"], {"GITHUB_ACTIONS": "true", **env})
        status, printed = status or got, printed + text
    return status, printed


def check_github(folder):
    machine = Machine(folder)
    shutil.copy(PLUGINS / "c_example.so", machine.work / "x.so")
    status, printed = act(machine, "push", library="x.so", tier="smoke", require="L1")
    assert status == 0 and "CONFORMS" in printed and "::error" not in printed, printed
    # Without a wheel the repository is what pip installs.
    assert f"pip install --quiet {SOURCE}\n" in machine.recorded()
    assert "packages.sh" in machine.recorded()
    out = machine.work / "ropeproof-report-kernel"
    assert {p.name for p in out.iterdir()} == {"report.json", "report.html", "junit.xml"}
    assert (machine.work / "ropeproof-baseline-kernel/report.json").exists()

    shutil.copy(PLUGINS / "c_example_swapped.so", machine.work / "x.so")
    status, printed = act(machine, "pull_request", library="x.so", tier="smoke", wheel="a.whl")
    assert status == 1 and "DOES NOT CONFORM" in printed, printed
    assert "pip install --quiet a.whl\n" in machine.recorded()
    assert re.search(r"^::error title=ropeproof%3A what is wrong::pairs of the other layout",
                     printed, re.M), printed
    assert re.search(r"^::error title=FAIL smoke-rich-009 rope::", printed, re.M)
    assert "gh pr comment 7 --body-file ropeproof-report-kernel/diff.md" in machine.recorded()
    for name in ("diff.md", "report.html"):
        assert "BROKEN" in (out / name).read_text(), name

    # A function: its errors stand at its definition, and what it prints is no command.
    (machine.work / "mine.py").write_text(KERNEL.replace("SIGN", "-"))
    status, printed = act(machine, "push", function="mine:my_rope", tier="smoke", name="mine")
    assert status == 1, printed
    assert "::error file=mine.py,line=4,title=" in printed, printed
    stop, token = re.search(r"^::stop-commands::(\w+)$", printed, re.M), None
    token = printed.index(f"\n::{stop[1]}::")
    forged = [m.start() for m in re.finditer("::error::forged", printed)]
    assert all(stop.start() < at < token for at in forged)
    (machine.work / "mine.py").write_text(KERNEL.replace("SIGN", ""))
    status, printed = act(machine, "pull_request", function="mine:my_rope", tier="smoke",
                          name="mine", comment="false")
    assert status == 0 and "fixed" in printed, printed

    # A waiver that has expired is told at its line.
    (machine.work / "w.json").write_text(
        '{"format": "ropeproof-waivers/1",\n "waivers": [\n  {"id": "smoke-*", '
        '"engine": "my-rope-swapped", "reason": "swapped",\n   "link": "https://example.org/7", '
        '"expires": "2020-01-01"}]}\n')
    status, printed = act(machine, "push", library="x.so", tier="smoke", waivers="w.json")
    assert status == 1 and "::error file=w.json,line=3,title=" in printed, printed

    # Bad input: a line, and no verdict.
    for given, words in (({}, "set one of ROPEPROOF_LIBRARY"),
                         ({"library": "x.so", "function": "a:b"}, "set one of"),
                         ({"library": "nowhere.so"}, "no such file"),
                         ({"function": "mine:nothing"}, "no attribute 'nothing'"),
                         ({"library": "x.so", "profile": "llama3-f32-128"}, "llama3-f32-128"),
                         ({"library": "x.so; touch y", "tier": "smoke"}, "no such file")):
        status, printed = act(machine, "push", **given)
        assert status in (2, 3) and words in printed, (status, printed)
    assert not (machine.work / "y").exists()


def check_gitlab(folder):
    job = yaml.safe_load((SOURCE / "tools/ci/gitlab.yml").read_text())[".ropeproof"]

    def pipeline(machine, **variables):
        env = {**job["variables"], "CI_DEFAULT_BRANCH": "main", "CI_API_V4_URL": "https://example.org",
               "CI_PROJECT_ID": "3", **variables}
        script = "\n".join(job["before_script"] + job["script"])
        status, printed = machine.bash(script, env)
        after, text = machine.bash("\n".join(job["after_script"]), env)
        assert after == 0, text
        for path in (*job["artifacts"]["paths"], job["artifacts"]["reports"]["junit"]):
            assert (machine.work / path).exists(), path
        return status, printed

    machine = Machine(folder)
    shutil.copy(PLUGINS / "c_example.so", machine.work / "x.so")
    how = {"ROPEPROOF_LIBRARY": "x.so", "ROPEPROOF_TIER": "smoke"}
    status, printed = pipeline(machine, **how, CI_COMMIT_BRANCH="main", ROPEPROOF_WHEEL="a.whl")
    assert status == 0 and "pip install --quiet a.whl" in machine.recorded(), printed
    assert (machine.work / job["cache"]["paths"][0] / "report.json").exists()
    shutil.copy(PLUGINS / "c_example_swapped.so", machine.work / "x.so")
    status, printed = pipeline(machine, **how, CI_MERGE_REQUEST_IID="5", ROPEPROOF_TOKEN="secret")
    assert status == 1 and "BROKEN" in printed and "::error" not in printed, printed
    assert "merge_requests/5/notes" in machine.recorded()


with tempfile.TemporaryDirectory() as name:
    root = pathlib.Path(name)
    PACKAGE = root / "package"
    subprocess.run(["cmake", "--install", str(BUILD), "--component", "python", "--prefix",
                    str(PACKAGE)], check=True, stdout=subprocess.DEVNULL)
    check_github(root / "github")
    check_gitlab(root / "gitlab")
print("ci: the steps of action.yml and gitlab.yml do what they say")
