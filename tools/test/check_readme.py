"""Holds README.md against what it shows.

A fenced block behind `<!-- file: PATH -->` must be that file, to the letter. Each
line of a block behind `<!-- output: NAME -->` must stand, in the same order, in
what `ropeproof run` prints for the example plug-in NAME; `...` may stand for lines
left out. Fractions and bit patterns are not compared: the examples compute with the
host's libm.

The Python kernel of conformance/adapters/README.md must conform.

  check_readme.py SOURCE_DIR ROPEPROOF PLUGINS_DIR
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

source, program, plugins = map(pathlib.Path, sys.argv[1:4])
readme = (source / "README.md").read_text()
blocks = re.findall(r"<!-- (file|output): (\S+) -->\n```\w+\n(.*?)```", readme, re.S)
faults = []


def masked(line):
    return re.sub(r"\d+\.\d+(e[+-]\d+)?|\([0-9a-f]{8}\)", "#", line)


for kind, name, text in blocks:
    if kind == "file":
        if (source / name).read_text() != text:
            faults.append(f"README.md shows another {name} than the file")
        lines = text.count("\n")
        if lines > 25:
            faults.append(f"{name} has {lines} lines; 25 is the promise")
        continue
    run = subprocess.run(
        [program, "run", "--lib", plugins / (name + ".so"), "--failures", "1"],
        capture_output=True,
        text=True,
    )
    # The README shows the library under the name that its reader gives it.
    printed = run.stdout.replace(
        str(plugins / (name + ".so")), "./my_rope.so"
    ).split("\n")
    printed = [masked(line) for line in printed]
    at = 0
    for line in text.rstrip("\n").split("\n"):
        if line == "...":
            continue
        if masked(line) not in printed[at:]:
            faults.append(f"README.md, {name}: not printed (in this order): {line}")
            break
        at = printed.index(masked(line), at) + 1

adapters = source / "conformance" / "adapters"
kernel = re.search(r"```python\n(.*?)```", (adapters / "README.md").read_text(), re.S)
with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
    file.write(kernel[1])
    file.flush()
    command = shlex.join([sys.executable, file.name])
    run = subprocess.run(
        [program, "run", "--command", command],
        env={**os.environ, "PYTHONPATH": str(adapters)},
        capture_output=True,
        text=True,
    )
    if run.returncode != 0:
        last = (run.stdout + run.stderr).strip().split("\n")[-1]
        faults.append(f"adapters/README.md: its kernel does not conform: {last}")

if len(blocks) != 3:
    faults.append(f"README.md has {len(blocks)} checked blocks; expected 3")
for fault in faults:
    print(fault)
print(f"{len(blocks)} blocks of README.md checked, {len(faults)} faults")
sys.exit(1 if faults else 0)
