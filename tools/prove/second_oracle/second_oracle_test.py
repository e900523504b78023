"""Shows that the second oracles notice: each wrong value, parameter and digest.

  second_oracle_test.py ROPEPROOF_RECHECK VECTORS_DIR

Copies one case of the committed vectors at a time, with one fault and digests that
fit, and requires that ropeproof_recheck finds it: for a wrong value just that one, by
its name. recheck.py is shown the same faults in encodings.json.
"""

import copy
import hashlib
import json
import pathlib
import random
import subprocess
import sys
import tempfile

from recheck import Case

program, vectors = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
choose = random.Random(1)
work = tempfile.TemporaryDirectory(prefix="second oracle ")  # a path with a blank
folder = pathlib.Path(work.name)
runs, faults = 0, []


def digest(data):
    return hashlib.sha256(data).hexdigest()


def write(group, side):
    if "payload" in group:
        name = group["payload"]["file"]
        group["payload"].update(bytes=len(side), sha256=digest(side))
        (folder / name).write_bytes(side)
    data = json.dumps(group).encode()
    (folder / "one.json").write_bytes(data)
    manifest = {"files": [{"file": "one.json", "sha256": digest(data)}]}
    (folder / "MANIFEST.json").write_text(json.dumps(manifest))


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout + done.stderr


def recheck(what, status, *patterns):
    """Runs ropeproof_recheck on `folder`; its output must contain every pattern."""
    global runs
    runs += 1
    got, output = run(program, folder)
    if got != status or any(pattern not in output for pattern in patterns):
        faults.append(f"{what}: exit status {got}, expected {status} and {patterns}\n{output}")


