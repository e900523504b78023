"""What `ropeproof export --goldens` writes, and the readers of it in other languages, those
whose compiler or interpreter is present.

  goldens_test.py ROPEPROOF

What they print must be what the safetensors header says of the same bytes, without the text
beside it.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

program, here = pathlib.Path(sys.argv[1]), pathlib.Path(__file__).parent
work = tempfile.TemporaryDirectory(prefix="goldens ")
folder = pathlib.Path(work.name)
WIDTH = {"F64": 8, "I64": 8, "F32": 4, "I32": 4, "F16": 2, "BF16": 2}
# language: tool, how to ask it for its version, its arguments to build, how to run
READERS = {
    "C": ("cc", "--version", ["-std=c89", "-pedantic", "-Werror", here / "goldens.c"], []),
    "Rust": ("rustc", "--version", ["--edition", "2021", here / "goldens.rs"], []),
    "Go": ("go", "version", None, ["go", "run", here / "goldens.go"]),
    "JavaScript": ("node", "--version", None, ["node", here / "goldens.mjs"]),
}


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def checksum(data):
    total = 0
    for byte in data:
        total = (total * 31 + byte) & 0xFFFFFFFF
    return total


def runs(tool, version):
    """Whether there is such a tool, and it is more than a name for one that is not set up."""
    return shutil.which(tool) and subprocess.run([tool, version], capture_output=True).returncode == 0


description = folder / "kernel.json"
description.write_text(json.dumps({
    "name": "kernel", "version": "0", "operations": ["rope", "rotate"],
    "dtypes": ["f64", "f32", "f16", "bf16"], "pairings": ["half_split", "interleaved"],
    "features": ["partial", "inv_freq", "amplitude"], "claims": [{"angle_class": "A1"}]}))
output(program, "export", "--goldens", folder, "--tier", "smoke", "--description", description)
data = (folder / "goldens.safetensors").read_bytes()
size = int.from_bytes(data[:8], "little")
header = json.loads(data[8 : 8 + size])
requests = header.pop("__metadata__")
data = data[8 + size :]
right, end = {}, 0
for name, tensor in header.items():
    start, stop = tensor["data_offsets"]
    assert stop - start == tensor["shape"][0] * WIDTH[tensor["dtype"]] and start % 2 == 0, name
    right[name] = f"{name} {tensor['shape'][0]} {checksum(data[start:stop]):08x}"
    end += stop - start
assert end == len(data), "safetensors has no holes"
for name, request in requests.items():
    buffers = json.loads(request)["buffers"]
    for buffer, bytes_ in buffers:
        tensor = header[f"{name}/{buffer}"]
        assert tensor["shape"][0] * WIDTH[tensor["dtype"]] == bytes_, name
    assert f"{name}/want_q" in header and f"{name}/bound_q" in header, name
assert len(requests) > 100
faults = 0
for language, (tool, version, build, run) in READERS.items():
    if not runs(tool, version):
        print(f"{language}: not run, there is no {tool}")
        continue
    if build:
        output(tool, *build, "-o", folder / "reader")
    got = output(*(run or [folder / "reader"]), folder)
    is_right = sorted(got) == sorted(right.values())
    faults += not is_right
    print(f"{language}: {len(got)} tensors, {'right' if is_right else 'WRONG'}")
sys.exit(faults)
