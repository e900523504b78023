#!/usr/bin/env bash
# `ropeproof encode`, `gallery` and `list encodings` as a user meets them.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

says 0 '^1 0.8414709848078965 0.54030230586813977 ' encode sinusoidal --dim 4 --positions 0..2,100
lines 4 '^[0-9]'
echo '{"table": [1, 2, 3, 4]}' >"$work/bias.json"
says 0 '^3 4 4$' encode relative --dim 1 --positions 3,4 --tables "$work/bias.json"
says 0 '"values":\[\[\[0.0\],\[26.0\]\],\[\[10.0\],\[0.0\]\]\]' encode t5 --positions 0,16 --json
says 0 '^0 1 -0.0625 -0.00390625 -0.25$' encode alibi --heads 3 --positions 0,1
echo '{"table": [[0.5, 1], [2, 3]]}' >"$work/table.json"
says 0 '^1 2 3$' encode learned --dim 2 --positions 1 --tables "$work/table.json"
says 0 '^sinusoidal *yes *linear *yes *yes *yes *no ' list encodings
says 0 '^integer *yes *affine ' list encodings

says 0 '^transformer_xl, certified at ' show encoding-transformer-xl-001

# Every line of JSON is that of the committed vectors, rounded to nearest.
check "encode --json differs from vectors/encodings.json" "$python" - "$ropeproof" "$vectors" <<'END'
import json, pathlib, struct, subprocess, sys
program, vectors = sys.argv[1:]
compared = 0
for case in json.loads(pathlib.Path(vectors, "encodings.json").read_text())["cases"]:
    if case["encoding"] not in ("binary", "sinusoidal", "decay", "alibi", "t5", "shift"):
        continue
    flags = []
    for name, value in case["parameters"].items():
        if name == "base":
            value = struct.unpack(">d", bytes.fromhex(value))[0]
        if name == "table":
            break
        flags += ["--causal"] if name == "is_causal" else ["--" + name.replace("_", "-"), str(value)]
    else:
        positions = ",".join(map(str, case["positions"]))
        command = [program, "encode", case["encoding"], "--json", f"--positions={positions}", *flags]
        got = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
        assert got["shape"] == case["expected"]["shape"], case["id"]

        def flat(node):
            return [node] if not isinstance(node, list) else [x for n in node for x in flat(n)]

        data = bytes.fromhex("".join(case["expected"]["values"]))
        want = struct.unpack(f">{len(data) // 8}d", data)
        for a, b in zip(flat(got["values"]), want, strict=True):
            assert abs(a - b) <= abs(b) * 2**-52, (case["id"], a, b)
            compared += 1
assert compared > 1500, compared
END

# Bad input: one line each.
expect 2 'no encoding "spiral"; there are integer' encode spiral --positions 0
expect 2 'position is 8; expected 0 .. 7, what 3 bits' encode binary --dim 3 --positions 0..8
expect 2 'the table has 2 rows' encode learned --dim 2 --positions 2 --tables "$work/table.json"
expect 2 'heads is not for sinusoidal, which takes --dim' encode sinusoidal --dim 4 --heads 2 --positions 0
expect 2 'causal is not for alibi' encode alibi --heads 2 --causal --positions 0
expect 2 'table "table" is not for' encode integer --dim 1 --positions 0 --tables "$work/table.json"
for positions in x 3..1 1.. 1,,2 1.5; do
  expect 2 'expected integers and ranges' encode integer --dim 1 --positions "$positions"
done
expect 2 'positions is empty' encode integer --dim 1 --positions ''
expect 2 'more than' encode integer --dim 1 --positions 0..9223372036854775807
expect 2 'cannot be read' encode learned --dim 1 --positions 0 --tables "$work/nowhere.json"
echo '[1, 2]' >"$work/list.json"
expect 2 'expected an object' encode learned --dim 1 --positions 0 --tables "$work/list.json"
echo '{"table": ["a"]}' >"$work/word.json"
expect 2 'expected numbers' encode learned --dim 1 --positions 0 --tables "$work/word.json"
echo '{"table": [[1, 2], [3]]}' >"$work/ragged.json"
expect 2 'not of one length' encode learned --dim 2 --positions 0 --tables "$work/ragged.json"
expect 2 'positions is required' encode integer --dim 1

expect 0 '' gallery --out "$work/page.html" --vectors "$vectors"
check "the page lacks pictures" [ "$(grep -c '<svg' "$work/page.html")" -gt 50 ]
check "a picture is no XML" "$python" -c '
import re, sys, xml.dom.minidom as dom
for picture in re.findall("(?s)<svg.*?</svg>", open(sys.argv[1]).read()):
    dom.parseString(picture)' "$work/page.html"
check "the page loads something" [ "$(grep -cE '(src|href)="[^#]|@import|<script' "$work/page.html")" -eq 0 ]
check "a number is none" [ "$(grep -cE '"[^"]*(nan|inf)[^a-z"]*"' "$work/page.html")" -eq 0 ]
expect 2 'is a folder' gallery --out "$work"
expect 2 'out is required' gallery
expect 4 'cannot be read' gallery --out "$work/none.html" --vectors "$work"
check "a gallery that fails writes a page" [ ! -e "$work/none.html" ]
finish
