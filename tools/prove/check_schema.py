"""Checks every group of vectors, the encodings and every preset against its schema.

  check_schema.py VECTORS_DIR

Also proves that the schemas are closed: a field more, a field less or a wrong type
anywhere must be refused. Needs python3-jsonschema.
"""

import copy
import json
import pathlib
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


vectors = pathlib.Path(sys.argv[1])
models = vectors / "models"
groups = [entry["file"] for entry in read(vectors / "MANIFEST.json")["files"]]
presets = sorted(f.name for f in models.glob("*.json") if f.name != "schema.json")
faults = [
    *check(vectors, groups, broken_group),
    *check(vectors, ["encodings.json"], broken_encodings, "encodings.schema.json"),
    *check(models, presets, broken_preset),
]
for fault in faults:
    print(fault)
print(f"{len(groups)} groups and {len(presets)} presets checked, {len(faults)} faults")
sys.exit(0 if groups and presets and not faults else 1)
