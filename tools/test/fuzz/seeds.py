#!/usr/bin/env python3
"""Writes the seeds of the fuzz targets: seeds.py VECTORS FOLDER.

FOLDER/TARGET/NAME: well-formed inputs, from the committed vectors where they
are small, and hostile ones, each named for what is wrong with it.
"""
import hashlib
import json
import pathlib
import struct
import sys

DEEP = b"[" * 100000 + b"]" * 100000

DESCRIPTION = {
    "name": "k", "version": "1", "operations": ["table", "rope"],
    "dtypes": ["f32"], "pairings": ["interleaved"],
    "features": ["out_of_place"], "axis_maps": ["grid"], "caches": [],
    "scalings": ["yarn"], "padding_bytes": 0, "max_position": 100,
    "claims": [{"dtypes": ["f32"], "angle_class": "A0", "angle_dtype": "none",
                "power": "pow", "power_ulp": 1, "trig_ulp": 1,
                "table_dtype": "same", "rounding": "once"}]}

WAIVER = {"id": "contract-01?", "engine": "my-rope",
          "reason": "the tail of an odd head is not rotated",
          "link": "https://example.org/bugs/7", "expires": "2027-03-31"}


def safetensors(tensors, data=b""):
    header = json.dumps(tensors, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)
    return struct.pack("<Q", len(header)) + header + data


def tensor(dtype, count, begin, end):
    return {"dtype": dtype, "shape": [count], "data_offsets": [begin, end]}


def waivers(**changes):
    return json.dumps({"format": "ropeproof-waivers/1",
                       "waivers": [{**WAIVER, **changes}]})


def one_case(path):
    group = json.loads(path.read_text())
    group["cases"] = group["cases"][:1]
    return json.dumps(group)


def manifest(vectors, text):
    """A manifest of the group `text` alone."""
    result = json.loads((vectors / "MANIFEST.json").read_text())
    ids = "".join(case["id"] + "\n" for case in json.loads(text)["cases"])
    entry = {key: value for key, value in result["files"][0].items()
             if key != "payload"}
    entry.update(file="g.json", cases=1, bytes=len(text),
                 sha256=hashlib.sha256(text.encode()).hexdigest())
    result.update(files=[entry], texts=[], cases=1,
                  ids_sha256=hashlib.sha256(ids.encode()).hexdigest())
    return result


def seeds(vectors):
    """Pairs of TARGET/NAME and bytes or text."""
    group = {"__metadata__": {"group": "g"}}
    small = one_case(vectors / "smoke-zero.json")
    listed = manifest(vectors, small)
    yield "vectors/zero", small
    yield "vectors/permute", one_case(vectors / "permute.json")
    yield "vectors/truncated", small[:1000]
    yield "vectors/deep", DEEP
    encodings = (vectors / "encodings.json").read_bytes()
    yield "encodings/all", encodings
    yield "encodings/truncated", encodings[:3000]
    yield "encodings/deep", DEEP
    for side in sorted(vectors.glob("*.safetensors")):
        if side.stat().st_size < 50000:
            text = side.with_suffix(".json").read_bytes()
            yield f"vectors/{side.stem}", text + b"\0" + side.read_bytes()
            yield f"safetensors/{side.stem}", side.read_bytes()
    yield "safetensors/two", safetensors(
        {**group, "q.F32": tensor("F32", 2, 0, 8),
         "expected.q.F64": tensor("F64", 2, 8, 24)}, bytes(24))
    yield "safetensors/overlap", safetensors(
        {**group, "a.F32": tensor("F32", 2, 0, 8),
         "b.F32": tensor("F32", 2, 4, 12)}, bytes(12))
    yield "safetensors/beyond", safetensors(
        {**group, "a.F32": tensor("F32", 2, 0, 1 << 62)}, bytes(8))
    yield "safetensors/unknown_dtype", safetensors(
        {**group, "a.I8": tensor("I8", 8, 0, 8)}, bytes(8))
    yield "safetensors/huge_header", struct.pack("<Q", 2**63 - 1) + b"{}"
    yield "safetensors/truncated", safetensors(group)[:20]
    yield "safetensors/deep", struct.pack("<Q", 60000) + DEEP[:60000]
    yield "manifest/one", json.dumps(listed) + "\0" + small
    yield "manifest/wrong_digest", json.dumps(listed) + "\0" + small + " "
    listed["files"][0]["file"] = "../../etc/passwd"
    yield "manifest/outside", json.dumps(listed)
    yield "manifest/deep", DEEP
    entry = "unit-001  " + "a" * 64 + "  0.1.0"
    yield "ledger/retired", entry + "  retired: wrong\n"
    yield "ledger/twice", entry + "\n" + entry + "\n"
    yield "reply/describe", json.dumps(DESCRIPTION)
    yield "reply/ok", '{"status": "ok", "buffers": [{"name": "cos"}]}'
    yield "reply/error", '{"status": "error", "message": "out of memory"}'
    yield "reply/deep_word", b'{"operations":' + DEEP + b"}"
    yield "reply/deep_buffers", b'{"status":"ok","buffers":' + DEEP + b"}"
    yield "reply/huge_number", '{"name": "k", "version": "1", "x": 1e999}'
    yield "reply/bad_utf8", b'{"name": "\xff\xfe", "version": "1"}'
    yield "description/plain", struct.pack(
        "<11Iq", 2, 2, 1, 1, 0, 0, 0, 1, 0, 0, 0, 131072) + b"fast"
    yield "description/ones", b"\xff" * 64
    yield "waivers/one", waivers()
    yield "waivers/no_such_day", waivers(expires="2027-02-30")
    yield "waivers/stars", waivers(id="*a" * 40)
    yield "waivers/deep", b'{"format":' + DEEP + b"}"


def main():
    vectors, folder = map(pathlib.Path, sys.argv[1:])
    for name, content in seeds(vectors):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes)
                         else content.encode())


if __name__ == "__main__":
    main()
