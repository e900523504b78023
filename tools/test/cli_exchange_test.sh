#!/usr/bin/env bash
# Runs that are shared out, waived, or made elsewhere, as a user meets them.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
fast=(run --builtin fast --tier smoke)
broken=(run --lib "$plugins/c_example_swapped.so" --tier smoke)

# undiagnosed JSON TEXT OUT: takes the diagnoses out of a report and its text.
undiagnosed() {
  sed -i '/^ "diagnoses": \[$/,/^ \],$/c\ "diagnoses": [],' "$1"
  sed '/^  what     /,/^$/d' "$2" >"$3"
}

# --- shards ---
for kernel in fast broken; do
  declare -n run=$kernel
  status=0
  [ $kernel = broken ] && status=1
  says $status '' "${run[@]}" --report "$work/whole.json"
  # A shard is diagnosed by itself.
  undiagnosed "$work/whole.json" "$work/out" "$work/whole.txt"
  for i in 1 2 3; do
    "$ropeproof" "${run[@]}" --shard $i/3 --report "$work/$i.json" >/dev/null
  done
  says $status '' merge "$work/2.json" "$work/3.json" "$work/1.json" \
    --report "$work/merged.json"
  lines $status '^  what     pairs of the other layout'
  undiagnosed "$work/merged.json" "$work/out" "$work/merged.txt"
  same "$work/merged.json" "$work/whole.json"
  same "$work/merged.txt" "$work/whole.txt"
done
GTEST_SHARD_INDEX=1 GTEST_TOTAL_SHARDS=3 "$ropeproof" "${broken[@]}" \
  --report "$work/gtest.json" >/dev/null
same "$work/gtest.json" "$work/2.json"
SLURM_ARRAY_TASK_ID=6 SLURM_ARRAY_TASK_MIN=5 SLURM_ARRAY_TASK_COUNT=3 \
  "$ropeproof" "${broken[@]}" --report "$work/slurm.json" >/dev/null
same "$work/slurm.json" "$work/2.json"
GTEST_SHARD_INDEX=2 GTEST_TOTAL_SHARDS=3 says 1 'shard 2/3' "${broken[@]}" --shard 2/3

expect 2 'expected i/n' "${fast[@]}" --shard 2
expect 2 'no such shard' "${fast[@]}" --shard 3/2
says 0 '^shard 999/999: nothing to judge here' "${fast[@]}" --shard 999/999
GTEST_SHARD_INDEX=1 GTEST_TOTAL_SHARDS=3 says 0 '^CONFORMS on part' "${fast[@]}" --case smoke-unit-001
# Another path to the same library, and another library at the same path.
cp "$plugins/c_example_swapped.so" "$work/moved.so"
moved=(run --lib "$work/moved.so" --tier smoke)
"$ropeproof" "${moved[@]}" --shard 2/3 --report "$work/moved2.json" >/dev/null
says 1 '' merge "$work/1.json" "$work/moved2.json" "$work/3.json" --report "$work/merged.json"
undiagnosed "$work/merged.json" "$work/out" "$work/merged.txt"
same "$work/merged.json" "$work/whole.json"
printf x >>"$work/moved.so"
"$ropeproof" "${moved[@]}" --shard 3/3 --report "$work/moved3.json" >/dev/null
expect 2 'differ in kernel_sha256' merge "$work/1.json" "$work/moved2.json" "$work/moved3.json"
GTEST_SHARD_INDEX=1 expect 2 'GTEST_TOTAL_SHARDS' "${fast[@]}"
SLURM_ARRAY_TASK_ID=x SLURM_ARRAY_TASK_COUNT=2 expect 2 'expected a number' "${fast[@]}"
expect 2 'shard 3/3 is missing' merge "$work/1.json" "$work/2.json"
"$ropeproof" "${fast[@]}" --shard 3/3 --report "$work/other.json" >/dev/null
expect 2 'different runs: they differ in' merge "$work/1.json" "$work/2.json" "$work/other.json"
expect 2 'cannot be read' merge "$work/nowhere.json"
expect 2 'no report of' merge "$source/vectors/MANIFEST.json"
head -c 2000 "$work/1.json" >"$work/cut.json"
expect 2 'cut short' merge "$work/cut.json"
sed 's/"FAIL"/"PASS"/' "$work/1.json" >"$work/edited.json"
expect 2 'was it edited' merge "$work/edited.json" "$work/2.json" "$work/3.json"

