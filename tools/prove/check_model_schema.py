"""Checks every preset of vectors/models/ against its schema, schema.json there.

Also proves that the schema is closed: a field more, a field less or a wrong
type anywhere in a preset must be refused. Needs python3-jsonschema.
"""

import copy
import json
import pathlib
import sys

import jsonschema

models = pathlib.Path(sys.argv[1]) / "models"
schema = json.loads((models / "schema.json").read_text())
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)


def broken_copies(preset):
    """The preset with one fault each: at the top and in every object below."""
    for key in ("id", "title", "confirmed", "sources", "pairing"):
        yield f"without {key}", {k: v for k, v in preset.items() if k != key}
        yield f"{key} of a wrong type", {**preset, key: None}
    both = {"config": {"rope_theta": 1.0}, "rope": {"head_dim": 2, "base": 1.0}}
    yield "with config and rope", {**preset, **both}
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


faults = 0
files = sorted(f for f in models.glob("*.json") if f.name != "schema.json")
for file in files:
    preset = json.loads(file.read_text())
    problems = [
        "/".join(map(str, error.absolute_path)) + ": " + error.message[:200]
        for error in validator.iter_errors(preset)
    ]
    if preset.get("id") != file.stem:
        problems.append("the id is not the name of the file")
    if not problems:
        problems = [
            "the schema accepts it " + name
            for name, broken in broken_copies(preset)
            if validator.is_valid(broken)
        ]
    for problem in problems:
        print(f"{file.name}: {problem}")
    faults += len(problems)
print(f"{len(files)} presets checked against the schema, {faults} faults")
sys.exit(1 if faults or not files else 0)
