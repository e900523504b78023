"""Checks every group of vectors, the encodings and every preset against its schema.

  check_schema.py VECTORS_DIR

Also holds the table of README.md to the manifest, and proves that the schemas are closed: a field more, a field less or a wrong type
anywhere must be refused. Needs python3-jsonschema.
"""

import copy
import json
import pathlib
import re
import sys

import jsonschema


def read(path):
    return json.loads(path.read_text())


def broken_group(group, schema):
    """The group with one fault each, in its first case."""

    def fault(change):
        broken = copy.deepcopy(group)
        change(broken["cases"][0])
        return broken

    required = schema["$defs"][group["type"] + "_case"]["required"]
    yield "unknown field", fault(lambda c: c.update(surprise=1))
    for key in group["cases"][0]:
        if key in required:
            yield "without " + key, fault(lambda c, key=key: c.pop(key))
        yield key + " of a wrong type", fault(lambda c, key=key: c.update({key: None}))


def broken_encodings(document, schema):
    """The document with one fault each, in its first case."""
    for key in schema["$defs"]["case"]["required"]:
        for what, change in (("without", lambda c, k: c.pop(k)), ("null", lambda c, k: c.update({k: None}))):
            broken = copy.deepcopy(document)
            change(broken["cases"][0], key)
            yield f"{what} {key}", broken
    for place in ((), ("parameters",), ("expected",)):
        broken = copy.deepcopy(document)
        node = broken["cases"][0]
        for key in place:
            node = node[key]
        node["surprise"] = 1
        yield "unknown field in " + "/".join(("case", *place)), broken


def broken_preset(preset, schema):
    """The preset with one fault each: at the top and in every object below."""
    for key in ("id", "title", "confirmed", "sources", "pairing"):
        yield "without " + key, {k: v for k, v in preset.items() if k != key}
        yield key + " of a wrong type", {**preset, key: None}
    both = {"config": {"rope_theta": 1.0}, "rope": {"head_dim": 2, "base": 1.0}}
    yield "config and rope", {**preset, **both}
    if preset["confirmed"]:
        yield "confirmed by one source", {**preset, "sources": preset["sources"][:1]}
    paths = [()]
    while paths:
        path = paths.pop()
        broken = copy.deepcopy(preset)
        node = broken
        for key in path:
            node = node[key]
        paths += [path + (k,) for k, v in node.items() if isinstance(v, dict)]
        if path and path[-1] == "rope_parameters":
            continue  # a further key could be a layer type
        node["surprise"] = 1
        yield "unknown field in " + "/".join(path), broken


def check(folder, names, broken_copies, schema_file="schema.json"):
    """The faults of the documents `names`, and of their schema."""
    schema = read(folder / schema_file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for name in names:
        document = read(folder / name)
        for error in validator.iter_errors(document):
            path = "/".join(map(str, error.absolute_path))
            yield f"{name}: {path}: {error.message[:200]}"
        if document.get("id", pathlib.Path(name).stem) != pathlib.Path(name).stem:
            yield f"{name}: the id is not the name of the file"
        for fault, broken in broken_copies(document, schema):
            if validator.is_valid(broken):
                yield f"{name}: the schema accepts: {fault}"


def wrong_counts(folder, manifest):
    """The rows of README.md's table whose cases are not those of the manifest."""
    text = (folder / "README.md").read_text()
    rows = re.findall(r"^\| `([a-z-]+)(?:\.json)?` \| (\d+) \|", text, re.M)
    given = {name + ".json": int(cases) for name, cases in rows if name != "encodings"}
    for entry in manifest["files"]:
        name, cases = entry["file"], entry["cases"]
        if given.pop(name, None) != cases:
            yield f"README.md: {name} has {cases} cases"
    for name in given:
        if not (folder / name).is_file():
            yield f"README.md: {name} is no file"


vectors = pathlib.Path(sys.argv[1])
models = vectors / "models"
manifest = read(vectors / "MANIFEST.json")
groups = [entry["file"] for entry in manifest["files"]]
presets = sorted(f.name for f in models.glob("*.json") if f.name != "schema.json")
faults = [
    *wrong_counts(vectors, manifest),
    *check(vectors, groups, broken_group),
    *check(vectors, ["encodings.json"], broken_encodings, "encodings.schema.json"),
    *check(models, presets, broken_preset),
]
for fault in faults:
    print(fault)
print(f"{len(groups)} groups and {len(presets)} presets checked, {len(faults)} faults")
sys.exit(0 if groups and presets and not faults else 1)
