#!/usr/bin/env bash
# What becomes of a run where the machine is not as it should be.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

# Both need a machine that is made for them.
if ! bwrap --dev-bind / / --tmpfs /proc true 2>"$work/why"; then
  echo "without bubblewrap: $(cat "$work/why")"
  finish
  exit
fi
one=(run --tier smoke --no-diagnosis --case smoke-rich-009 --operation rope)

# A kernel that leaves processes in sessions of their own, and no /proc to find
# them by. Each holds this pipe open.
variant leaves 's/^$//' <<'END'
#include <unistd.h>
__attribute__((constructor)) static void leave(void) {
  for (int i = 0; i < 3; ++i) {
    if (fork() != 0) continue;
    setsid();
    if (fork() != 0) _exit(0);
    for (;;) pause();
  }
}
END
check "without /proc: a kernel that leaves processes has another status" \
  bwrap --dev-bind / / --tmpfs /proc "$ropeproof" "${one[@]}" --lib "$work/leaves.so" \
  --vectors "$vectors" >"$work/out" 2>"$work/err"
left=$(grep -l "$work/leaves.so" /proc/[0-9]*/maps 2>/dev/null | wc -l)
check "without /proc $left processes outlived the run" [ "$left" -eq 0 ]

# A kernel that is killed in its first call, while the machine says how many others
# were as memory ran out. Where that is one more, the call is made once more.
variant starves 's/ropeproof_run(/run_fed(/' <<'END'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int32_t ropeproof_run(const ropeproof_problem* p) {
  if (access(getenv("STATE"), F_OK) != 0) {
    fclose(fopen(getenv("STATE"), "w"));
    FILE* const statistics = fopen("/proc/vmstat", "w");
    fprintf(statistics, "oom_kill %s\n", getenv("KILLS"));
    fclose(statistics);
    kill(getpid(), SIGKILL);
  }
  return run_fed(p);
}
END
# starve KILLS
starve() {
  rm -f "$work/state"
  echo 'oom_kill 3' >"$work/vmstat"
  STATE="$work/state" KILLS=$1 bwrap --dev-bind / / --bind "$work/vmstat" /proc/vmstat \
    "$ropeproof" "${one[@]}" --lib "$work/starves.so" >"$work/out" 2>"$work/err"
}
check "a call whose process another program starved is no PASS" starve 4
check "nobody says that memory ran out" \
  grep -q "as the machine's memory ran out; tried once more" "$work/err"
starve 3
check "a kernel that is killed while memory is there passes" [ $? -eq 1 ]
finish
