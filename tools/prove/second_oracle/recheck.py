"""Re-checks a random sample of the expected values, and all of the encodings, with mpmath,
from the files alone.

  recheck.py VECTORS_DIR [--sample N] [--seed S]

A third opinion, in a few lines of its own: 400 bits, Python integers below (no GMP),
every value computed by itself and rounded by integer arithmetic. Prints one line for
each disagreement and a last line `total VALUES BITS DISAGREEMENTS`; what it does not
cover it counts. Exit status: 0, 1 a disagreement, 2 usage or nothing to check.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import struct
import sys

os.environ["MPMATH_NOGMPY"] = "1"
import mpmath  # noqa: E402
from mpmath import mp, mpf  # noqa: E402

from encodings_again import EncodingCase  # noqa: E402

BITS = 400
mp.prec = BITS
FORMATS = {"f64": (64, 52), "f32": (32, 23), "f16": (16, 10), "bf16": (16, 7)}


def decode(pattern, dtype="f64"):
    bits, fraction_bits = FORMATS[dtype]
    bias = 2 ** (bits - fraction_bits - 2) - 1
    sign = -1 if pattern >> (bits - 1) else 1
    field = (pattern >> fraction_bits) & (2 * bias + 1)
    fraction = pattern & (2**fraction_bits - 1)
    if field:
        fraction += 2**fraction_bits
    return mp.ldexp(mpf(sign * fraction), max(field, 1) - bias - fraction_bits)


def nearest(y):
    with mp.workprec(53):
        return +y


def pattern_of(y):
    """The pattern of a number that is a binary64."""
    return struct.unpack(">Q", struct.pack(">d", float(y)))[0]


def to_odd(y):
    """The pattern of y rounded to odd."""
    if y == 0:
        return 0
    sign, man, exp, size = y._mpf_
    exponent = max(exp + size - 53, -1074)
    shift = exponent - exp
    whole = man >> shift if shift > 0 else man << -shift
    if shift > 0 and man != whole << shift:
        whole |= 1
    return (int(sign) << 63) | pattern_of(mp.ldexp(mpf(whole), exponent))


def cos_sin(phi):
    """Only the angle 0 has the cosine 1, however small another is."""
    cos = mp.cos(phi)
    return cos - mp.eps if phi and cos == 1 else cos, mp.sin(phi)


def real(text):
    return decode(int(text, 16))


def reals(row):
    return [real(row[i : i + 16]) for i in range(0, len(row), 16)]


def number(value):
    return real(value) if isinstance(value, str) else mpf(value)


class Case:
    def __init__(self, case, side):
        self.case, self.side = case, side
        self.pairs = case["rotary_dim"] // 2
        self.tokens = case["batch"] * case["seq"]
        self.scaling = case.get("scaling", {"kind": "none"})
        self.of = lambda name: number(self.scaling[name])

    def pattern(self, field, width, i):
        """Element i of a tensor in hex rows or at [offset, bytes] of the side file."""
        if isinstance(field[0], str):
            per_row = len(field[0]) // (2 * width)
            at = i % per_row * 2 * width
            return int(field[i // per_row][at : at + 2 * width], 16)
        at = field[0] + i * width
        return int.from_bytes(self.side[at : at + width], "little")

    def size(self, field, width):
        if not field:
            return 0
        inline = isinstance(field[0], str)
        return sum(map(len, field)) // (2 * width) if inline else field[1] // width

    def index(self, j):
        return self.case["exponents"][j] if "exponents" in self.case else (2 * j, 2 * self.pairs)

    def base(self, j):
        return reals(self.case["bases"])[j] if "bases" in self.case else real(self.case["base"])

    def theta(self, j):
        if "inv_freq" in self.case:
            theta = reals(self.case["inv_freq"])[j]
        else:
            n, d = self.index(j)
            if d == 0:
                return mpf(0)
            theta = mp.power(self.base(j), -mpf(n) / d)
        return theta * self.stretched(j, theta) if theta else theta

    def stretched(self, j, theta):
        """What the scaling multiplies theta by."""
        kind, of = self.scaling["kind"], self.of
        if kind == "linear":
            return 1 / of("factor")
        if kind in ("ntk", "dynamic_ntk"):
            n, d = self.index(j)
            alpha = of("alpha") if kind == "ntk" else mpf(1)
            if kind == "dynamic_ntk" and of("seq_len") > of("max_position"):
                s = of("factor")
                alpha = s * of("seq_len") / of("max_position") - (s - 1)
            return mp.power(alpha, -mpf(n) / (d - 2))
        if kind == "yarn":
            n, d = self.index(j)

            def bound(beta):
                rotations = of("original_length") / (2 * mp.pi * of(beta))
                return d * mp.log(rotations) / (2 * mp.log(self.base(j)))

            low, high = bound("beta_fast"), bound("beta_slow")
            whole = self.scaling.get("truncate", True)
            low, high = (mp.floor(low), mp.ceil(high)) if whole else map(nearest, (low, high))
            low, high = max(low, mpf(0)), min(high, mpf(d - 1))
            if low == high:
                high = nearest(high + mpf(1) / 1000)
            gamma = min(max((mpf(n) / 2 - low) / (high - low), mpf(0)), mpf(1))
            return 1 - gamma + gamma / of("factor")
        if kind == "llama3":
            low, high = of("low_freq_factor"), of("high_freq_factor")
            rotations = of("original_length") * theta / (2 * nearest(mp.pi))
            if rotations >= high:
                return mpf(1)
            sigma = max((rotations - low) / (high - low), mpf(0)) if rotations > low else mpf(0)
            return (1 - sigma) / of("factor") + sigma
        if kind == "long_rope":
            is_long = of("seq_len") > of("original_length")
            return 1 / reals(self.scaling["long_factor" if is_long else "short_factor"])[j]
        if kind == "frequency_factors":
            return 1 / reals(self.scaling["factors"])[j]
        assert kind == "none", kind
        return mpf(1)

    def amplitude(self):
        kind, of = self.scaling["kind"], self.of
        if kind not in ("yarn", "long_rope"):
            return real(self.case["amplitude"])
        if "attention_factor" in self.scaling:
            return of("attention_factor")
        if of("factor") == 1:
            return mpf(1)
        if kind == "long_rope":
            return nearest(mp.sqrt(1 + mp.log(of("factor")) / mp.log(of("original_length"))))

        def gain(mscale):
            return mscale * mp.log(of("factor")) / 10 + 1

        both = "mscale" in self.scaling
        return nearest(gain(of("mscale")) / gain(of("mscale_all_dim")) if both else gain(mpf(1)))

    def angle(self, token, j):
        positions, axes = self.case["positions"], self.case.get("axes", {"count": 1})
        b, s = divmod(token, self.case["seq"])
        at = [number(positions[b][s])] if axes["count"] == 1 and not isinstance(
            positions[0][0], list) else [number(axis[b][s]) for axis in positions]
        if "weights" in axes:
            rows = reals(axes["weights"])
            coordinate = sum(rows[k * self.pairs + j] * p for k, p in enumerate(at))
        else:
            coordinate = at[axes.get("axis_of_pair", [0] * self.pairs)[j]]
        return self.theta(j) * coordinate

    def channels(self, j):
        """(read u, v), (written u, v) of pair j."""
        c, first = self.case, self.case["rotary_offset"]
        adjacent = (first + 2 * j, first + 2 * j + 1)
        halves = (first + j, first + j + c.get("pair_distance", self.pairs))
        if c["pairing"] == "interleaved":
            return adjacent, adjacent
        if c["pairing"] == "half_split":
            return halves, halves
        if c["pairing"] == "nested_half_split":
            half = self.pairs // c.get("blocks", 1)
            u = first + j // half * 2 * half + j % half
            return (u, u + half), (u, u + half)
        adjoint = c["direction"] == "adjoint"
        return (halves, adjacent) if adjoint else (adjacent, halves)

    def want(self, name, i):
        """Element i of expected[name], as a real number."""
        c = self.case
        if name == "inv_freq_hi":
            return self.theta(i)
        if name in ("cos", "sin"):
            cos, sin = cos_sin(self.angle(*divmod(i, self.pairs)))
            return self.amplitude() * (cos if name == "cos" else sin)
        row, channel = divmod(i, c["head_dim"])
        token = row // c[name + "_heads"]

        def x(t):
            width = FORMATS[c["dtype"]][0] // 8
            return decode(self.pattern(c[name], width, row * c["head_dim"] + t), c["dtype"])

        for j in range(self.pairs):
            (u, v), out = self.channels(j)
            if channel in out:
                cos, sin = cos_sin(self.angle(token, j))
                if (channel == out[0]) != (c["direction"] == "adjoint"):
                    sin = -sin  # y_u forward, y_v of the adjoint
                a, b = (u, v) if channel == out[0] else (v, u)
                return self.amplitude() * (x(a) * cos + x(b) * sin)
        return x(channel)

    def agrees(self, name, i):
        y, expected = self.want(name, i), self.case["expected"]
        golden = self.pattern(expected[name], 8, i)
        low = "inv_freq_lo" if name == "inv_freq_hi" else name + "_lo"
        if y == 0 and low not in expected:  # a copied channel keeps the sign of its zero
            return golden in (0, 1 << 63)
        if low not in expected:
            return golden == to_odd(y)
        hi = nearest(y)
        lo = y - hi
        if abs(lo) < abs(y) * mpf(2) ** (50 - BITS):  # a power that is a binary64
            lo = mpf(0)
        return (decode(golden), decode(self.pattern(expected[low], 8, i))) == (hi, nearest(lo))


class Encoding(EncodingCase):
    """A case of encodings.json, asked as the others are."""

    def want(self, name, i):
        return super().want(i)

    def agrees(self, name, i):
        return self.golden(i) == to_odd(super().want(i))


def why_not(case, kind):
    if kind != "rope":
        return kind
    return "xpos" if "xpos" in case else "special values" if case.get("is_special") else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("vectors", type=pathlib.Path)
    parser.add_argument("--sample", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    assert mpmath.libmp.BACKEND == "python", "mpmath runs on GMP"
    values, encodings, skipped = [], [], collections.Counter()
    manifest = json.loads((options.vectors / "MANIFEST.json").read_text())
    for name in (entry["file"] for entry in manifest["files"]):
        if not name.endswith(".json"):
            continue
        group = json.loads((options.vectors / name).read_text())
        side = b""
        if "payload" in group:
            side = (options.vectors / group["payload"]["file"]).read_bytes()
        for case in group["cases"]:
            reason = why_not(case, group["type"])
            if reason:
                skipped[reason] += 1
                continue
            one = Case(case, side)
            for field in ("inv_freq_hi", "cos", "sin", "q", "k"):
                size = one.size(case["expected"][field], 8)
                values += [(one, field, i) for i in range(size)]
    for entry in manifest.get("texts", []):
        if entry["file"] == "encodings.json":
            for case in json.loads((options.vectors / entry["file"]).read_text())["cases"]:
                one = Encoding(case)
                encodings += [(one, "values", i) for i in range(one.size())]
    sample = random.Random(options.seed).sample(values, min(options.sample, len(values)))
    sample += encodings
    disagreements = 0
    for one, field, i in sample:
        if not one.agrees(field, i):
            disagreements += 1
            print(f"  {one.case['id']} {field}[{i}]: y is {mp.nstr(one.want(field, i), 25)}")
    for reason, count in sorted(skipped.items()):
        print(f"skipped {count} cases: {reason}")
    print(f"total {len(sample)} {BITS} {disagreements}")
    return 2 if not sample else 1 if disagreements else 0


if __name__ == "__main__":
    sys.exit(main())
