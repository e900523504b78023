"""Holds README.md, CONTRIBUTING.md and conformance/JUDGE.md against what they show.

A fenced block behind `<!-- file: PATH -->` must be that file, to the letter, also in
the READMEs of conformance/ and conformance/assertion/. Each
line of a block behind `<!-- output: NAME -->` must stand, in the same order, in
what `ropeproof run` prints for the example plug-in NAME; `...` may stand for lines
left out. Fractions, bit patterns and the worst case are not compared: the examples
compute with the host's libm. These first reports fit on a screen: 15 lines, or 25 for a
failure, of 100 columns but for the command that replays.

The score of `ropeproof selftest` is that of conformance/selftest/MUTANTS.md.

The Python kernels of conformance/adapters/README.md must conform, by themselves where they
call judge(), where their packages are installed, as must conformance/examples/notebook.py. Of
the commands and paths of README.md and CONTRIBUTING.md, every file, preset, CMake option, test
and subcommand must be there; of all documents, what their links name.

  check_readme.py SOURCE_DIR ROPEPROOF PLUGINS_DIR
"""

import importlib.util
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

source, program, plugins = map(pathlib.Path, sys.argv[1:4])
readme = (source / "README.md").read_text()
pages = readme + (source / "conformance" / "JUDGE.md").read_text()
MOST_LINES = {"c_example": 15, "c_example_swapped": 25}
EXIT_STATUS = {"c_example": 0, "c_example_swapped": 1}
blocks = re.findall(r"<!-- (file|output): (\S+) -->\n```\w+\n(.*?)```", pages, re.S)
faults = []
if readme.count("\n") > 150:
    faults.append(f"README.md has {readme.count(chr(10))} lines; 150 is the promise")
version = re.search(r"project\(ropeproof VERSION (\S+)", (source / "CMakeLists.txt").read_text())[1]
if f"\nversion: {version}\n" not in (source / "CITATION.cff").read_text():
    faults.append(f"CITATION.cff is not of version {version}")

for page in ("conformance/README.md", "conformance/assertion/README.md"):
    for name, text in re.findall(
        r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", (source / page).read_text(), re.S
    ):
        if (source / name).read_text() != text:
            faults.append(f"{page} shows another {name} than the file")


def masked(line):
    line = re.sub(r"\d+\.\d+(e[+-]\d+)?|\([0-9a-f]{8}\)", "#", line)
    return re.sub(r"\S+ +(smoke|core|pairs|shapes)-\S+$", "#", line)  # the worst case


for kind, name, text in blocks:
    if kind == "file":
        if (source / name).read_text() != text:
            faults.append(f"a page shows another {name} than the file")
        lines = text.count("\n")
        if lines > 25:
            faults.append(f"{name} has {lines} lines; 25 is the promise")
        continue
    run = subprocess.run(
        [program, "run", "--lib", plugins / (name + ".so")],
        capture_output=True,
        text=True,
    )
    if run.returncode != EXIT_STATUS[name]:
        faults.append(f"{name}: exit status {run.returncode}")
    # The README shows the library under the name that its reader gives it.
    printed = run.stdout.replace(
        str(plugins / (name + ".so")), "./my_rope.so"
    ).split("\n")
    if len(printed) - 1 > MOST_LINES[name]:
        faults.append(f"{name}: {len(printed) - 1} lines; {MOST_LINES[name]} is the promise")
    for line in printed:
        if len(line) > 100 and not line.startswith(("  replay", "engine ")):
            faults.append(f"{name}: {len(line)} columns: {line}")
    printed = [masked(line) for line in printed]
    at = 0
    for line in text.rstrip("\n").split("\n"):
        if line == "...":
            continue
        if masked(line) not in printed[at:]:
            faults.append(f"{name}: not printed (in this order): {line}")
            break
        at = printed.index(masked(line), at) + 1

# The score of the suite itself is that of the generated table.
score = re.search(r"^\d+ of \d+ mutants killed.*(?=\.$)", (
    source / "conformance" / "selftest" / "MUTANTS.md").read_text(), re.M)
if score is None or score[0] not in " ".join(readme.split()):
    faults.append("README.md has another score than conformance/selftest/MUTANTS.md: " +
                  (score[0] if score else "none there"))

