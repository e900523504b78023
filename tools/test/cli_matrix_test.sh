#!/usr/bin/env bash
# The scoreboard, from reports of real runs.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

judge() { # judge NAME ARGUMENT...
  "$ropeproof" run "${@:2}" --report "$work/$1.json" >/dev/null
}
judge fast --builtin fast --tier smoke
judge good --lib "$plugins/c_example.so" --tier smoke
judge swapped --lib "$plugins/c_example_swapped.so" --tier smoke
judge phi --lib "$plugins/c_example.so" --profile phi2-f16-2k
all=("$work"/{fast,good,swapped,phi}.json)

causes() { # causes VERSION LAST_DAY
  cat >"$work/causes.json" <<JSON
{"format": "ropeproof-waivers/1",
 "waivers": [{"id": "*", "engine": "my-rope-swapped", "version": "$1",
              "asked": "tier *", "kind": "defect", "reason": "the pairs are swapped",
              "where": "my_rope_swapped.c:1", "case": "head_dim 4", "fix": "j + half",
              "link": "https://example.org/7", "expires": "$2"},
             {"id": "*", "engine": "my-rope", "asked": "profile *", "kind": "limit",
              "reason": "f32 alone", "link": "https://example.org/8",
              "expires": "2199-12-31"}]}
JSON
}
version=$("$python" -c 'import json, sys; print(json.load(open(sys.argv[1]))["description"]["version"])' \
  "$work/swapped.json")
causes "$version" 2199-12-31
matrix=(matrix "${all[@]}" --date 2026-11-22 --out "$work/board")
explained=("${matrix[@]}" --causes "$work/causes.json")
says 0 '^3 engines, 1 conforms; 0 to look at$' "${explained[@]}"
check "not four files" \
  [ "$(LC_ALL=C ls "$work/board" | tr '\n' ' ')" = "SCOREBOARD.md badge.svg scoreboard.html scoreboard.json " ]
check "no cause in the Markdown" grep -q 'the pairs are swapped.*my\\_rope\\_swapped.c:1' \
  "$work/board/SCOREBOARD.md"
check "no badge" grep -q '3 engines, 1 conforms' "$work/board/badge.svg"
check "HTML or SVG is not well-formed" "$python" - "$work/board" <<'PY'
import html.parser, pathlib, sys, xml.etree.ElementTree as tree

class Balanced(html.parser.HTMLParser):
    open = []
    void = {"meta", "br", "img"}
    def handle_starttag(self, tag, attributes):
        assert tag not in ("script", "link"), tag
        if tag not in self.void:
            self.open.append(tag)
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

folder = pathlib.Path(sys.argv[1])
tree.parse(folder / "badge.svg")
page = Balanced()
page.feed((folder / "scoreboard.html").read_text())
assert not page.open, page.open
PY
# What somebody hands in.
judge llama --lib "$plugins/c_example.so" --profile llama2-f32-4k
says 0 '^cell   my-rope 1.0, profile llama2-f32-4k: L1; .*; reproduced, the same bytes$' \
  submit-check "$work/llama.json" --again "$work/llama.json"
lines 1 '^MAY ENTER$'
says 1 '^fault  .*good.json: the smoke tier is too little' submit-check "$work/good.json"
says 0 '^MAY ENTER$' submit-check "$work/phi.json" --causes "$work/causes.json"
says 1 'unexplained' submit-check "$work/phi.json"
sed 's/"verdict": "UNSUPPORTED"/"verdict": "PASS"/' "$work/phi.json" >"$work/forged.json"
expect 2 'was it edited' submit-check "$work/forged.json"
cp -r "$work/board" "$work/first"
# Files that belong together are all written, or none.
(ulimit -f 3 && exec "$ropeproof" matrix "${all[@]}" --date 2026-11-23 --out "$work/board") >/dev/null 2>"$work/err"
check "no word of a page that is too large" grep -q 'scoreboard.html" cannot be written: File too large' "$work/err"
check "a part of a board is written" diff -r "$work/first" "$work/board"
says 0 '' matrix "${all[3]}" "${all[1]}" "${all[2]}" "${all[0]}" --date 2026-11-22 \
  --out "$work/board" --causes "$work/causes.json"
check "the order of the reports matters" diff -r "$work/first" "$work/board"

# A few engines judged again join the rows of an earlier board.
says 0 '^3 engines, 1 conforms; 0 to look at$' matrix "$work/fast.json" --date 2026-11-23 --out "$work/board" \
  --causes "$work/causes.json" --keep "$work/first/scoreboard.json"
check "a row that is kept is another" \
  diff <(grep -v '"fast"' "$work/first/scoreboard.json") <(grep -v '"fast"' "$work/board/scoreboard.json")
check "no days" grep -q '^| fast [^|]*| 2026-11-23 ' "$work/board/SCOREBOARD.md"
check "not its own day" grep -q '^| my-rope 1.0 | 2026-11-22 ' "$work/board/SCOREBOARD.md"
expect 2 'no rows as' "${matrix[@]}" --keep "$work/causes.json"

