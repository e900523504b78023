#!/usr/bin/env bash
# The speed table as a user meets it: who is in it, who is not, and why. No
# figure is tested.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

mine=(--lib "$plugins/c_example.so")
swapped=(--lib "$plugins/c_example_swapped.so")
decode='^rope/f32/half_split/128/1$'
quick=(--repetitions 1 --filter "$decode")

expect 2 'name some by --lib' bench
expect 2 'no row matches "f33"' bench --builtin fast --filter f33
expect 2 '"(" is no regular expression' bench --builtin fast --filter '('
expect 2 'repetitions' bench --builtin fast --repetitions 0
expect 2 'nonesuch' bench --builtin nonesuch
expect 2 'cannot be written' bench --builtin fast --json "$work/no/such/folder/a.json"
expect 3 'no such file' bench "${mine[@]}" --lib "$work/nowhere.so"
check "a failed run leaves a file" [ ! -e "$work/no" ]

says 0 '^table/f32/128/131072$' bench --list
lines 200 '^'
says 0 "$decode" bench --list --filter "$decode"
lines 1 '^'

# Refused: fails smoke. The others are still measured.
says 1 'my-rope-swapped .*fails the smoke tier: smoke-rich-.*: FAIL' bench "${swapped[@]}"
check "a table without kernels" [ ! -s "$work/out" ]
says 1 'my-rope-swapped .* is not measured' bench "${swapped[@]}" "${mine[@]}" "${quick[@]}"
check "more than one line about one kernel" [ "$(wc -l <"$work/err")" -eq 1 ]
lines 0 swapped
lines 1 '^ .* my-rope  *[0-9.]* '

# In the order of the command line, each flag any number of times.
says 0 '' bench "${mine[@]}" --builtin fast "${mine[@]}" --repetitions 1 \
  --filter '^rope/(f32|bf16)/half_split/128/1$' --json "$work/speed.json"
lines 2 '^my-rope '
lines 1 '^my-rope (2) '
lines 2 '- *no dtype bf16$'
check "a line beyond 100 columns" awk 'length > 100 && !/--lib/ { exit 1 }' "$work/out"
check "not as promised: speed.json" "$python" - "$work/speed.json" <<'PYTHON'
import json, sys
speed = json.load(open(sys.argv[1]))
names = ["my-rope", "fast", "my-rope (2)"]
assert [k["kernel"] for k in speed["kernels"]] == names
assert [k["level"].split("+")[0] for k in speed["kernels"]] == ["L1", "L2", "L1"]
assert [k["found_class"] for k in speed["kernels"]] == ["A1", "A0", "A1"]
f32, bf16 = speed["rows"]
assert f32["row"] == "rope/f32/half_split/128/1"
assert [k["kernel"] for k in f32["kernels"]] == names
assert all(k["status"] == "measured" and k["ns_per_token"] > 0 and k["of_first"] > 0
           for k in f32["kernels"])
assert f32["kernels"][0]["of_first"] == 1
assert set(f32["kernels"][0]) == {"kernel", "status", "in_place", "worst_over_bound", "ns_per_token",
                                  "gb_per_s", "of_limit", "of_plain", "of_first"}
def limits(row):  # that every machine has
    return [name for name in row["limits"] if name.split()[0] not in ("angle", "rows")]
assert limits(f32) == ["touch", "touch ahead", "plain"]
assert limits(bf16) == ["touch", "touch ahead", "fmt", "fmt ahead", "plain"]
assert all(limit["ns_per_token"] > 0 for limit in f32["limits"].values())
assert f32["limit"].startswith("touch") and bf16["limit"].startswith("fmt")
assert [k["status"] for k in bf16["kernels"]] == ["unsupported", "measured", "unsupported"]
assert bf16["kernels"][1]["of_first"] is None
PYTHON

# Right wherever the suite looks, and unfinished where it is timed.
variant lazy 's/ropeproof_run/whole_run/' <<'END'
int32_t ropeproof_run(const ropeproof_problem* p) {
  ropeproof_problem some = *p;
  if (some.seq > 500) some.seq = 500;
  return whole_run(&some);
}
END
says 1 '1 of the results is WRONG' bench --lib "$work/lazy.so" \
  --repetitions 1 --filter 'rope/f32/half_split/64/(1|512)$'
lines 1 '^ *512 .* WRONG  q\[0,5'
lines 1 '^ *1 .* my-rope  *[0-9.]* '

# A line for each limit; the time of the process; several threads.
says 0 '' bench --builtin fast --limits --clock process --repetitions 1 \
  --filter '^rotate/bf16/half_split/128/1(/2threads)?$'
for limit in touch 'touch ahead' fmt 'fmt ahead' plain; do
  lines 2 "  $limit  *[0-9.]*[ *] "
done
expect 2 'clock' bench --builtin fast --clock sundial
expect 2 'target' bench --builtin fast --target MMX

# A fault while a library is unloaded does not change what was measured.
variant end 's/my-rope/my-rope-that-ends-badly/' <<'END'
__attribute__((destructor)) static void end(void) { __builtin_trap(); }
END
says 0 'my-rope-that-ends-badly  *[0-9.]* ' bench --lib "$work/end.so" "${quick[@]}"

# A kernel that ends where it is timed has no figures.
variant gone 's/ropeproof_run/whole_run/' <<'END'
#include <unistd.h>
int32_t ropeproof_run(const ropeproof_problem* p) {
  if (p->seq > 500) _exit(0);
  return whole_run(p);
}
END
expect 3 'ended the process that timed it: exited with status 0' \
  bench --lib "$work/gone.so" --repetitions 1 --filter 'rope/f32/half_split/64/512$'

# A kernel that nothing is asked of.
says 2 '^1 row is left out: no kernel offers it' bench "${mine[@]}" --filter '^table/.*/4096'

finish
