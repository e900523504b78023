"""Runs every reader whose compiler or interpreter is present, over the same cases.

  readers_test.py ROPEPROOF VECTORS_DIR

What they print must be what `ropeproof list checksums` prints.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

program, vectors = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
readers = pathlib.Path(__file__).parent
work = tempfile.TemporaryDirectory(prefix="readers ")
folder = pathlib.Path(work.name)
faults = []


def output(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        faults.append(f"{command}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout.splitlines()


def runs(tool):
    """Whether there is such a tool, and it is more than a name for one that is not set up."""
    return shutil.which(tool) and subprocess.run([tool, "--version"], capture_output=True).returncode == 0


def run_c(path):
    with path.open() as text:
        return output(folder / "reader_c", stdin=text)


C89 = ["-std=c89", "-pedantic", "-Werror", readers / "reader.c", "-lm", "-o", folder / "reader_c"]
RUST = ["--edition", "2021", readers / "reader.rs", "-o", folder / "reader_rs"]
# language: tool, its arguments to build, how to run
READERS = {
    "C": ("cc", C89, run_c),
    "Python": ("python3", None, lambda path: output("python3", readers / "reader.py", path)),
    "JavaScript": ("node", None, lambda path: output("node", readers / "reader.mjs", path)),
    "Rust": ("rustc", RUST, lambda path: output(folder / "reader_rs", path)),
}

groups = {}  # file -> its group, those with rope cases
for entry in json.loads((vectors / "MANIFEST.json").read_text())["files"]:
    if entry["file"].endswith(".json"):
        group = json.loads((vectors / entry["file"]).read_text())
        if group["type"] == "rope":
            groups[entry["file"]] = group
encodings = json.loads((vectors / "encodings.json").read_text())
want = dict(line.split(" ", 1) for line in output(program, "list", "checksums", "--vectors", vectors))


def check(language, run, path, cases):
    right = [f"{case['id']} {want[case['id']]}" for case in cases]
    got = run(path)
    if got != right:
        differing = [pair for pair in zip(got, right) if pair[0] != pair[1]]
        faults.append(f"{language}, {path.name}: {len(got)} lines, expected {len(right)}; {differing[:1]}")


smoke = [case for group in groups.values() if group["tier"] == "smoke" for case in group["cases"]]
for language, (tool, build, run) in READERS.items():
    if not runs(tool):
        print(f"{language}: not run, there is no {tool}")
        continue
    if build:
        output(tool, *build)
    if language == "C":
        check(language, run, vectors / "smoke.txt", smoke)
        print(f"{language}: {len(smoke)} cases of smoke.txt")
        continue
    for name, group in groups.items():
        check(language, run, vectors / name, group["cases"])
    check(language, run, vectors / "encodings.json", encodings["cases"])
    print(f"{language}: {sum(len(group['cases']) for group in groups.values())} cases of {len(groups)} files")

for fault in faults:
    print(fault)
sys.exit(1 if faults else 0)