# What somebody must look at.
says 1 'my-rope-swapped .*, tier smoke: unexplained' "${matrix[@]}"
says 1 'my-rope .*, profile phi2-f16-2k: unexplained' "${matrix[@]}"
causes "$version" 2026-11-21
says 1 'expired on 2026-11-21' "${explained[@]}"
causes "$version" 2026-11-22
says 0 '' "${explained[@]}"
causes "$version" 2199-12-31
sed 's/"my-rope-swapped"/"fast"/; s/"version": "[^"]*",//' "$work/causes.json" >"$work/stale.json"
says 1 'stale: nothing fails' "${matrix[@]}" --causes "$work/stale.json"

# The same file waives failures of a run, for this version and what is asked.
swapped=(run --lib "$plugins/c_example_swapped.so" --waivers "$work/causes.json")
says 0 '^CONFORMS .* waived)' "${swapped[@]}" --tier smoke
says 1 '^DOES NOT CONFORM  level none ' "${swapped[@]}" --profile llama2-f32-4k
causes 99 2199-12-31
says 1 '^DOES NOT CONFORM' "${swapped[@]}" --tier smoke
causes "$version" 2199-12-31

# Speed, as bench wrote it.
"$python" - "$work" <<'PY'
import json, sys
work = sys.argv[1]
report = json.load(open(work + "/fast.json"))
json.dump({"format": "ropeproof-bench/3", "ropeproof": report["suite_version"],
           "kernels": [{"kernel": "fast", "description": report["description"]}],
           "rows": [{"kernels": [{"kernel": "fast", "status": "measured", "of_limit": x}]}
                    for x in (0.25, 0.75)]}, open(work + "/bench.json", "w"))
PY
says 0 '' "${explained[@]}" --bench "$work/bench.json"
check "no speed" grep -q '0.25 to 0.75' "$work/board/SCOREBOARD.md"

# A verdict of a stand-in for a device says so.
cat >"$work/on.c" <<'C'
#include "my_rope.c"
const char* ropeproof_backend(void) {
  return "{\"name\": \"lavapipe\", \"version\": \"22.3\", \"shows\": \"logic\", "
         "\"hides\": \"code generation\", \"left_out\": []}";
}
C
"$compiler" -O2 -shared -fPIC -I"$source/conformance/include" -I"$source/conformance/examples" \
  "$work/on.c" -o "$work/on.so" -lm
judge on --lib "$work/on.so" --tier smoke
says 0 '' matrix "$work/on.json" --out "$work/board"
for file in SCOREBOARD.md scoreboard.html; do
  check "no stand-in in $file" grep -q '>on lavapipe 22.3' "$work/board/$file"
  check "not what it covers in $file" grep -q 'logic; not code generation' "$work/board/$file"
done

# Bad input: one line, nothing written.
rm -r "$work/board"
expect 2 'cannot be read' "${matrix[@]}" "$work/nowhere.json"
expect 2 'no report of' "${matrix[@]}" "$work/causes.json"
expect 2 'are both of my-rope' "${matrix[@]}" "$work/good.json"
judge shard --builtin fast --tier smoke --shard 1/2
expect 2 'shard.json: is shard 1/2' matrix "$work/shard.json" --out "$work/board"
judge case --builtin fast --case smoke-unit-001
expect 2 'of part of a tier' matrix "$work/case.json" --out "$work/board"
expect 2 'no report of' matrix "$work/bench.json" --out "$work/board"
sed 's/bench.3/bench\/2/' "$work/bench.json" >"$work/old.json"
expect 2 'expected ropeproof-bench/3' "${matrix[@]}" --bench "$work/old.json"
sed 's/"ropeproof": "[^"]*"/"ropeproof": "0.0.0"/' "$work/bench.json" >"$work/old.json"
expect 2 'of another version' "${matrix[@]}" --bench "$work/old.json"
sed 's/"of_limit"/"ratio"/' "$work/bench.json" >"$work/old.json"
expect 2 'a member is missing' "${matrix[@]}" --bench "$work/old.json"
expect 2 'a speed of fast' matrix "$work/good.json" --bench "$work/bench.json" --out "$work/board"
expect 2 'figures already' "${matrix[@]}" --bench "$work/bench.json" --bench "$work/bench.json"
sed 's/"kind": "defect", //' "$work/causes.json" >"$work/bad.json"
expect 2 'has no kind' "${matrix[@]}" --causes "$work/bad.json"
expect 2 'cannot be read' "${matrix[@]}" --causes "$work/nowhere.json"
expect 2 'date 2026-13-01: no calendar' matrix "$work/good.json" --out "$work/board" --date 2026-13-01
expect 2 'out' matrix "$work/good.json"
expect 2 'reports' matrix --out "$work/board"
check "a refused matrix writes files" [ ! -e "$work/board" ]
expect 2 'cannot be made' matrix "$work/good.json" --out "$work/good.json/board"
finish