program = program.resolve()
adapters = source / "conformance" / "adapters"
# Where a kernel's packages are not there, it must at least be Python.
kernels = [(f"adapters/README.md: kernel {number}", kernel) for number, kernel in enumerate(
    re.findall(r"```python\n(.*?)```", (adapters / "README.md").read_text(), re.S), 1)]
notebook = "conformance/examples/notebook.py"
for name, kernel in [*kernels, (notebook, (source / notebook).read_text())]:
    compile(kernel, name, "exec")
    packages = re.findall(r"^(?:import|from) (\w+)", kernel, re.M)
    if not all(importlib.util.find_spec(p) for p in packages if p != "ropeproof"):
        continue
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(kernel)
        file.flush()
        command = [sys.executable, file.name]
        if not re.search(r"\.judge\(|assert_(rope|fused)_close|\.problems\(", kernel):
            command = [program, "run", "--command", shlex.join(command), "--time-limit", "60000"]
        run = subprocess.run(
            command,
            env={
                "ROPEPROOF_JUDGE_LIBRARY": str(program.parent / "libropeproof_judge.so"),
                **os.environ,
                "PYTHONPATH": str(adapters),
                "PATH": f"{program.parent}:{os.environ['PATH']}",
            },
            capture_output=True,
            text=True,
        )
    if run.returncode != 0:
        last = (run.stdout + run.stderr).strip().split("\n")[-1]
        faults.append(f"{name} does not conform: {last}")

presets = [p["name"] for p in json.loads((source / "CMakePresets.json").read_text())["configurePresets"]]
build = program.parent
options = (build / "CMakeCache.txt").read_text()
listed = subprocess.run(["ctest", "-N"], cwd=build, capture_output=True, text=True).stdout
tests = re.findall(r"Test +#\d+: (\S+)", listed)
subcommands = "".join(subprocess.run([program, words], capture_output=True, text=True).stdout
                      for words in ("--help", "more"))


def missing(text):
    for path in re.findall(r"(?<![\w/.-])((?:reference|fast|conformance|vectors|tools|\.ci)/[\w./-]*)", text):
        if not (source / path).exists():
            yield f"file {path}"
    for preset in re.findall(r"--preset (\w+)", text):
        if preset not in presets:
            yield f"preset {preset}"
    for option in re.findall(r"-D(ROPEPROOF_\w+)", text):
        if f"{option}:" not in options:
            yield f"option {option}"
    for pattern in re.findall(r"ctest [^`\n]*-R '?([^'`\s]+)", text):
        if not any(re.search(pattern, test) for test in tests):
            yield f"test {pattern}"
    for command in re.findall(r"(?<!-)\bropeproof ([a-z][a-z-]+)", text):
        if not re.search(rf"^  {command}\b", subcommands, re.M):
            yield f"subcommand {command}"


for document in ("README.md", "CONTRIBUTING.md"):
    text = (source / document).read_text()
    commands = "\n".join(re.findall(r"`[^`\n]+`|```console\n.*?```|\]\([^)]*\)", text, re.S))
    faults += [f"{document}: there is no {what}" for what in missing(commands)]

# Links between documents, with their anchors: those that are there, and as GitHub makes
# them of headings.
def anchors(document):
    text = document.read_text()
    made = [re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-")
            for h in re.findall(r"^#+ (.*)$", text, re.M)]
    return made + re.findall(r'<a id="([^"]+)">', text)


documents = [*source.glob("*.md")]
for folder in ("reference", "fast", "conformance", "vectors", "tools"):
    documents += (source / folder).rglob("*.md")
for document in documents:
    for link in re.findall(r"\]\(<?([^)\s]+)\)", document.read_text()):
        path, _, anchor = link.partition("#")
        if re.match(r"\w+:", link):
            continue
        target = document.parent / path if path else document
        if not target.exists() or anchor and anchor not in anchors(target):
            faults.append(f"{document.relative_to(source)}: a link to nothing, {link}")

if len(blocks) != 5:
    faults.append(f"README.md and JUDGE.md have {len(blocks)} checked blocks; expected 5")
for fault in faults:
    print(fault)
print(f"{len(blocks)} blocks of README.md and the commands checked, {len(faults)} faults")
sys.exit(1 if faults else 0)