def change(field, width, index, side, new):
    """Puts new(pattern) in place of element `index`, in the rows or the side file."""
    if isinstance(field[0], str):
        row, at = divmod(index, len(field[0]) // (2 * width))
        digits, at = field[row], 2 * width * at
        value = new(int(digits[at : at + 2 * width], 16))
        field[row] = digits[:at] + format(value, f"0{2 * width}x") + digits[at + 2 * width :]
    else:
        part = slice(field[0] + index * width, field[0] + (index + 1) * width)
        side[part] = new(int.from_bytes(side[part], "little")).to_bytes(width, "little")


def last_bit(pattern):
    return pattern ^ 1


def elements(field, width):
    if not field:
        return 0
    if isinstance(field[0], str):
        return sum(map(len, field)) // (2 * width)
    return field[1] // width


def value_faults(group, side):
    """In every tensor of a random case: one last bit flipped."""
    case = choose.choice(group["cases"])
    one = dict(group, cases=[case])
    write(copy.deepcopy(one), side)
    recheck(f"{case['id']} unchanged", 0, "total ")
    is_rope = group["type"] == "rope"
    names = case["expected"] if is_rope else {"expected": case["expected"]}
    width = 8 if is_rope else {"f64": 8, "f32": 4, "f16": 2, "bf16": 2}[case["dtype"]]
    for name, field in names.items():
        if name == "precision_bits":
            continue
        broken, broken_side = copy.deepcopy(one), bytearray(side)
        expected = broken["cases"][0]["expected"]
        if name == "amplitude":
            expected[name] = format(int(field, 16) ^ 1, "016x")
        elif elements(field, width):
            index = choose.randrange(elements(field, width))
            change(expected[name] if is_rope else expected, width, index, broken_side, last_bit)
        else:
            continue
        write(broken, bytes(broken_side))
        shown = name.replace("_lo", "_hi" if name == "inv_freq_lo" else "")
        recheck(f"{case['id']} {name}", 1, f"{case['id']} {shown}", " 1\n")


# What may stand in place of a golden, in this order: any of them is wrong for another.
RULES = [0x7FF8000000000000, 0x7FF8000000000001, 0x7FF0000000000000, 0xFFF0000000000000]


def rule_faults(group, side):
    """Each rule in place of each other one."""
    seen = set()
    for case in group["cases"]:
        field = case["expected"]["q"] if case.get("is_special") else []
        for index in range(elements(field, 8)):
            broken, broken_side, found = copy.deepcopy(case), bytearray(side), []
            change(broken["expected"]["q"], 8, index, broken_side, lambda p: found.append(p) or p)
            if found[0] not in RULES or found[0] in seen:
                continue
            seen.add(found[0])
            for rule in RULES:
                if rule == found[0]:
                    continue
                change(broken["expected"]["q"], 8, index, broken_side, lambda p: rule)
                write(dict(group, cases=[broken]), bytes(broken_side))
                recheck(f"{case['id']} {rule:x}", 1, f"{case['id']} q[{index}]", " 1\n")
    return len(seen)


def other(value):
    """Another value of a parameter: the number doubled, the truth value negated."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return 2 * value
    if isinstance(value, list):
        return [other(entry) for entry in value]
    patterns = (value[i : i + 16] for i in range(0, len(value), 16))
    return "".join(format(int(p, 16) + (1 << 52), "016x") for p in patterns)


# Another word in place of each.
WORDS = {
    "interleaved": "half_split",
    "half_split": "interleaved",
    "interleaved_to_half": "interleaved",
    "nested_half_split": "half_split",
    "forward": "adjoint",
    "adjoint": "forward",
}
OWN = ("base", "amplitude", "rotary_offset", "pair_distance", "inv_freq", "bases")


def parameters(case):
    """(label, place, key, wrong value) of what a case is made of."""
    for name in ("pairing", "direction"):
        yield f"{name} {case[name]}", case, name, WORDS[case[name]]
    for name in OWN:
        if name in case:
            yield name, case, name, other(case[name])
    if "exponents" in case:
        yield "exponents", case, "exponents", [[n + 1, d] for n, d in case["exponents"]]
    for place in ("scaling", "xpos", "axes"):
        fields = case.get(place, {})
        for name, value in fields.items():
            if name not in ("kind", "count"):
                wrong = value[::-1] if name == "axis_of_pair" else other(value)
                yield f"{fields.get('kind', place)} {name}", fields, name, wrong


def parameter_faults(groups):
    """Every parameter that the vectors have makes some case fail when it is wrong."""
    global runs
    tried, caught = set(), set()
    for group, side in groups:
        for case in group["cases"] if group["type"] == "rope" else []:
            for label, place, name, wrong in parameters(case):
                tried.add(label)
                if label in caught:
                    continue
                right = place[name]
                place[name] = wrong
                write(dict(group, cases=[case]), side)
                place[name] = right
                runs += 1
                if run(program, folder)[0] == 1:
                    caught.add(label)
    for label in sorted(tried - caught):
        faults.append(f"no case fails when {label} is wrong")
    print(f"{len(caught)} of {len(tried)} parameters caught")


def encoding_faults():
    """In every case of encodings.json one last bit flipped; each parameter wrong in some."""
    tried, caught = set(), set()

    def wrong_values(case):
        one = Case(case)
        return [i for i in range(one.size()) if not one.agrees(i)]

    for case in json.loads((vectors / "encodings.json").read_text())["cases"]:
        broken, values = copy.deepcopy(case), case["expected"]["values"]
        index = choose.randrange(elements(values, 8))
        change(broken["expected"]["values"], 8, index, None, last_bit)
        if wrong_values(case) or wrong_values(broken) != [index]:
            faults.append(f"recheck.py on {case['id']}: not values[{index}] alone")
        for name, value in case["parameters"].items():
            label = f"{case['encoding']} {name}"
            tried.add(label)
            if label in caught:
                continue
            parameters = dict(case["parameters"], **{name: other(value)})
            try:
                is_caught = bool(wrong_values(dict(case, parameters=parameters)))
            except (IndexError, ValueError):  # of another size
                is_caught = True
            if is_caught:
                caught.add(label)
    for label in sorted(tried - caught):
        faults.append(f"no encoding fails when {label} is wrong")
    print(f"{len(caught)} of {len(tried)} parameters of encodings caught")


groups = []
for entry in json.loads((vectors / "MANIFEST.json").read_text())["files"]:
    if entry["file"].endswith(".json"):
        group = json.loads((vectors / entry["file"]).read_text())
        if group["type"] in ("rope", "permute"):
            payload = group.get("payload")
            groups.append((group, (vectors / payload["file"]).read_bytes() if payload else b""))
rules = 0
for group, side in groups:
    value_faults(group, side)
    if group["type"] == "rope":
        rules += rule_faults(group, side)
parameter_faults(groups)
encoding_faults()

for group, side in groups:
    if "payload" in group:
        one = dict(group, cases=group["cases"][:1])
        write(one, side)
        (folder / group["payload"]["file"]).write_bytes(side[:-1] + b"?")
        recheck("a side file that is altered", 4, "safetensors", "SHA-256")
        one["cases"][0]["q"] = [len(side) - 8, 16]
        write(one, side)
        recheck("a tensor beyond the side file", 4, "outside the side file")
        break

(folder / "one.json").write_bytes(b" " + (folder / "one.json").read_bytes())
recheck("a digest that does not fit", 4, "one.json", "SHA-256")
(folder / "one.json").unlink()
recheck("a file that is missing", 4, "one.json", "cannot be read")
if run(program)[0] != 2:
    faults.append("no argument: exit status is not 2")

for fault in faults:
    print(fault)
print(f"{runs} copies checked, {rules} rules among them, {len(faults)} faults")
sys.exit(1 if faults else 0)
