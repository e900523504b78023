#!/usr/bin/env bash
# Is reference/rope_test.cc worth its name? Breaks the formulas of reference/ as
# reference/mutants.txt says, one at a time, and requires that a test fails.
#
#   check_mutants.sh [CXX [INCLUDE_DIRS [CATCH2_LIBRARY ...]]]
#
# INCLUDE_DIRS is separated by semicolons. JOBS (default 2) compilers run at a
# time. Exit status: 0 all caught, 1 one was not, 2 the check itself is broken.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
export CXX=${1:-${CXX:-c++}} INCLUDES=""
IFS=';' read -r -a dirs <<<"${2:-}"
for dir in ${dirs[@]+"${dirs[@]}"}; do INCLUDES+=" -I$dir"; done
shift $(($# < 2 ? $# : 2))
export LIBRARIES="${*:--lCatch2Main -lCatch2}"

work=$(mktemp -d)
export work
trap 'rm -rf "$work"' EXIT

broken() {
  echo "check_mutants: $*" >&2
  exit 2
}

# compile FOLDER FILE: FOLDER/FILE.o from the copy of reference/ in FOLDER. The
# headers of the standard library and Catch2 are compiled once.
compile() {
  "$CXX" -std=c++20 -O0 -w -I"$1" $INCLUDES -include "$work/prefix.h" \
    -c "$1/reference/$2.cc" -o "$1/$2.o"
}

# judge N: one line in N/verdict.
judge() {
  local here=$work/$1 name rope=$work/0/rope_test.o golden=$work/0/golden.o
  name=$(cat "$here/name")
  case $(cat "$here/file") in
    *.h) compile "$here" rope_test && rope=$here/rope_test.o ;;
    golden.cc) compile "$here" golden && golden=$here/golden.o ;;
    *) false ;;
  esac >"$here/log" 2>&1 || {
    echo "BROKEN  $name: does not compile: $(grep -m 1 error "$here/log")"
    return
  }
  "$CXX" "$rope" "$golden" "$work"/0/{spec,no_oracle}.o $LIBRARIES \
    -o "$here/rope_test"
  "$here/rope_test" --reporter automake >"$here/log" 2>&1 || true
  local caught
  caught=$(sed -n 's/^:test-result: FAIL //p' "$here/log" | head -n 1)
  if [ -n "$caught" ]; then
    echo "caught  $name: by \"$caught\""
  else
    echo "MISSED  $name"
  fi
}
export -f compile judge

# Copy 0 is as it is; copies 1, 2, ... have one mutation each.
copy() {
  mkdir -p "$work/$1/reference"
  cp "$root"/reference/*.h "$root"/reference/{rope_test,golden,spec}.cc \
    "$work/$1/reference"
}

grep -h '^#include <' "$root/reference/rope_test.cc" >"$work/prefix.h"
"$CXX" -std=c++20 -O0 -w $INCLUDES -x c++-header "$work/prefix.h" \
  -o "$work/prefix.h.gch"
copy 0
cat >"$work/0/reference/no_oracle.cc" <<'END'
#include "reference/oracle.h"
namespace ropeproof::reference {
const OracleFunctions* mpfi_oracle() { return nullptr; }
const OracleFunctions* bin_float_oracle() { return nullptr; }
}  // namespace ropeproof::reference
END
for file in golden spec no_oracle rope_test; do compile "$work/0" $file; done
"$CXX" "$work"/0/*.o $LIBRARIES -o "$work/0/rope_test"
"$work/0/rope_test" >"$work/0/log" 2>&1 ||
  broken "rope_test fails without a mutation: $(tail -n 3 "$work/0/log")"

n=0
while IFS= read -r name; do
  case $name in '' | '#'*) continue ;; esac
  IFS= read -r file && IFS= read -r old && IFS= read -r new ||
    broken "mutants.txt: '$name' is cut short"
  [[ $old == "- "* && $new == "+ "* ]] ||
    broken "mutants.txt: '$name' lacks - or +"
  old=${old#- } new=${new#+ }
  n=$((n + 1))
  copy $n
  echo "$name" >"$work/$n/name"
  echo "$file" >"$work/$n/file"
  target=$work/$n/reference/$file
  [ -f "$target" ] || broken "mutants.txt: '$name': no file $file"
  text=$(cat "$target")
  rest=${text#*"$old"}
  [ "$rest" != "$text" ] || broken "'$name': not in $file: $old"
  [ "${rest#*"$old"}" = "$rest" ] || broken "'$name': twice in $file: $old"
  printf '%s%s%s\n' "${text%%"$old"*}" "$new" "$rest" >"$target"
done <"$root/reference/mutants.txt"
[ $n -gt 0 ] || broken "mutants.txt is empty"

seq $n | xargs -P "${JOBS:-2}" -I{} bash -c 'judge {} >"$work/{}/verdict"'

for i in $(seq $n); do cat "$work/$i/verdict"; done
caught=$(cat "$work"/*/verdict | grep -c '^caught' || true)
echo "$caught of $n mutants caught"
[ "$caught" -eq "$n" ]