# --- the shards of a profile, wherever its config.json lies ---
echo '{"model_type": "llama", "head_dim": 64, "rope_theta": 1e4,
       "max_position_embeddings": 1024}' >"$work/config.json"
cp "$work/config.json" "$work/copy.json"
gate=(run --lib "$plugins/c_example.so" --dtype f32 --config)
says 0 ' profile config-[0-9a-f]\{12\}-f32-1024-4x1' \
  "${gate[@]}" "$work/config.json" --report "$work/whole.json"
"$ropeproof" "${gate[@]}" "$work/config.json" --shard 1/2 --report "$work/1.json" >/dev/null
"$ropeproof" "${gate[@]}" "$work/copy.json" --shard 2/2 --report "$work/2.json" >/dev/null
says 0 '^CONFORMS' merge "$work/1.json" "$work/2.json" --report "$work/merged.json"
same "$work/merged.json" "$work/whole.json"
"$ropeproof" "${gate[@]}" "$work/copy.json" --positions 512 --shard 2/2 \
  --report "$work/2.json" >/dev/null
expect 2 'different runs: they differ in' merge "$work/1.json" "$work/2.json"
says 1 '^DOES NOT CONFORM' run --lib "$plugins/c_example_swapped.so" --dtype f32 \
  --config "$work/config.json"
replayed 1 '^DOES NOT CONFORM on part'

# --- what is required of the whole ---
for i in 1 2; do
  "$ropeproof" "${fast[@]}" --shard $i/2 --require L1 --report "$work/$i.json" >/dev/null
done
says 0 '^  required L1: holds' merge "$work/1.json" "$work/2.json"
expect 2 'the reports require L1' merge "$work/1.json" "$work/2.json" --require L2
"$ropeproof" "${fast[@]}" --shard 2/2 --report "$work/2.json" >/dev/null
expect 2 'differ in required' merge "$work/1.json" "$work/2.json"
"$ropeproof" "${fast[@]}" --shard 1/2 --report "$work/1.json" >/dev/null
says 1 '^  required L3: there is level L2' merge "$work/1.json" "$work/2.json" --require L3

# --- cases that are formed for a kernel, from a seed ---
example=(run --lib "$plugins/c_example.so")
for i in 1 2; do
  "$ropeproof" "${example[@]}" --fresh 7 --shard $i/2 --report "$work/$i.json" >/dev/null
done
says 0 'fresh 7, angle A1' merge "$work/2.json" "$work/1.json"
swapped=(run --lib "$plugins/c_example_swapped.so")
id=$("$ropeproof" "${swapped[@]}" --fresh 7 --shard 1/8 --failures 9999 |
  grep -o '^FAIL  fresh7-pairs-[0-9a-f]*' | head -1)
