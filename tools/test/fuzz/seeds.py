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


def waivers(**changes):
    return json.dumps({"format": "ropeproof-waivers/1",
                       "waivers": [{**WAIVER, **changes}]})


def group_of(path, name, cases=None):
    """The group of a file, or its first cases, under the name that a reader expects."""
    group = json.loads(path.read_text())
    group["group"] = name
    if "payload" in group:
        group["payload"]["file"] = f"{name}.safetensors"
    group["cases"] = group["cases"][:cases]
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
    small = group_of(vectors / "smoke-zero.json", "fuzz", 1)
    yield "vectors/zero", small
    yield "vectors/permute", group_of(vectors / "permute.json", "fuzz", 1)
    yield "vectors/truncated", small[:1000]
    yield "vectors/deep", DEEP
    encodings = (vectors / "encodings.json").read_bytes()
    yield "encodings/all", encodings
    yield "encodings/truncated", encodings[:3000]
    yield "encodings/deep", DEEP
    for side in sorted(vectors.glob("*.safetensors")):
        if side.stat().st_size < 50000:
            text = group_of(side.with_suffix(".json"), "fuzz").encode()
            yield f"vectors/{side.stem}", text + b"\0" + side.read_bytes()
    small = group_of(vectors / "smoke-zero.json", "g", 1)
    listed = manifest(vectors, small)
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
