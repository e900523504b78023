"""Re-checks every value of vectors/encodings.json with mpmath, from the file alone.

  recheck.py VECTORS_DIR

The formulas in a few lines of its own: 400 bits, Python integers below (no GMP), every
value computed by itself and rounded by integer arithmetic. Prints one line for each
disagreement and a last line `total VALUES BITS DISAGREEMENTS`. Exit status: 0, 1 a
disagreement, 2 usage or nothing to check.
"""

import fractions
import json
import math
import os
import pathlib
import struct
import sys

os.environ["MPMATH_NOGMPY"] = "1"
import mpmath  # noqa: E402
from mpmath import mp, mpf  # noqa: E402

BITS = 400
mp.prec = BITS


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
    magnitude = float(mp.ldexp(mpf(whole), exponent))
    return (int(sign) << 63) | struct.unpack(">Q", struct.pack(">d", magnitude))[0]


# Values of each token, not of each pair of tokens.
OF_TOKENS = ("integer", "normalised", "binary", "sine", "sinusoidal", "shift", "learned", "decay")


def doubles(text):
    """The numbers of a row of bit patterns, exactly."""
    data = bytes.fromhex(text)
    return [mpf(x) for x in struct.unpack(f">{len(data) // 8}d", data)]


def t5_bucket(distance, buckets, most, is_causal):
    """Of a key `distance` ahead of its query."""
    first = 0
    if is_causal:
        distance = min(distance, 0)
    else:
        buckets //= 2
        first = buckets if distance > 0 else 0
    r, exact = abs(distance), buckets // 2
    if r < exact:
        return first + r
    ratio = fractions.Fraction(r, exact) ** (buckets - exact)
    steps = [t for t in range(buckets - exact) if ratio >= fractions.Fraction(most, exact) ** t]
    return first + exact + steps[-1]


def alibi_slopes(heads):
    whole = int(math.log2(heads))
    if heads == 2**whole:
        return [mp.power(2, -mpf(8 * (h + 1)) / heads) for h in range(heads)]
    return alibi_slopes(2**whole) + alibi_slopes(2 ** (whole + 1))[0::2][: heads - 2**whole]


class Case:
    """A case of encodings.json."""

    def __init__(self, case):
        self.case, self.kind = case, case["encoding"]
        self.given = case["parameters"]
        self.positions = case["positions"]
        self.shape = case["expected"]["shape"]
        widths = {"decay": 1, "transformer_xl": 5, "t5": 1}
        channels = self.given.get("channels") or self.given.get("dim")
        width = self.given.get("heads") or widths.get(self.kind) or channels
        if self.shape[-1] != width:
            raise ValueError(f"{case['id']}: {self.shape[-1]} channels, not {width}")

    def size(self):
        return math.prod(self.shape)

    def golden(self, i):
        rows = "".join(self.case["expected"]["values"])
        return int(rows[16 * i : 16 * i + 16], 16)

    def numbers(self, name):
        return doubles(self.given[name])

    def phi(self, pair, p):
        return p * mp.power(self.numbers("base")[0], -mpf(2 * pair) / self.given["dim"])

    def wave(self, p, c):
        return mp.cos(self.phi(c // 2, p)) if c % 2 else mp.sin(self.phi(c // 2, p))

    def want(self, i):
        width = math.prod(self.shape[1:]) if self.kind in OF_TOKENS else self.shape[-1]
        if self.kind in OF_TOKENS:
            return self.of_token(self.positions[i // width], i % width)
        pair, n = i // width, len(self.positions)
        return self.of_pair(pair // n, pair % n, i % width)

    def of_token(self, p, c):
        kind, given, dim = self.kind, self.given, self.given["dim"]
        if kind == "integer":
            return mpf(p)
        if kind == "normalised":
            return mpf(p) / given["length"]
        if kind == "binary":
            return mpf(int(format(p, f"0{dim}b")[c]))
        if kind == "sine":
            return mp.sin(p * mp.power(self.numbers("base")[0], -mpf(c) / dim))
        if kind == "sinusoidal":
            return self.wave(p, c)
        if kind == "learned":
            return self.numbers("table")[p * dim + c]
        if kind == "decay":
            return mp.fsum(mp.cos(self.phi(j, p)) for j in range(dim // 2))
        assert kind == "shift", kind
        row, column = divmod(c, dim)
        block = ((mp.cos, mp.sin), (lambda x: -mp.sin(x), mp.cos))
        same = row // 2 == column // 2
        return block[row % 2][column % 2](self.phi(row // 2, p)) if same else mpf(0)

    def of_pair(self, i, j, c):
        kind, given = self.kind, self.given
        ahead = self.positions[j] - self.positions[i]
        if kind == "relative":
            table, dim = self.numbers("table"), given["dim"]
            return table[(ahead + len(table) // dim // 2) * dim + c]
        if kind == "alibi":
            return -alibi_slopes(given["heads"])[c] * abs(ahead)
        if kind == "t5":
            causal = given.get("is_causal", False)
            bucket = t5_bucket(ahead, given["buckets"], given["max_distance"], causal)
            heads = given.get("heads")
            return self.numbers("table")[bucket * heads + c] if heads else mpf(bucket)
        assert kind == "transformer_xl", kind
        dim, head = given["dim"], given["head_dim"]

        def times(x, name):
            w = self.numbers(name)
            return [mp.fsum(x[k] * w[k * head + h] for k in range(dim)) for h in range(head)]

        def token(t):
            return self.numbers("x")[t * dim : (t + 1) * dim]

        q, key = times(token(i), "w_q"), times(token(j), "w_ke")
        r = times([self.wave(-ahead, k) for k in range(dim)], "w_kr")
        left = [q, q, self.numbers("u"), self.numbers("v")]
        terms = [mp.fsum(a * b for a, b in zip(left[t], r if t % 2 else key)) for t in range(4)]
        return mp.fsum(terms) if c == 4 else terms[c]

    def agrees(self, i):
        return self.golden(i) == to_odd(self.want(i))


def main():
    if len(sys.argv) != 2:
        print("usage: recheck.py VECTORS_DIR", file=sys.stderr)
        return 2
    assert mpmath.libmp.BACKEND == "python", "mpmath runs on GMP"
    document = json.loads((pathlib.Path(sys.argv[1]) / "encodings.json").read_text())
    values = disagreements = 0
    for case in map(Case, document["cases"]):
        for i in range(case.size()):
            values += 1
            if not case.agrees(i):
                disagreements += 1
                print(f"  {case.case['id']} values[{i}]: y is {mp.nstr(case.want(i), 25)}")
    print(f"total {values} {BITS} {disagreements}")
    return 2 if not values else 1 if disagreements else 0


if __name__ == "__main__":
    sys.exit(main())
