"""`ropeproof verify-vectors` as a user meets it: agreement, disagreement, silence.

  verify_vectors_test.py ROPEPROOF VECTORS_DIR

A disagreement of any oracle is exit status 1, an oracle that crashes or contradicts
itself 5 and never an agreement, a missing one is named. Paths have blanks and apostrophes.
"""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

program, vectors = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
work = tempfile.TemporaryDirectory(prefix="verifier's vectors ")
folder = pathlib.Path(work.name)
checks, faults = 0, []


def expect(what, status, *patterns, command=program, path=None, vectors=None):
    global checks
    checks += 1
    done = subprocess.run(
        [command, "verify-vectors", "--vectors", vectors or few],
        capture_output=True,
        text=True,
        env=dict(os.environ, PATH=path) if path else None,
    )
    output = done.stdout + done.stderr
    missing = [pattern for pattern in patterns if pattern not in output]
    if done.returncode != status or missing:
        faults.append(
            f"{what}: exit status {done.returncode}, expected {status}; without {missing}\n{output}"
        )
    return output


def fake(name, script):
    path = folder / "bin" / name
    path.write_text("#!/bin/sh\n" + script + "\n")
    path.chmod(0o755)


# The files of one group: few values.
few, name = folder / "few vectors", "smoke-unit.json"
shutil.copytree(vectors, few)
manifest = json.loads((few / "MANIFEST.json").read_text())
manifest["files"] = [entry for entry in manifest["files"] if entry["file"] == name]
manifest["cases"] = manifest["files"][0]["cases"]
data = (few / name).read_text()
cases = json.loads(data)["cases"]
ids = "".join(case["id"] + "\n" for case in cases)
manifest["ids_sha256"] = hashlib.sha256(ids.encode()).hexdigest()
(few / "MANIFEST.json").write_text(json.dumps(manifest))
expect("one file alone", 0, "cpp_bin_float", "Arb", "mpmath")
expect("no vectors", 2, "MANIFEST.json", vectors=folder / "nowhere")

# One last bit flipped, first without a digest that fits.
wrong = folder / "wrong vectors"
shutil.copytree(few, wrong)
row = cases[0]["expected"]["sin"][0]
data = data.replace(row, row[:15] + format(int(row[15], 16) ^ 1, "x") + row[16:], 1)
(wrong / name).write_text(data)
expect("a digest that does not fit", 4, name, vectors=wrong)
manifest["files"][0]["sha256"] = hashlib.sha256(data.encode()).hexdigest()
(wrong / "MANIFEST.json").write_text(json.dumps(manifest))
# Both oracles of RoPE say so, if Arb is installed.
line = f"  {cases[0]['id']} sin[0]"
output = expect("a wrong value", 1, line, vectors=wrong)
if output.count(line) + output.count("Arb, ropeproof_recheck   not installed") != 2:
    faults.append(f"an oracle is installed and silent:\n{output}")

# Oracles that are not there, or not well.
(folder / "bin").mkdir()
own = folder / "bin" / "ropeproof"
shutil.copy(program, own)
expect("no Arb", 0, "Arb, ropeproof_recheck   not installed", command=own)
for script, status, patterns in (
    ("echo total 5 192 0", 0, ["Arb, ropeproof_recheck           5              0"]),
    ("echo '  a-001 q[0]: no'; echo total 5 192 1; exit 1", 1, ["a-001 q[0]: no"]),
    ("kill -SEGV $$", 5, ["Arb, ropeproof_recheck   FAILED: killed by signal 11"]),
    ("echo total 5 192 0; exit 3", 5, ["FAILED: exit status 3"]),
    ("exit 0", 5, ["FAILED: no total, exit status 0"]),
    ("echo total 5 192 1", 5, ["contradict"]),
    ("echo total 5 192 0; exit 1", 5, ["contradict"]),
    ("echo total 0 192 0", 5, ["FAILED: no values were checked"]),
):
    fake("ropeproof_recheck", script)
    expect(script, status, *patterns, command=own)
(folder / "bin" / "ropeproof_recheck").chmod(0o644)
if os.access(folder / "bin" / "ropeproof_recheck", os.X_OK) is False:
    expect("no permission", 5, "FAILED: not started", command=own)
(folder / "bin" / "ropeproof_recheck").unlink()
fake("python3", 'if [ "$1" = -c ]; then exit 0; fi; kill -9 $$')
path = f"{folder / 'bin'}:{os.environ['PATH']}"
expect("a crashing Python", 5, "mpmath, recheck.py       FAILED: killed by signal 9", command=own, path=path)

for fault in faults:
    print(fault)
print(f"{checks} runs of verify-vectors, {len(faults)} faults")
sys.exit(1 if faults else 0)
