#!/usr/bin/env bash
# Fuzzes the readers of untrusted bytes: tools/test/fuzz/run.sh [SECONDS [READER ...]]
#
# SECONDS (default 60) for each reader, one after the other; README.md says what it needs.
# Inputs that were found interesting stay in build/fuzz/corpus; one that crashes a reader is
# named, and the exit status is 1.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."

seconds=${1:-60}
shift $(($# < 1 ? $# : 1))
mkdir -p build/fuzz
cmake --preset fuzz >build/fuzz/configure.log 2>&1 || {
  cat build/fuzz/configure.log >&2
  exit 2
}
cmake --build --preset fuzz --target fuzz
python3 tools/test/fuzz/seeds.py vectors build/fuzz/seeds
if [ $# -eq 0 ]; then
  readers=(build/fuzz/seeds/*)
  set -- "${readers[@]##*/}"
fi

worst=0
for reader in "$@"; do
  log=build/fuzz/$reader.log
  mkdir -p "build/fuzz/corpus/$reader"
  READER=$reader build/fuzz/fuzz -max_total_time="$seconds" -rss_limit_mb=2048 \
    -timeout=25 -print_final_stats=1 -artifact_prefix="build/fuzz/$reader-" \
    "build/fuzz/corpus/$reader" "build/fuzz/seeds/$reader" >"$log" 2>&1 ||
    { worst=1 && echo "$reader: see $log"; }
  echo "$reader: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" \
    "executions, $(grep -c '^==.*ERROR\|^SUMMARY' "$log" || true) findings"
done
exit $worst
