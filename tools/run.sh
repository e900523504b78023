#!/usr/bin/env bash
# Builds the suite, judges every builtin kernel and writes the reports.
#
#   tools/run.sh                    the builtin kernels
#   tools/run.sh --engines torch    and PyTorch's LLaMA and Hugging Face forms
#
# Exit status: the worst of `ropeproof run`; 2 if something cannot be set up.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [ $# -gt 0 ] && [ "$*" != "--engines torch" ]; then
  echo "run: unknown argument: $*; the only flag is --engines torch" >&2
  exit 2
fi

tools/setup/build.sh release ropeproof
reports=build/reports
rm -rf "$reports"
mkdir -p "$reports"
worst=0

# judge NAME ARGUMENT...: the verdict on the terminal, every check in a file.
judge() {
  local name=$1 status=0
  shift
  build/release/ropeproof run "$@" --report "$reports/$name.json" \
    >"$reports/$name.txt" || status=$?
  cat "$reports/$name.txt"
  echo
  if [ "$status" -gt "$worst" ]; then worst=$status; fi
}

for kernel in $(build/release/ropeproof list kernels | cut -d ' ' -f 1); do
  judge "$kernel" --builtin "$kernel"
done
if [ $# -gt 0 ]; then
  python=$(tools/setup/engines.sh)
  for form in llama hf; do
    judge "torch_$form" \
      --command "$python conformance/adapters/torch_$form.py" \
      --time-limit 60000
  done
fi

echo "reports: $reports/*.json and *.txt"
grep -hE '^(CONFORMS|DOES NOT CONFORM|NOTHING|ADAPTER)' "$reports"/*.txt
exit "$worst"
