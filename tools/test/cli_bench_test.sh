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
lines 202 '^'
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

# Behind walls, where they can be built: what happens in the timed calls is judged.
if "$ropeproof" run "${mine[@]}" --sandbox --tier smoke --case smoke-rich-001 \
  >/dev/null 2>"$work/why" || ! grep -q 'no sandbox here' "$work/why"; then
  walled=(bench --sandbox --repetitions 1 --filter '^rope/f32/half_split/64/512$')
  says 0 'my-rope  *[0-9.]* ' "${walled[@]}" "${mine[@]}" --json "$work/walled.json"
  lines 1 '^my-rope: behind walls; each call has [0-9]* ns of the doorbell'
  check "a kernel of one thread has others" grep -q '"others_ns_per_token": 0.0' \
    "$work/walled.json"
  check "the doorbell has no cost" grep -q '"doorbell_ns": [1-9]' "$work/walled.json"

  # Half of the tokens, in most calls; whole before anybody can suspect it.
  variant half 's/ropeproof_run/whole_run/' <<'END'
int32_t ropeproof_run(const ropeproof_problem* p) {
  static int calls;
  ropeproof_problem some = *p;
  if (p->seq == 512 && calls++ > 3) some.seq = 256;
  return whole_run(&some);
}
END
  says 1 'WRONG  .*[qk]\[' "${walled[@]}" --lib "$work/half.so"

  # The work is done after the return, on another thread.
  variant later 's/ropeproof_run/whole_run/' <<'END'
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
static atomic_int rung;
static ropeproof_problem left;
static void* work(void* unused) {
  for (int seen = 0;;) {
    if (atomic_load(&rung) == seen) continue;
    seen = atomic_load(&rung);
    whole_run(&left);
  }
  return unused;
}
int32_t ropeproof_run(const ropeproof_problem* p) {
  static int is_there;
  pthread_t thread;
  if (p->seq != 512) return whole_run(p);
  if (!is_there) is_there = pthread_create(&thread, NULL, work, NULL) == 0;
  left = *p;
  atomic_fetch_add(&rung, 1);
  return ROPEPROOF_OK;
}
END
  says 1 'WRONG  .*[qk]\[' "${walled[@]}" --lib "$work/later.so"

  # A clock that stands still is the kernel's own: two milliseconds a call remain.
  variant still 's/ropeproof_run/whole_run/' <<'END'
#include <time.h>
int clock_gettime(clockid_t clock, struct timespec* now) {
  (void)clock, now->tv_sec = now->tv_nsec = 0;
  return 0;
}
int32_t ropeproof_run(const ropeproof_problem* p) {
  struct timespec pause = {0, 2000000};
  if (p->seq == 512) nanosleep(&pause, NULL);
  return whole_run(p);
}
END
  says 0 '' "${walled[@]}" --lib "$work/still.so" --json "$work/still.json"
  check "a patched clock is believed" "$python" - "$work/still.json" <<'PYTHON'
import json, sys
kernel = json.load(open(sys.argv[1]))["rows"][0]["kernels"][0]
assert kernel["status"] == "measured" and kernel["ns_per_token"] >= 2e6 / 512, kernel
PYTHON

  # A kernel has one thread of OpenMP's, as it has in the program's process.
  variant single 's/ropeproof_run/whole_run/' <<'END'
#include <stdlib.h>
int32_t ropeproof_run(const ropeproof_problem* p) {
  const char* threads = getenv("OMP_NUM_THREADS");
  if (p->seq == 512 && (!threads || atoi(threads) != 1)) return ROPEPROOF_UNSUPPORTED;
  return whole_run(p);
}
END
  says 0 'my-rope  *[0-9.]* ' "${walled[@]}" --lib "$work/single.so"

  # Work that its other threads do is its work.
  variant helped 's/ropeproof_run/whole_run/' <<'END'
#include <pthread.h>
static void* spin(void* unused) {
  for (volatile int i = 0;;) ++i;
  return unused;
}
int32_t ropeproof_run(const ropeproof_problem* p) {
  static int is_there;
  pthread_t thread;
  if (p->seq == 512 && !is_there) {
    is_there = pthread_create(&thread, NULL, spin, NULL) == 0;
  }
  return whole_run(p);
}
END
  says 0 'my-rope ' "${walled[@]}" --lib "$work/helped.so" --json "$work/helped.json"
  check "work of other threads is not counted" grep -q '"others_ns_per_token": [0-9]*[1-9]' \
    "$work/helped.json"

  # A process that ends in the timed call is no measurement, whatever its status.
  says 1 'WRONG  ended: exited with status 0' \
    "${walled[@]}" --lib "$work/gone.so"
else
  echo "without walls: $(cat "$work/why")"
  expect 5 'no sandbox here' bench --sandbox "${mine[@]}" "${quick[@]}"
fi

# A kernel that nothing is asked of.
says 2 '^1 row is left out: no kernel offers it' bench "${mine[@]}" --filter '^table/.*/4096'

finish
