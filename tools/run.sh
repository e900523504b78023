#!/usr/bin/env bash
# Builds the suite, judges every builtin kernel and writes the reports.
#
#   tools/run.sh                          the builtin kernels
#   tools/run.sh --engines NAME ...       and engines of conformance/engines/engines.txt,
#                                         or all: what is installed is what they need
#
# Engines that the build was told of (conformance/engines/README.md) are among all. An
# engine is timed, too, beside the machine's limit. Reports of earlier runs stay where
# this one judges nothing of that name.
# Exit status: the worst of `ropeproof run`; 2 if something cannot be set up.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

table=conformance/engines/engines.txt
natives=build/release/engines
reports=build/reports  # of engines: build/reports/engines, and speed in that
limit=1h               # for a tier or a profile of a kernel

fail() {
  echo "run: $1" >&2
  exit 2
}

# The rows of the table, without comments and spaces, that a name selects.
rows() {
  sed -E '/^#/d; s/ *\| */|/g; s/ +$//' "$table" |
    awk -F'|' -v name="$1" 'name == "all" || $1 == name || index($1, name ".") == 1'
}

names=()
if [ $# -gt 0 ]; then
  [ "$1" = --engines ] || fail "unknown argument: $1; the only flag is --engines"
  shift
  [ $# -gt 0 ] || fail "--engines needs all, or names of $table"
  for name in "$@"; do
    [ -n "$(rows "$name")" ] || [ -f "$natives/$name.so" ] ||
      fail "no engine \"$name\": $table has their names, and all stands for them"
  done
  names=("$@")
fi

tools/setup/build.sh release ropeproof
mkdir -p "$reports/engines/speed"
worst=0
verdicts=()

note() {
  if [ "$1" -gt "$worst" ]; then worst=$1; fi
}

# judge NAME ARGUMENT...: the verdict on the terminal, every check in a file.
judge() {
  local name=$1 status=0
  shift
  rm -f "$reports/$name.json"
  timeout --foreground "$limit" build/release/ropeproof run "$@" \
    --report "$reports/$name.json" >"$reports/$name.txt" \
    2> >(tee "$reports/$name.err" >&2) || status=$?
  cat "$reports/$name.txt"
  echo
  if [ "$status" -eq 124 ]; then
    verdicts+=("$name: not judged: it takes longer than $limit")
    note 2
    return
  fi
  note "$status"
  verdicts+=("$(grep -hE '^(CONFORMS|DOES NOT CONFORM|NOTHING|ADAPTER)' \
    "$reports/$name.txt" || echo "$name: not judged: $(tail -n 1 "$reports/$name.err")")")
}

# judge_engine NAME PROFILES ARGUMENT...: core, each profile, and the speed of whatever it
# offers of 512 tokens, unless that is wrong, or what stands in for a device would be timed.
judge_engine() {
  local name=$1 profiles=$2 profile speed=$reports/engines/speed/$1
  shift 2
  judge "engines/$name" --time-limit 60000 "$@"
  for profile in $profiles; do
    judge "engines/$name.$profile" --time-limit 60000 "$@" --profile "$profile"
  done
  grep -qs '"backend": {' "$reports/engines/$name.json" ||
    timeout --foreground "$limit" build/release/ropeproof bench "$@" \
      --filter '^(rope|rotate)/f32/[a-z_]+/128/512$' --json "$speed.json" >"$speed.txt" 2>&1 || rm -f "$speed.json"
}

# cuda NAME FILE PYTHON: a library of a .cu file of conformance/engines, whose line
# "// flags:" says where its engine's files are.
cuda() {
  local file=conformance/engines/$2 flags
  flags=$(sed -n 's|^// flags: ||p' "$file")
  flags=${flags//SITE/$("$3" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')}
  flags=${flags//VLLM/${ROPEPROOF_ENGINE_VLLM:-}}
  mkdir -p build/engines
  # shellcheck disable=SC2086  # flags are words
  "$3" -m ropeproof.backends.cuda_as_cpp "$file" -o "build/engines/$1.so" $flags
}

for kernel in $(build/release/ropeproof list kernels | cut -d ' ' -f 1); do
  judge "$kernel" --builtin "$kernel"
done
export PYTHONPATH=$PWD/conformance/adapters${PYTHONPATH:+:$PYTHONPATH}
for asked in "${names[@]}"; do
  while IFS='|' read -r -u 3 name adapter packages profiles; do
    # shellcheck disable=SC2086  # packages are words
    if ! python=$(tools/setup/engines.sh $packages 2>build/venv.reason); then
      verdicts+=("$name: not judged: $(tail -n 1 build/venv.reason)")
      note 2
      continue
    fi
    if [[ $adapter != *.cu ]]; then
      judge_engine "$name" "$profiles" --command "$python conformance/engines/$adapter"
    elif cuda "$name" "$adapter" "$python" 2>build/venv.reason; then
      judge_engine "$name" "$profiles" --lib "build/engines/$name.so"
    else
      verdicts+=("$name: not judged: $(tail -n 1 build/venv.reason)")
      note 2
    fi
  done 3< <(rows "$asked")
  for library in "$natives"/*.so; do
    name=$(basename "$library" .so)
    if [ -f "$library" ] && [[ $asked == all || $asked == "$name" ]]; then
      judge_engine "$name.so" "" --lib "$library"  # mlx is a row of the table, too
    fi
  done
done

echo "reports: $reports/*.json and *.txt${names:+, of engines: $reports/engines}"
printf '%s\n' "${verdicts[@]}"
exit "$worst"
