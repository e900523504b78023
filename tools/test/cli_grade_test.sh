#!/usr/bin/env bash
# A gate for kernels that nobody knows, as a grader meets it.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

cat >"$work/policy.json" <<'END'
{"format": "ropeproof-policy/1", "operations": ["rope"], "dtypes": ["f32"],
 "pairings": ["half_split"], "positions": 131072, "seed": 7,
 "features": [], "scalings": [], "axis_maps": []}
END
policy=(grade --policy "$work/policy.json" --no-diagnosis)
mine=(--lib "$plugins/c_example.so")

expect 2 'needs one policy' grade "${mine[@]}"
expect 2 'needs one kernel' "${policy[@]}"
expect 2 'excludes' "${policy[@]}" "${mine[@]}" --profile llama3-f32-128k
expect 2 'cannot be read' grade --policy "$work/none.json" "${mine[@]}"
echo '{"format": "ropeproof-policy/1"}' >"$work/empty.json"
expect 2 'empty.json.operations' grade --policy "$work/empty.json" "${mine[@]}"

sed 's/"f32"/"f64"/; s/"seed": 7/"speed_ratio": 1/' "$work/policy.json" >"$work/timed.json"
expect 2 'speed_ratio: .bench. has no row' grade --policy "$work/timed.json" "${mine[@]}"

# Walls where they can be built; else the program refuses.
walls=()
if ! "$ropeproof" run "${mine[@]}" --sandbox --tier smoke --case smoke-rich-001 \
  >/dev/null 2>"$work/why" && grep -q 'no sandbox here' "$work/why"; then
  echo "without walls: $(cat "$work/why")"
  expect 5 'no sandbox here' "${policy[@]}" "${mine[@]}"
  walls=(--no-sandbox)
fi

# Without bubblewrap there is no verdict, unless it is asked for.
printf '#!/bin/sh\nPATH=/nowhere exec "%s" "$@"\n' "$ropeproof" >"$work/bare"
chmod +x "$work/bare"
ropeproof=$work/bare says 5 'no sandbox here: bubblewrap cannot build it: bwrap: No such file' \
  "${policy[@]}" "${mine[@]}"

says 0 '"conforms":true' "${policy[@]}" "${mine[@]}" "${walls[@]}" --json
lines 1 '^'
cp "$work/out" "$work/first"
says 0 '"conforms":true' "${policy[@]}" "${mine[@]}" "${walls[@]}" --json
same "$work/out" "$work/first"

# What satisfied --require L2,A0: permute alone, small positions, declines.
variant permutes 's/= ROPEPROOF_ROPE/= ROPEPROOF_PERMUTE/' <<'END'
END
says 1 'does not offer rope' "${policy[@]}" --lib "$work/permutes.so" "${walls[@]}" --json
variant short 's/= ROPEPROOF_ROPE;/= ROPEPROOF_ROPE, d->max_position = 1;/' <<'END'
END
says 1 'positions only to 1' "${policy[@]}" --lib "$work/short.so" "${walls[@]}" --json
variant choosy 's/^$//' <<'END'
ROPEPROOF_EXPORT int32_t ropeproof_supports(const ropeproof_problem* p) {
  return p->seq < 4 ? ROPEPROOF_OK : ROPEPROOF_UNSUPPORTED;
}
END
says 1 '; declined [0-9]* checks' "${policy[@]}" --lib "$work/choosy.so" "${walls[@]}" --json

# Another library in its place, once it has said that it is loaded: no verdict.
variant other 's/"1.0"/"2.0"/' <<'END'
END
variant moved 's/^$//' <<'END'
#include <stdio.h>
__attribute__((constructor)) static void say(void) { fputs("loaded\n", stderr); }
END
"$ropeproof" "${policy[@]}" --lib "$work/moved.so" "${walls[@]}" --json \
  >"$work/out" 2>"$work/err" &
