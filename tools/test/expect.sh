# For the tests of the command line: counts checks and faults. Each sources it, and gets
#
#   ROPEPROOF PLUGINS_DIR SOURCE_DIR C_COMPILER PYTHON HAS_MPFI
#
# It makes $work, a folder that goes away at the end.
set -uo pipefail
ropeproof=$1 plugins=$2 source=$3 compiler=$4 python=$5 has_mpfi=$6
vectors=$source/vectors
unset GTEST_SHARD_INDEX GTEST_TOTAL_SHARDS "${!SLURM_ARRAY_@}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
checks=0 faults=0

# fault TEXT: something is wrong.
fault() {
  echo "$*"
  faults=$((faults + 1))
}

# expect STATUS PATTERN ARGUMENT...: runs ropeproof; an error is one line on
# stderr that matches PATTERN. Stale waivers aside, status 1 is a verdict.
expect() {
  local status=$1 pattern=$2 got=0
  shift 2
  "$ropeproof" "$@" >"$work/out" 2>"$work/err" || got=$?
  checks=$((checks + 1))
  if [ "$got" -ne "$status" ]; then
    fault "ropeproof $*: exit status $got, expected $status"
    cat "$work/err"
  elif [ "$status" -ge 2 ] &&
    { [ "$(wc -l <"$work/err")" -ne 1 ] || ! grep -q -e "$pattern" "$work/err"; }; then
    fault "ropeproof $*: expected one line with \"$pattern\", got:"
    cat "$work/err"
  fi
}

# says STATUS PATTERN ARGUMENT...: the verdict has this status, and a line of the
# report matches PATTERN.
says() {
  local status=$1 pattern=$2 got=0
  shift 2
  "$ropeproof" "$@" >"$work/out" 2>"$work/err" || got=$?
  checks=$((checks + 1))
  if [ "$got" -ne "$status" ] || ! grep -q -e "$pattern" "$work/out" "$work/err"; then
    fault "ropeproof $*: exit status $got, expected $status and \"$pattern\":"
    tail -n 5 "$work/out" "$work/err"
  fi
}

# check TEXT COMMAND...: the command succeeds.
check() {
  local text=$1
  shift
  checks=$((checks + 1))
  "$@" || fault "$text"
}

# lines N PATTERN: of what was printed, exactly N match.
lines() {
  check "not $1 lines with \"$2\"" [ "$(grep -c -e "$2" "$work/out")" -eq "$1" ]
}

# same A B: two files are equal, byte for byte.
same() {
  check "$1 is not $2" cmp "$1" "$2"
}

# replayed STATUS PATTERN ARGUMENT...: says() of the first command that a report gives to
# replay.
replayed() {
  # shellcheck disable=SC2046  # a command is words
  says "$1" "$2" $(sed -n 's/^  replay   ropeproof //p' "$work/out" | head -1) "${@:3}"
}

# variant NAME SCRIPT: builds NAME.so, the example kernel as sed's SCRIPT changes it,
# and the C code on standard input behind it.
variant() {
  { sed "$2" "$source/conformance/examples/my_rope.c" && cat; } >"$work/$1.c"
  check "$1.c does not compile" "$compiler" -O2 -shared -fPIC \
    -I "$source/conformance/include" -o "$work/$1.so" "$work/$1.c" -lm
}

finish() {
  echo "$checks checks of the command line, $faults faults"
  [ "$faults" -eq 0 ]
}
