"""`ropeproof weights permute` and `verify`, held against NumPy.

  weights_permute_test.py ROPEPROOF VECTORS
"""

import hashlib
import json
import struct

import numpy as np
from weights_files import (
    DIM, HEADS, LLAMA, VECTORS, WIDTH, check, compare, converted, gguf, hugging_face, noise,
    permuted, run, run_tests, safetensors)


def arrays_of(path):
    """The tensors of a safetensors file, and its header."""
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__")
    return {name: np.frombuffer(data, np.uint16, offset=8 + size + row["data_offsets"][0],
                                count=int(np.prod(row["shape"]))).reshape(row["shape"])
            for name, row in header.items()}, data[:8 + size]


def permute(a, b, to, status, text, *flags, command="permute"):
    got, out, err = run(command, a, b, "--to", to, "--vectors", VECTORS, *flags)
    check(got == status and text in out + err and (got < 2 or err.count("\n") == 1),
          f"{command} {a.name} {b.name}: exit status {got}, {out}{err}")


def test_permute(folder):
    original = hugging_face()
    a = folder / "a"
    a.mkdir()
    halves = list(original.items())
    safetensors(a / "model-1.safetensors", dict(halves[:10]))
    safetensors(a / "model-2.safetensors", dict(halves[10:]))
    (a / "config.json").write_text(json.dumps(LLAMA))
    (a / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {
        name: f"model-{1 if i < 10 else 2}.safetensors" for i, (name, _) in enumerate(halves)}}))
    b, c = folder / "b", folder / "c"
    permute(a, b, "interleaved", 0, "18 of 24 tensors half_split -> interleaved")
    for file in "model-1.safetensors", "model-2.safetensors":
        got, header = arrays_of(b / file)
        check(header == arrays_of(a / file)[1], "the header is another")
        for name, rows in got.items():
            want = converted({name: original[name]})[name]
            check(np.array_equal(rows, want), f"{name} is not what NumPy makes of it")
    check(sorted(path.name for path in b.iterdir()) ==
          ["model-1.safetensors", "model-2.safetensors", "model.safetensors.index.json"],
          *b.iterdir())
    flags = ["--config", a / "config.json"]
    compare(a, b, 0, "RIGHT  24 tensors: half_split -> interleaved")
    compare(a, b, 0, "configurations of both mean half_split; --expect equal", flags=flags)
    permute(a, b, "interleaved", 0, "RIGHT", command="verify")
    permute(a, b, "interleaved", 2, "is there already")
    permute(a, c, "half_split", 2, "is half_split already")
    permute(b, c, "half_split", 2, "its pairing is not known")
    # What another run left is used if it is of the same plan; a broken file is found.
    part = folder / "c.part"
    part.mkdir()
    (part / "model-1.safetensors.unfinished").write_bytes(b"x")
    permute(b, c, "half_split", 0, "read back", "--from", "interleaved", *flags)
    for file in "model-1.safetensors", "model-2.safetensors":
        check((a / file).read_bytes() == (c / file).read_bytes(), "there and back is not equal")
    broken = bytearray((b / "model-2.safetensors").read_bytes())
    broken[-3] ^= 1
    (b / "model-2.safetensors").write_bytes(broken)
    permute(a, b, "interleaved", 1, "WRONG  \"model.layers.", command="verify")
    (b / "model-2.safetensors").write_bytes(broken[:-1])
    permute(a, b, "interleaved", 2, "copy or download it again", command="verify")
    d = folder / "d"
    (folder / "d.part").mkdir()
    (folder / "d.part" / "ropeproof.txt").write_text("another")
    permute(a, d, "interleaved", 2, "left of another run")
    check(not d.exists(), "a refused run leaves a folder")
    (folder / "d.part" / "ropeproof.txt").unlink()
    (folder / "d.part" / "model-1.safetensors").write_bytes(
        (a / "model-1.safetensors").read_bytes())
    permute(a, d, "interleaved", 5, "is not what was written")
    check(not d.exists(), "what is not proved is published")
    # A single file; fused rows; blocks of Q8_0.
    one = gguf(folder / "one.gguf", original, "qwen2")
    permute(one, folder / "two.gguf", "interleaved", 0, "18 of 24", "--checksums", folder / "sums")
    check((folder / "sums").read_text() == hashlib.sha256(
        (folder / "two.gguf").read_bytes()).hexdigest() + f"  {folder / 'two.gguf'}\n",
        "the checksum is another")
    compare(one, folder / "two.gguf", 0, "permuted q: 3", flags=["--expect", "to_interleaved"])
    name = "gpt_neox.layers.0.attention.query_key_value.weight"
    fused = noise(3 * HEADS * DIM, WIDTH)
    fused_file = safetensors(folder / "fused.safetensors", {name: fused})
    permute(fused_file, folder / "moved.safetensors", "interleaved", 0, "1 of 1", "--heads", HEADS,
            "--head-dim", DIM)
    want = fused.reshape(HEADS, 3, DIM, WIDTH).copy()
    for part in 0, 1:
        want[:, part] = permuted(want[:, part].reshape(-1, WIDTH), HEADS).reshape(
            HEADS, DIM, WIDTH)
    check(np.array_equal(arrays_of(folder / "moved.safetensors")[0][name],
                         want.reshape(fused.shape)), "fused rows are not what NumPy makes")
    permute(fused_file, folder / "no.safetensors", "interleaved", 2, "of not so many heads",
            "--heads", 7)


run_tests(test_permute)
