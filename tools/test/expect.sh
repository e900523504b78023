# For the tests of the command line: counts checks and faults. Sourced, with
# $ropeproof set; makes $work, a folder that goes away at the end.
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
  if [ "$got" -ne "$status" ] || ! cat "$work/out" "$work/err" | grep -q -e "$pattern"; then
    fault "ropeproof $*: exit status $got, expected $status and \"$pattern\":"
    tail -5 "$work/out" "$work/err"
  fi
}

# same A B: two files are equal, byte for byte.
same() {
  checks=$((checks + 1))
  cmp "$1" "$2" || faults=$((faults + 1))
}

finish() {
  echo "$checks checks of the command line, $faults faults"
  [ "$faults" -eq 0 ]
}
