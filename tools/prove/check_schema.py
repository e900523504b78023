"""Checks every group of vectors against vectors/schema.json.

Also proves that the schema is closed: a field more, a field less or a wrong
type anywhere in a case must be refused. Needs python3-jsonschema.
"""

import copy
import json
import pathlib
import sys

import jsonschema

vectors = pathlib.Path(sys.argv[1])
schema = json.loads((vectors / "schema.json").read_text())
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
manifest = json.loads((vectors / "MANIFEST.json").read_text())


def broken_copies(group):
    """The group with one fault each, in its first case."""

    def fault(change):
        broken = copy.deepcopy(group)
        change(broken["cases"][0])
        return broken

    case = group["cases"][0]
    required = schema["$defs"][group["type"] + "_case"]["required"]
    yield "unknown field", fault(lambda c: c.update(surprise=1))
    for key in case:
        if key in required:
            yield "without " + key, fault(lambda c, key=key: c.pop(key))
        yield key + " of a wrong type", fault(lambda c, key=key: c.update({key: None}))


faults = 0
for entry in manifest["files"]:
    group = json.loads((vectors / entry["file"]).read_text())
    for error in validator.iter_errors(group):
        path = "/".join(map(str, error.absolute_path))
        print(f"{entry['file']}: {path}: {error.message[:200]}")
        faults += 1
    for name, broken in broken_copies(group):
        if validator.is_valid(broken):
            print(f"{entry['file']}: the schema accepts a case {name}")
            faults += 1
print(f"{len(manifest['files'])} files checked against the schema, {faults} faults")
sys.exit(1 if faults else 0)
