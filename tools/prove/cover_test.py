"""tools/prove/cover.py as its user meets it: covering arrays, and models that are wrong.

  cover_test.py VECTORS_DIR

What is possible is found a second time, by forming every row of small models. A model
that contradicts itself and arrays that are not its own are one line and exit status 2 or 1,
and nothing is written. Paths have blanks.
"""

import copy
import itertools
import json
import math
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import numpy

import cover_build
from cover_model import Model

program = pathlib.Path(__file__).with_name("cover.py")
vectors = pathlib.Path(sys.argv[1])
work = tempfile.TemporaryDirectory(prefix="covering arrays ")
folder = pathlib.Path(work.name)
checks, faults = 0, []


def expect(what, status, *patterns, arguments):
    global checks
    checks += 1
    done = subprocess.run([sys.executable, program, *arguments], capture_output=True, text=True)
    missing = [p for p in patterns if p not in done.stdout + done.stderr]
    if done.returncode != status or missing or (status and done.stderr.count("\n") != 1):
        faults.append(f"{what}: exit status {done.returncode}, expected {status}; "
                      f"without {missing}\n{done.stdout}{done.stderr}")


def whole_rows(model):
    """Every row that breaks no rule, by the words of the model file."""
    names = {}
    for entry in model["dimensions"]:
        ranges = zip(entry.get("low", []), entry.get("high", []))
        names[entry["name"]] = entry.get("classes") or [
            str(a) if a == b else f"{a}-{b}" for a, b in ranges
        ]
    low = {
        (entry["name"], names[entry["name"]][i]): max(value, 1)
        for entry in model["dimensions"]
        for i, value in enumerate(entry.get("low", []))
    }
    for classes in itertools.product(*names.values()):
        row = dict(zip(names, classes))
        if any(all(row[d] in of for d, of in rule["of"].items()) for rule in model["never"]):
            continue
        if any(math.prod(low[d, row[d]] for d in rule["product"]) > rule["is"]
               for rule in model["at_most"]):
            continue
        yield [names[d].index(c) for d, c in row.items()]


def tuples(model, rows, strength):
    """What the rows show: tuples that have all masking classes of a row."""
    masking = set()
    for rule in model["masking"]:
        for d, entry in enumerate(model["dimensions"]):
            words = entry.get("classes") or [str(c) for c in entry["low"]]
            masking |= {(d, words.index(c)) for c in rule["of"].get(entry["name"], [])}
    shown = set()
    for row in rows:
        masks = masking & set(enumerate(row))
        for some in itertools.combinations(enumerate(row), strength):
            if masks <= set(some):
                shown.add(some)
    return shown


def read_rows(path):
    lines = path.read_text().splitlines()
    return [[int(c, 36) for c in line] for line in lines if not line.startswith("#")]


small = {
    "format": "ropeproof-coverage/1",
    "dimensions": [
        {"name": "shape", "classes": ["plain", "round", "square", "odd"]},
        {"name": "colour", "classes": ["none", "red", "green"]},
        {"name": "width", "low": [1, 4, 32], "high": [3, 7, 32]},
        {"name": "height", "low": [0, 1, 8], "high": [0, 7, 8]},
        {"name": "place", "classes": ["here", "there"]},
    ],
    "never": [
        {"of": {"shape": ["round"], "colour": ["red"]}, "because": "red is square"},
        {"of": {"shape": ["round"], "colour": ["none"]}, "because": "round is coloured"},
        {"of": {"colour": ["green"], "place": ["there"]}, "because": "green is here"},
    ],
    "masking": [{"of": {"shape": ["odd"], "place": ["there"]}, "because": "unseen"}],
    "at_most": [{"product": ["width", "height"], "is": 32, "because": "it is small"}],
}


def write(name, model):
    path = folder / name
    path.mkdir()
    (path / "model.json").write_text(json.dumps(model))
    return path


# Round is green, hence here: the rules of two make further pairs impossible.
good = write("good", small)
expect("a small model", 0, "pairs 84/84 in ", "impossible: 5 pairs", arguments=[good])
for strength, name in ((2, "pairs.txt"), (3, "triples.txt")):
    rows = read_rows(good / name)
    every = list(whole_rows(small))
    if not all(row in every for row in rows):
        faults.append(f"{name}: a row breaks a rule")
    if tuples(small, rows, strength) != tuples(small, every, strength):
        faults.append(f"{name}: not what every row together has")
expect("what was built", 0, arguments=["--check", good])
before = (good / "pairs.txt").read_bytes() + (good / "triples.txt").read_bytes()
expect("a second time", 0, arguments=[good])
if before != (good / "pairs.txt").read_bytes() + (good / "triples.txt").read_bytes():
    faults.append("the same model gives other bytes")

