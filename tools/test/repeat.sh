#!/usr/bin/env bash
# Judges a kernel again and again: every report must be the first one, byte for
# byte, whatever the number of threads.
#
#   repeat.sh RUNS [ROPEPROOF [ARGUMENT...]]
#
# Default: build/release/ropeproof run --builtin fast --tier smoke. Exit status: 1
# if a report differs, 2 for usage or a run that judges nothing.
set -euo pipefail

runs=${1:-}
if [[ ! $runs =~ ^[1-9][0-9]*$ ]]; then
  echo "repeat: usage: repeat.sh RUNS [ROPEPROOF [ARGUMENT...]]" >&2
  exit 2
fi
shift
ropeproof=${1:-$(dirname "${BASH_SOURCE[0]}")/../../build/release/ropeproof}
shift || true
if [ $# -eq 0 ]; then set -- --builtin fast --tier smoke; fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
differing=0 first_status=
for ((i = 1; i <= runs; ++i)); do
  status=0
  OMP_NUM_THREADS=$((i % 4 + 1)) "$ropeproof" run "$@" \
    --report "$work/report.json" >"$work/report.txt" || status=$?
  if [ $status -ge 2 ]; then
    echo "repeat: run $i has exit status $status" >&2
    exit 2
  fi
  if [ $i -eq 1 ]; then
    first_status=$status
    mv "$work/report.json" "$work/first.json"
    mv "$work/report.txt" "$work/first.txt"
  elif [ $status -ne "$first_status" ] ||
    ! cmp -s "$work/report.json" "$work/first.json" ||
    ! cmp -s "$work/report.txt" "$work/first.txt"; then
    differing=$((differing + 1))
  fi
done
tail -1 "$work/first.txt"
echo "$runs runs with 1 to 4 threads, $differing reports that differ from the first"
[ $differing -eq 0 ]