id=${id#FAIL  }
expect 2 'for this kernel' "${swapped[@]}" --case "$id"
says 1 "--fresh 7 --case $id" "${swapped[@]}" --fresh 7 --case "$id"
says 2 'DECLINED' "${swapped[@]}" --fresh 7 --case "$id" --decline 'fresh*'
says 0 '^CONFORMS' "${example[@]}" --case smoke-unit-006 --decline 'triples-*'
expect 2 'matches no case' "${example[@]}" --case smoke-unit-006 --decline 'pairs-x*'

# --- waivers ---
waive() { # waive ENGINE PATTERN DATE
  cat >"$work/waivers.json" <<EOF
{"format": "ropeproof-waivers/1",
 "waivers": [{"id": "$2", "engine": "$1", "reason": "swapped", "expires": "$3",
              "link": "https://example.org/7"}]}
EOF
}
waive my-rope-swapped 's*' 2199-12-31
says 0 'CONFORMS  level .* ([1-9][0-9]* waived)' "${broken[@]}" --waivers "$work/waivers.json"
for i in 1 2; do
  "$ropeproof" "${broken[@]}" --waivers "$work/waivers.json" --shard $i/2 \
    --report "$work/waived$i.json" >/dev/null
done
says 0 ' waived)' merge "$work/waived1.json" "$work/waived2.json"
waive fast 'smoke-*' 2199-12-31
says 1 'XPASS  *smoke-' "${fast[@]}" --waivers "$work/waivers.json"
says 1 'DOES NOT CONFORM' "${broken[@]}" --waivers "$work/waivers.json"
waive fast 'smoke-*' 2020-02-29
says 1 '^EXPIRED WAIVER ' "${fast[@]}" --waivers "$work/waivers.json" --report "$work/expired.json"
lines 1 '^  EXPIRED .*ended on 2020-02-29'
says 1 '^EXPIRED WAIVER ' merge "$work/expired.json"
waive my-rope-swapped 'fresh*' 2199-12-31
says 2 ' 1 XFAIL' "${swapped[@]}" --fresh 7 --case "$id" --waivers "$work/waivers.json"
says 1 '^DOES NOT CONFORM' "${broken[@]}" --waivers "$work/waivers.json"
waive my-rope 'pairs-x*' 2199-12-31
expect 2 'matches no case' "${example[@]}" --waivers "$work/waivers.json"
waive fast 'smkoe-*' 2199-12-31
expect 2 'matches no case' "${fast[@]}" --waivers "$work/waivers.json"
waive fast 'smoke-*' 2199-12-31
sed -i 's/"link"/"url"/' "$work/waivers.json"
expect 2 'link: missing' "${fast[@]}" --waivers "$work/waivers.json"
expect 2 'cannot be read' "${fast[@]}" --waivers "$work/nowhere.json"

# --- JUnit: the totals of the report, and XML that a parser reads ---
junit_totals() { # junit_totals FILE: tests failures errors skipped, counted and claimed
  "$python" - "$1" <<'EOF'
import sys, xml.etree.ElementTree as tree
suite = tree.parse(sys.argv[1]).getroot()
found = [len(suite.findall("testcase"))]
found += [len(suite.findall("testcase/" + kind)) for kind in ("failure", "error", "skipped")]
claimed = [int(suite.get(kind)) for kind in ("tests", "failures", "errors", "skipped")]
print(*found) if found == claimed else print("differ:", found, claimed)
EOF
}
says 1 '' "${broken[@]}" --details --junit "$work/junit.xml"
want=$(sed -n 's/.*: \([0-9]*\) PASS, \([0-9]*\) FAIL, \([0-9]*\) UNSUPPORTED$/\1 \2 \3/p' "$work/out")
read -r passed failed unsupported <<<"$want"
got=$(junit_totals "$work/junit.xml")
check "JUnit totals are $got, those of the report $want" \
  [ "$got" = "$((passed + failed + unsupported)) $failed 0 $unsupported" ]
check "JUnit does not say in every failure and once for all what is wrong" "$python" - \
  "$work/junit.xml" <<'EOF'
import sys, xml.etree.ElementTree as tree
suite = tree.parse(sys.argv[1]).getroot()
what = "\n  what     pairs of the other layout"
texts = [one.text for one in suite.findall("testcase/failure") + suite.findall("system-out")]
assert [one.tag for one in suite][-1] == "system-out"
assert texts and all(what in "\n" + text for text in texts)
EOF
waive fast 'smoke-*' 2199-12-31
says 1 '' "${fast[@]}" --waivers "$work/waivers.json" --junit "$work/junit.xml"
got=$(junit_totals "$work/junit.xml")
check "a stale waiver is no failing testcase: $got" grep -q ' 1 0 ' <<<"$got"
expect 2 'cannot be written' "${fast[@]}" --junit "$work/no/such/folder/junit.xml"

# --- a device elsewhere ---
description=$source/conformance/examples/device_description.json
device=$source/conformance/examples/device.c
check "device.c does not compile as C89" "$compiler" -std=c89 -pedantic -Wall -Wextra \
  -Werror -O2 -o "$work/device" "$device" -lm
sed 's/x\[j\] = u \* c - v \* s;/x[j] = u * c + v * s;/' "$device" >"$work/broken.c"
"$compiler" -std=c89 -O2 -o "$work/broken" "$work/broken.c" -lm
pack=$work/pack
says 0 'calls in' export --out "$pack" --tier smoke --description "$description"
check=(check "$pack" --description "$description")
says 1 'MISSING, ' "${check[@]}"
(cd "$pack" && "$work/device") || fault "device.c fails"
says 0 '^CONFORMS  level L1, ' "${check[@]}"
says 0 '^CONFORMS' "${check[@]}" --results "$pack/out"
expect 2 'is not empty' export --out "$pack" --tier smoke --description "$description"
expect 2 'description is required' export --out "$work/core"
says 0 'calls in' export --out "$work/core" --description "$description"
(cd "$work/core" && "$work/device") || fault "device.c fails on the core tier"
says 0 '^CONFORMS  level L1, ' check "$work/core" --description "$description" --require L1

port=(--model llama-3.2-1b --dtype f32 --positions 2048)
expect 2 'excludes' export --out "$work/port" --description "$description" --tier core "${port[@]}"
says 0 'calls in' export --out "$work/port" --description "$description" "${port[@]}"
(cd "$work/port" && "$work/device") || fault "device.c fails on a model"
says 0 ' profile llama-3.2-1b-f32-2048-4x1,' check "$work/port" --description "$description" "${port[@]}"
expect 2 'was exported for profile llama-3.2-1b-f32' check "$work/port" --description "$description"
expect 2 'was exported without a profile' check "$work/core" --description "$description" "${port[@]}"
(cd "$work/port" && "$work/broken")
says 1 '^DOES NOT CONFORM' check "$work/port" --description "$description" "${port[@]}"

answer=$(ls "$pack/out" | head -1)
cp -r "$pack" "$work/damaged"
damaged=(check "$work/damaged" --description "$description")
rm "$work/damaged/out/$answer"
says 1 ' 1 MISSING, ' "${damaged[@]}"
printf x >"$work/damaged/out/$answer"
says 3 'has 1 bytes, not' "${damaged[@]}"
cp "$pack/out/$answer" "$work/damaged/out/"
says 0 '^CONFORMS' "${damaged[@]}"
touch "$work/damaged/out/notes.txt"
expect 2 'notes.txt: no call' "${damaged[@]}"
rm "$work/damaged/out/notes.txt"
sed -i '$d' "$work/damaged/cases.txt"
expect 2 'not as exported' "${damaged[@]}"
rm "$work/damaged/pack.txt"
expect 2 'complete pack' "${damaged[@]}"
expect 2 'no-such' "${check[@]}" --results "$work/no-such"

(cd "$pack" && "$work/broken")
says 1 '^DOES NOT CONFORM' "${check[@]}" --report "$work/check.json"
replayed 1 '^DOES NOT CONFORM on part of a tier'
says 1 '^DOES NOT CONFORM' merge "$work/check.json"

# A description decides what is exported, and what it leaves out is not there.
says 0 'calls in' export --out "$work/small" --tier smoke --description "$description"
(cd "$work/small" && "$work/device")
says 0 '^CONFORMS' check "$work/small" --description "$description"
described_with() { # described_with SED-SCRIPT
  sed -e "$1" "$description" >"$work/description.json"
}
described_with 's/"f32"/"f32", "bf16"/'
expect 2 'the pack does not have' check "$work/small" --description "$work/description.json"
described_with 's/f32/f31/'
expect 3 '.dtypes: "f31"; known are' check "$pack" --description "$work/description.json"
described_with 's/partial/strided/'
expect 3 'cannot be shown' check "$pack" --description "$work/description.json"
# What a report says of a kernel is a description.
"$python" -c 'import json, sys; print(json.dumps(json.load(open(sys.argv[1]))["description"]))' \
  "$work/check.json" >"$work/description.json"
says 1 '^DOES NOT CONFORM' check "$pack" --description "$work/description.json" --report "$work/again.json"
sed "s|$description|$work/description.json|g" "$work/check.json" >"$work/want.json"
same "$work/again.json" "$work/want.json"
expect 2 'cannot be read' check "$pack" --description "$work/nowhere.json"
cp -r "$source/vectors" "$work/vectors"
sed -i 's/"generator_version": "/&x/' "$work/vectors/MANIFEST.json"
expect 2 'from other vectors' "${check[@]}" --vectors "$work/vectors"

# --- a search ---
# my_rope.c, but for the last pair of a head that no vector of eight holds
variant tail 's/ropeproof_run/whole_run/' <<'EOF'
int32_t ropeproof_run(const ropeproof_problem* p) {
  const int64_t half = p->head_dim / 2, d = p->head_dim;
  const float* x = (const float*)p->q.in;
  float* y = (float*)p->q.out;
  float kept[4096];
  if (half % 8 == 0) return whole_run(p);
  for (int64_t i = 0; i < p->batch * p->seq * p->q.heads; ++i) {
    kept[2 * i] = x[i * d + half - 1];
    kept[2 * i + 1] = x[i * d + d - 1];
  }
  whole_run(p);
  for (int64_t i = 0; i < p->batch * p->seq * p->q.heads; ++i) {
    y[i * d + half - 1] = kept[2 * i];
    y[i * d + d - 1] = kept[2 * i + 1];
  }
  return ROPEPROOF_OK;
}
EOF
stress=(stress --lib "$work/tail.so" --seed 7 --cases 2000)
says 1 '^  what     not rotated' "${stress[@]}" --out "$work/found"
lines 1 '^DOES NOT CONFORM'
tr -s ' \n' '  ' <"$work/out" >"$work/one_line.txt"  # a report breaks its lines
check "the failure is not as small as can be: $(grep '^  case' "$work/out")" \
  grep -q 'head_dim 2, rotary_dim 2, .*batch 1, seq 1, heads 1)' "$work/one_line.txt"
replayed 1 '^DOES NOT CONFORM'
says 0 '^CONFORMS' run --lib "$plugins/c_example.so" --vectors "$work/found"
expect 2 'no folder coverage' run --lib "$plugins/c_example.so" --vectors "$work/found" --fresh 7
check "not as the schema says" "$python" - "$work/found/stress.json" \
  "$source/vectors/schema.json" <<'EOF'
import json, jsonschema, sys
document, schema = (json.load(open(name)) for name in sys.argv[1:])
jsonschema.validate(document, schema)
EOF
says 0 'no proof' stress --lib "$plugins/c_example.so" --cases 500
says 0 'no proof' stress --builtin fast --seed 3 --budget 0.5
# A kernel that is wrong from its 8th call on fails no case alone.
variant eighth 's/ropeproof_run/whole_run/' <<'EOF'
int32_t ropeproof_run(const ropeproof_problem* p) {
  static int calls = 0;
  int32_t status = whole_run(p);
  if (++calls >= 8 && p->q.out != 0) ((float*)p->q.out)[0] += 1;
  return status;
}
EOF
says 1 'depends on earlier calls' stress --lib "$work/eighth.so" --cases 2000 --out "$work/none"
check "a case is saved that fails nothing" [ ! -e "$work/none" ]
replayed 1 'depends on earlier calls'
# The folder is tried before the search; a finding that cannot be saved is said.
expect 2 'is not empty' "${stress[@]}" --out "$work/found"
expect 2 'is no folder' "${stress[@]}" --out "$work/tail.c"
expect 2 'cannot be written' "${stress[@]}" --out /proc/nowhere/found
mkdir "$work/cwd"
(cd "$work/cwd" && "$ropeproof" "${stress[@]}" >"$work/out")
saved=$(sed -n 's/^saved in //p' "$work/out")
rm -r "$work/cwd/$saved"
touch "$work/cwd/$saved"
cd "$work/cwd"
says 1 '^It is not saved: ' "${stress[@]}"
cd "$OLDPWD"
replayed 1 '^DOES NOT CONFORM' --out "$work/replayed"
expect 2 'excludes' stress --builtin fast --cases 3 --budget 3

finish