until grep -q loaded "$work/err" || ! kill -0 $!; do sleep 0.01; done
mv "$work/other.so" "$work/moved.so"
check "a library that was replaced has a verdict" eval '! wait $! && [ ! -s "$work/out" ]'
check "not a word of it" grep -q 'changed while it was judged' "$work/err"

# What a list of the policy leaves out is not judged, and the verdict says what is.
if [ -e "$plugins/fast.so" ]; then
  says 0 '"judged":"rope,f32,half_split,out_of_place,in_place,positions<=131072"' \
    "${policy[@]}" --builtin fast "${walls[@]}" --json
fi

# One process, a line for each kernel, and an error costs its line alone.
printf '{"lib": "%s"}\n' "$plugins/c_example.so" "$work/nowhere.so" \
  "$plugins/c_example_swapped.so" >"$work/asked"
echo '{"colour": "blue"}' >>"$work/asked"
printf '{"lib": "%s\\u0000x"}\n' "$plugins/c_example.so" >>"$work/asked"
"$ropeproof" "${policy[@]}" --serve "${walls[@]}" <"$work/asked" >"$work/out" 2>"$work/err"
lines 5 '^{'
lines 1 '"conforms":true'
lines 1 'nowhere.so: cannot be read'
lines 1 '"failures":{"FAIL":'
lines 2 'request.lib'
head -1 "$work/out" >"$work/served"
same "$work/served" "$work/first"

# Signed verdicts and reports: a byte, another key, no signature, half a file.
if openssl genpkey -algorithm ed25519 -out "$work/key" 2>/dev/null; then
  openssl pkey -in "$work/key" -pubout -out "$work/pub"
  openssl genpkey -algorithm ed25519 -out "$work/other"
  openssl pkey -in "$work/other" -pubout -out "$work/other.pub"
  run=(run "${mine[@]}" --tier smoke)
  expect 2 'name one by --report' "${run[@]}" --sign "$work/key"
  expect 2 'no private Ed25519 key' "${run[@]}" --sign "$work/pub" --report "$work/r.json"
  expect 0 '' "${run[@]}" --report "$work/plain.json"
  expect 0 '' "${run[@]}" --sign "$work/key" --report "$work/r.json"
  says 0 'signed by' check-report "$work/r.json" --key "$work/pub"
  expect 0 '' merge "$work/r.json" --report "$work/merged.json"
  same "$work/merged.json" "$work/plain.json"
  tells() { # tells PATTERN FILE KEY
    says 1 "$1" check-report "$2" --key "$3"
    check "more than one line" [ "$(wc -l <"$work/err")" -eq 1 ]
  }
  tells 'another key' "$work/r.json" "$work/other.pub"
  tells 'no signature' "$work/plain.json" "$work/pub"
  sed 's/"L1"/"L2"/' "$work/r.json" >"$work/edited.json"
  tells 'was changed' "$work/edited.json" "$work/pub"
  head -c 1000 "$work/r.json" >"$work/cut.json"
  tells 'cut short' "$work/cut.json" "$work/pub"
  expect 2 'cannot be read' check-report "$work/none.json" --key "$work/pub"
  expect 2 'no public Ed25519 key' check-report "$work/r.json" --key "$work/key"
  [ ${#walls[@]} -gt 0 ] || expect 2 'the kernel can read' "${policy[@]}" --json \
    "${mine[@]}" --sign "$work/key" --show "$work"
  head -1 "$work/asked" | "$ropeproof" "${policy[@]}" --serve "${walls[@]}" \
    --sign "$work/key" >"$work/verdict" 2>"$work/err"
  says 0 'signed by' check-report "$work/verdict" --key "$work/pub"
  sed 's/"conforms":true/"conforms":1234/' "$work/verdict" >"$work/edited"
  tells 'was changed' "$work/edited" "$work/pub"
else
  echo "no openssl: signatures are tested by signature_test.cc alone"
fi
finish
