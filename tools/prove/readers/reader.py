"""Reads one group of vectors, or the encodings: reader.py VECTORS_DIR/GROUP.json"""
import json
import pathlib
import struct
import sys

path = pathlib.Path(sys.argv[1])
group = json.loads(path.read_text())
side = b""
if "payload" in group:
    side = (path.parent / group["payload"]["file"]).read_bytes()


def values(tensor):
    """The binary64 numbers of an expected tensor: rows of hex, or [offset, bytes]."""
    if tensor and isinstance(tensor[0], int):
        offset, size = tensor
        return struct.unpack(f"<{size // 8}d", side[offset : offset + size])
    data = bytes.fromhex("".join(tensor))
    return struct.unpack(f">{len(data) // 8}d", data)


for case in group["cases"]:
    names = ("inv_freq_hi", "inv_freq_lo", "q", "k") if "q" in case["expected"] else ("values",)
    numbers = [x for name in names for x in values(case["expected"][name])]
    checksum = 0
    for word in struct.unpack(f">{2 * len(numbers)}I", struct.pack(f">{len(numbers)}d", *numbers)):
        checksum = (checksum << 5 | checksum >> 27) & 0xFFFFFFFF ^ word
    positive = sum(x > 0 for x in numbers)
    print(case["id"], len(numbers), positive, f"{checksum:08x}")
