#!/usr/bin/env bash
# Fuzzes every reader of untrusted bytes: tools/test/fuzz/run.sh [SECONDS [TARGET ...]]
#
# SECONDS (default 60) for each target, one after the other; JOBS (default 1) at
# a time. Needs clang. Inputs that were found interesting stay in
# build/fuzz/corpus; one that crashes a reader is named, and the exit status is 1.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."

seconds=${1:-60}
shift $(($# < 1 ? $# : 1))
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
  for source in tools/test/fuzz/*.cc; do
    name=$(basename "$source" .cc)
    [ "$name" = replay ] || targets+=("$name")
  done
fi
mkdir -p build/fuzz
cmake --preset fuzz >build/fuzz/configure.log 2>&1 || {
  cat build/fuzz/configure.log >&2
  exit 2
}
cmake --build --preset fuzz --target "${targets[@]/#/fuzz_}"
python3 tools/test/fuzz/seeds.py vectors build/fuzz/seeds

# fuzz NAME: one line.
fuzz() {
  local name=$1 log=build/fuzz/$1.log status=0
  mkdir -p "build/fuzz/corpus/$name"
  "build/fuzz/fuzz_$name" -max_total_time="$SECONDS_EACH" -rss_limit_mb=2048 \
    -timeout=25 -print_final_stats=1 -artifact_prefix="build/fuzz/$name-" \
    "build/fuzz/corpus/$name" "build/fuzz/seeds/$name" >"$log" 2>&1 || status=$?
  echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" \
    "executions, $(grep -c '^==.*ERROR\|^SUMMARY' "$log" || true) findings"
  [ $status -eq 0 ] || { echo "$name: see $log" && return 1; }
}
export -f fuzz
export SECONDS_EACH=$seconds
printf '%s\n' "${targets[@]}" | xargs -P "${JOBS:-1}" -I{} bash -c 'fuzz {}'
