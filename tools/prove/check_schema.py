"""Checks every group of vectors, the encodings, every preset and the table of model types against
its schema.

  check_schema.py VECTORS_DIR

Also holds the table of README.md to the manifest, and shows that the schemas are closed, and
that that of presets refuses what only it knows to be wrong. Needs python3-jsonschema.
"""

import json
import pathlib
import re
import sys

import jsonschema


def read(path):
    return json.loads(path.read_text())


TYPED = {"type", "$ref", "enum", "const", "oneOf", "anyOf", "allOf"}


def open_places(schema, path="schema"):
    """Where a schema takes unknown fields of an object, or any value of a field."""
    if isinstance(schema, dict):
        if schema.get("type") == "object" and schema.get("additionalProperties", True) is True:
            yield f"{path} takes unknown fields"
        if schema.get("type") == "object":
            for key, value in schema.get("properties", {}).items():
                if not TYPED & value.keys():
                    yield f"{path}/{key} takes any value"
        for key, value in schema.items():
            yield from open_places(value, f"{path}/{key}")
    elif isinstance(schema, list):
        for key, value in enumerate(schema):
            yield from open_places(value, f"{path}/{key}")


def broken_preset(preset):
    both = {"config": {"rope_theta": 1.0}, "rope": {"head_dim": 2, "base": 1.0}}
    yield "config and rope", {**preset, **both}
    if preset["confirmed"]:
        yield "confirmed by one source", {**preset, "sources": preset["sources"][:1]}


def check(folder, names, schema_file="schema.json"):
    """The faults of the documents `names`, and of their schema."""
    schema = read(folder / schema_file)
    jsonschema.Draft202012Validator.check_schema(schema)
    for place in open_places(schema):
        yield f"{schema_file}: {place}"
    validator = jsonschema.Draft202012Validator(schema)
    for name in names:
        document = read(folder / name)
        for error in validator.iter_errors(document):
            path = "/".join(map(str, error.absolute_path))
            yield f"{name}: {path}: {error.message[:200]}"
        if document.get("id", pathlib.Path(name).stem) != pathlib.Path(name).stem:
            yield f"{name}: the id is not the name of the file"
        for fault, broken in broken_preset(document) if "confirmed" in document else ():
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
    *check(vectors, groups),
    *check(vectors, ["encodings.json"], "encodings.schema.json"),
    *check(models, presets),
    *check(models / "types", ["types.json"]),
]
for fault in faults:
    print(fault)
print(f"{len(groups)} groups and {len(presets)} presets checked, {len(faults)} faults")
sys.exit(0 if groups and presets and not faults else 1)
