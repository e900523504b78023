#!/usr/bin/env bash
# Two reports compared, from real runs.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

judge() { # judge NAME ARGUMENT...
  "$ropeproof" run --tier smoke "${@:2}" --report "$work/$1.json" >/dev/null
}
judge good --lib "$plugins/c_example.so"
judge swapped --lib "$plugins/c_example_swapped.so"
good=$work/good.json swapped=$work/swapped.json

says 0 '^NOTHING BROKEN  [0-9]* checks of both' diff "$good" "$good"
lines 1 '^  still passing  *[1-9]'
lines 0 'drifted'
says 1 '^BROKEN  [0-9]* checks passed before and fail$' diff "$good" "$swapped" \
  --markdown "$work/comment.md" --failures 3
lines 3 'PASS 0.[0-9e-]* x the bound -> FAIL'
lines 1 'what     pairs of the other layout'
lines 1 'more; --failures N'
lines 1 '^  rope  *f32 .* -> '
check "no table in the comment" grep -q '^| \*\*broken\*\* | [1-9]' "$work/comment.md"
check "no diagnosis in the comment" grep -q 'pairs of the other layout' "$work/comment.md"
says 0 '^  fixed  *[1-9]' diff "$swapped" "$good"

# A kernel that offers less does not pass for what it passed before.
variant less 's/ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_IN_PLACE/ROPEPROOF_OUT_OF_PLACE/' </dev/null
judge less --lib "$work/less.so"
says 1 '^  given up  *[1-9]' diff "$good" "$work/less.json"
lines 1 '^GIVEN UP  1 check passed before and is no longer offered$'
says 0 '^  newly asked  *[1-9].* PASS' diff "$work/less.json" "$good"

# Speed, as bench wrote it.
"$python" - "$work" <<'PY'
import json, sys
work = sys.argv[1]
report = json.load(open(work + "/good.json"))
for name, speeds in (("old", (0.25, 0.75)), ("new", (0.5, 0.875))):
    json.dump({"format": "ropeproof-bench/3", "ropeproof": report["suite_version"],
               "kernels": [{"kernel": "my-rope", "description": report["description"]}],
               "rows": [{"kernels": [{"kernel": "my-rope", "status": "measured", "of_limit": x}]}
                        for x in speeds]}, open(f"{work}/{name}.bench", "w"))
PY
says 0 'my-rope: 0.25 to 0.75 -> 0.50 to 0.88 of' diff "$good" "$good" \
  --bench "$work/old.bench" "$work/new.bench"

# Bad input: one line, nothing written.
rm "$work/comment.md"
refused() { # refused PATTERN FILE...
  expect 2 "$1" diff "${@:2}" --markdown "$work/comment.md"
  check "a refused diff writes a file" [ ! -e "$work/comment.md" ]
}
refused 'nowhere.json: cannot be read' "$good" "$work/nowhere.json"
sed 's/ropeproof-report.2/ropeproof-report\/9/' "$good" >"$work/other.json"
refused 'of another version, ropeproof-report/9; this program reads' "$work/other.json" "$good"
refused 'no report of' "$work/old.bench" "$good"
echo '[]' >"$work/other.json"
refused 'no report of' "$work/other.json" "$good"
head -c 3000 "$good" >"$work/other.json"
refused 'other.json: a report that is cut short' "$good" "$work/other.json"
sed 's/"exit_status": 0/"exit_status": 1/' "$good" >"$work/other.json"
refused 'was it edited' "$good" "$work/other.json"
judge shard --lib "$plugins/c_example.so" --shard 1/2
refused 'a whole run and shard 1/2' "$good" "$work/shard.json"
refused 'good.json: no figures of' "$good" "$good" --bench "$good" "$work/new.bench"
expect 2 'what this run reads' diff "$good" "$good" --markdown "$good"
expect 2 'cannot be written' diff "$good" "$good" --markdown "$work/no/such.md"
finish