# A class in the midst of a dimension and a dimension before all others: rows stay.
grown = copy.deepcopy(small)
grown["dimensions"][1]["classes"].insert(1, "blue")
grown["dimensions"].insert(0, {"name": "weather", "classes": ["fair", "foul"]})
bigger = write("bigger", grown)
expect("a model that has grown", 0, "pairs", arguments=["--from", good, bigger])
for strength, name in ((2, "pairs.txt"), (3, "triples.txt")):
    old, new = read_rows(good / name), read_rows(bigger / name)
    stay = [[0, shape, colour + (colour > 0), *rest] for shape, colour, *rest in old]
    if new[:len(old)] != stay:
        faults.append(f"{name}: a row did not stay")
    if tuples(grown, new, strength) != tuples(grown, whole_rows(grown), strength):
        faults.append(f"{name}: not what every row together has, of a model that has grown")
expect("nothing to begin with", 2, "usage", arguments=["--from"])

# What is possible, in models with rules at random.
draw = random.Random(1)
for number in range(60):
    names = [f"d{i}" for i in range(5)]
    model = {"format": small["format"], "at_most": [], "never": [], "dimensions": []}
    model["masking"] = []
    for name in names:
        sizes = sorted(draw.sample([0, 1, 2, 3, 5, 8], draw.randint(2, 4)))
        model["dimensions"].append({"name": name, "low": sizes, "high": sizes})
    for _ in range(draw.randint(0, 7)):
        some = draw.sample(model["dimensions"], draw.randint(1, 4))
        of = {d["name"]: [str(c) for c in d["low"] if draw.random() < 0.6] for d in some}
        if all(of.values()):
            model["never"].append({"of": of, "because": "so"})
    for d in draw.sample(model["dimensions"], draw.randint(0, 4)):
        of = {d["name"]: [str(c) for c in draw.sample(d["low"][1:], 1)]}
        model["masking"].append({"of": of, "because": "so"})
    for _ in range(draw.randint(0, 2)):
        product = draw.sample(names, draw.randint(1, 4))
        model["at_most"].append({"product": product, "is": draw.randint(1, 60), "because": "so"})
    every, read = list(whole_rows(model)), Model(json.dumps(model))
    for strength in (2, 3):
        checks += 1
        none = numpy.zeros((0, len(names)), int)
        found = {
            tuple((int(read.of[c]), int(c - read.offsets[read.of[c]]))
                  for c in sorted([*part.masks, *one]))
            for part in cover_build.parts(read, strength)
            for one in cover_build.ascending(cover_build.possible_tuples(part, none))
        }
        if found != tuples(model, every, strength):
            faults.append(f"model {number}: other tuples of {strength} are possible")
    for row in itertools.product(*(range(len(d["low"])) for d in model["dimensions"])):
        broken = read.broken_rule(numpy.array(row) + read.offsets[:-1])
        if (broken is None) != (list(row) in every):
            faults.append(f"model {number}: {row}: {broken}")
            break

# The committed arrays, and arrays that are not well.
expect("the committed arrays", 0, "pairs", "triples", arguments=["--check", vectors / "coverage"])


def spoil(what, pattern, change, name="pairs.txt"):
    path = folder / "spoilt"
    shutil.copytree(good, path)
    change(path / name)
    expect(what, 1, name, pattern, arguments=["--check", path])
    shutil.rmtree(path)


def edit(old, new):
    return lambda path: path.write_text(path.read_text().replace(old, new, 1))


row = (good / "triples.txt").read_text().splitlines()[-1]
spoil("a triple is missing", "triples, the first is", edit(row + "\n", ""), "triples.txt")
spoil("hidden by another class", "pairs, the first is", lambda path: path.write_text(
    "".join(line if line.startswith("#") else line[:4] + "1\n" for line in path.open()
            if line.startswith("#") or line[1] != "2")))
spoil("no file", "No such file", lambda path: path.unlink())
spoil("another model", "another model",
      lambda path: path.with_name("model.json").write_text(json.dumps(small) + "\n"))


# Models that contradict themselves.
def refuse(what, pattern, change):
    model = copy.deepcopy(small)
    change(model)
    path = write(what, model)
    for arguments in ([path], ["--check", path]):
        expect(what, 2, "model.json: ", pattern, arguments=arguments)
    if [entry.name for entry in path.iterdir()] != ["model.json"]:
        faults.append(f"{what}: something was written")


def never(**of):
    return lambda model: model["never"].append({"of": of, "because": "so"})


refuse("an unknown dimension", "not a model: 'taste'", never(taste=["sweet"]))
refuse("a class always hidden", "no row for height 8", never(height=["8"], place=["here"]))
refuse("everything excluded", "the rules exclude every row", never(place=["here", "there"]))
refuse("a class excluded", "no row for width 32", lambda model: model["at_most"].append(
    {"product": ["width"], "is": 31, "because": "so"}))
refuse("a class excluded by a chain", "no row for shape round",
       never(colour=["green"], place=["here"]))
expect("no model", 2, "No such file", arguments=[folder])
expect("an unknown option", 2, "usage", arguments=["--chek", good])

for fault in faults:
    print(fault)
print(f"{checks} checks of cover.py, {len(faults)} faults")
sys.exit(1 if faults else 0)
