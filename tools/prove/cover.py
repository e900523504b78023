"""Builds or checks the covering arrays of vectors/coverage from its model.json.

  cover.py [FOLDER]           writes pairs.txt and triples.txt, in a few minutes; the
                              same model gives the same bytes
  cover.py --from OLD [FOLDER]
                              the same for a model that has grown: rows of the arrays in
                              the folder OLD stay, with the first class of a dimension
                              that their model lacks, and what they lack follows
  cover.py --check [FOLDER]   says whether they are those of the model and have every
                              possible pair and triple; that no row breaks a rule
                              conformance/cover/model.cc asks, which reads them for every run

`masking` names classes that hide what else is wrong: a row shows those of its pairs or
triples of classes that have all its masking classes. A pair or triple is possible if a
row that breaks no rule shows it. A product in `at_most` is that of the classes' least
sizes, where 0 counts as 1. Exit status: 1 for arrays that are not what they should be,
2 for a model that contradicts itself; then nothing is written. Needs NumPy.
"""

import hashlib
import os
import pathlib
import sys
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the arrays are too small for more

import numpy

import cover_build
from cover_model import DIGITS, BadModel, Model

FILES = {2: ("pairs", "pairs.txt"), 3: ("triples", "triples.txt")}
TRIES = {2: 8, 3: 2}  # with a seed each; the one with fewest rows is taken


class BadArray(Exception):
    """What is wrong with an array, in one line."""


def header(model, digest, strength):
    words = " ".join(dimension.name for dimension in model.dimensions)
    name = FILES[strength][0][:-1]
    return (
        f"# A covering array: every possible {name} of classes is shown by a row.\n"
        "# Made by tools/prove/cover.py from model.json; never edited.\n"
        f"# model.json SHA-256 {digest}\n"
        "# A row has the class of each dimension, counted from 0 (a is 10):\n"
        f"# {words}\n"
    )


def text_of(model, digest, rows, strength):
    lines = ["".join(DIGITS[c] for c in row - model.offsets[:-1]) for row in rows]
    return header(model, digest, strength) + "\n".join(lines) + "\n"


def rows_of(model, digest, text):
    """The rows of an array's text; raises BadArray."""
    if f"SHA-256 {digest}\n" not in text:
        raise BadArray("was made from another model; run tools/prove/cover.py")
    rows = [[DIGITS.find(digit) for digit in line]
            for line in text.splitlines() if not line.startswith("#")]
    return numpy.array(rows) + model.offsets[:-1]


def kept_rows(model, folder, strength):
    """Those rows of another model's array that the model has and allows; none of None."""
    rows = []
    if folder is not None:
        old, digest = read_model(folder / "model.json")
        for row in rows_of(old, digest, (folder / FILES[strength][1]).read_text()):
            classes = {old.dimensions[old.of[c]].name: c for c in row}
            names = [classes.get(dimension.name) for dimension in model.dimensions]
            new = [offset if c is None else model.number(old.name(c))
                   for offset, c in zip(model.offsets, names)]
            if None not in new and model.broken_rule(numpy.array(new)) is None:
                rows.append(new)
    return numpy.array(rows, int).reshape(len(rows), len(model.dimensions))


def verify(model, digest, text, strength):
    """Whether the text of an array has all that is possible; says what it has."""
    name = FILES[strength][0]
    rows = rows_of(model, digest, text)
    found, missing, impossible = 0, [], 0
    for part in cover_build.parts(model, strength):
        own = part.rows_of(rows)
        has = part.covered(own)
        possible = cover_build.possible_tuples(part, own)
        found += len(cover_build.ascending(has))
        missing += [[*part.masks, *rest] for rest in cover_build.ascending(possible & ~has)]
        impossible += len(cover_build.ascending(part.different & ~possible))
    if missing:
        example = " with ".join(model.name(c) for c in sorted(missing[0]))
        raise BadArray(f"misses {len(missing)} possible {name}, the first is {example}")
    print(f"{name} {found:,}/{found:,} in {len(rows):,} rows; impossible: {impossible:,} {name}")


def read_model(path):
    data = path.read_bytes()
    try:
        model = Model(data.decode())
    except (KeyError, ValueError) as error:
        raise BadModel(f"not a model: {error}") from error
    if model.search(model.start(numpy.zeros((1, 0), int))) is None:
        raise BadModel("the rules exclude every row")
    for number in range(model.of.size):
        masks = [number] if model.masking[number] else []
        domains = model.start(numpy.array([[number]])) & model.masked_by(masks)
        if model.search(domains) is None:
            raise BadModel(f"the rules leave no row for {model.name(number)}")
    return model, hashlib.sha256(data).hexdigest()


def build(model, digest, strength, kept):
    began = time.monotonic()
    before, all_rows, all_added = 0, [kept[:0]], []
    for part in cover_build.parts(model, strength):
        own = part.rows_of(kept)
        possible = cover_build.possible_tuples(part, own) & ~part.covered(own)
        if not possible.any():
            continue
        tries = (cover_build.greedy(part, possible, seed) for seed in range(TRIES[strength]))
        rows, left = min(tries, key=len), None
        before += cover_build.cost(model, rows).sum()
        while left != len(rows):  # an entry that changed may make another row superfluous
            left, rows = len(rows), cover_build.simplify(part, rows)
        rows, added = cover_build.most_first(part, rows)
        all_rows.append(rows)
        all_added += added
    order = numpy.argsort(-numpy.array(all_added, int), kind="stable")
    rows = numpy.concatenate([kept, numpy.concatenate(all_rows)[order]])
    after = cover_build.cost(model, rows[len(kept):]).sum()
    print(f"{FILES[strength][0]}: {time.monotonic() - began:.0f} s; "
          f"elements of q and k {before:,} before simplification, {after:,} after", flush=True)
    text = text_of(model, digest, rows, strength)
    verify(model, digest, text, strength)
    return text


def write(path, text):
    """All or nothing."""
    new = path.with_name(path.name + ".new")
    try:
        new.write_text(text)
        os.replace(new, path)
    finally:
        new.unlink(missing_ok=True)


def main(arguments):
    is_check = arguments[:1] == ["--check"]
    arguments = arguments[is_check:]
    old = None
    if arguments[:1] == ["--from"] and len(arguments) > 1 and not is_check:
        old, arguments = pathlib.Path(arguments[1]), arguments[2:]
    default = pathlib.Path(__file__).resolve().parents[2] / "vectors" / "coverage"
    if len(arguments) > 1 or (arguments and arguments[0].startswith("-")):
        print("usage: cover.py [--check | --from OLD] [FOLDER]", file=sys.stderr)
        return 2
    folder = pathlib.Path(arguments[0]) if arguments else default
    path = folder / "model.json"
    try:
        model, digest = read_model(path)
        if is_check:
            for strength, (_, name) in FILES.items():
                path = folder / name
                verify(model, digest, path.read_text(), strength)
        else:
            texts = {name: build(model, digest, s, kept_rows(model, old, s))
                     for s, (_, name) in FILES.items()}
            for name, text in texts.items():
                path = folder / name
                write(path, text)
    except (BadArray, BadModel, OSError, UnicodeDecodeError) as error:
        print(f"{path}: {getattr(error, 'strerror', None) or error}", file=sys.stderr)
        return 2 if path.name == "model.json" or not is_check else 1
    return 0


sys.exit(main(sys.argv[1:]))
