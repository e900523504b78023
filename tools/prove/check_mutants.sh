#!/usr/bin/env bash
# Are the tests of the formulas worth their names? Breaks reference/ as
# reference/mutants.txt says, one mutation at a time, and requires that the fast
# test that it names fails.
#
#   check_mutants.sh [CXX [INCLUDE_DIRS [CATCH2_LIBRARY ...]]]
#
# INCLUDE_DIRS is separated by semicolons. JOBS (default 2) compilers run at a
# time. Exit status: 0 all caught, 1 one was not, 2 the check itself is broken.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
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
# headers of the libraries are compiled once.
compile() {
  "$CXX" -std=c++20 -O0 -w -I"$1" $INCLUDES -include "$work/prefix.h" \
    -c "$1/reference/$2.cc" -o "$1/$2.o"
}

# link FOLDER TEST: FOLDER/TEST, from its own objects where it has them.
link() {
  local file objects=()
  for file in $SOURCES "$2"; do
    if [ -f "$1/$file.o" ]; then objects+=("$1/$file.o"); else
      objects+=("$work/0/$file.o")
    fi
  done
  "$CXX" "${objects[@]}" $LIBRARIES -o "$1/$2"
}

# judge N: one line in N/verdict. A mutated header is compiled into "formulas"
# alone, which comes first when linking: without optimization no function is
# inlined, and the linker takes the first definition of each.
judge() {
  local here=$work/$1 name test file caught
  { read -r name && read -r test && read -r file; } <"$here/mutant"
  case $file in
    sweep/*.h) file=$test ;; # its own test alone includes it
    *.h) file=formulas ;;
  esac
  compile "$here" "${file%.cc}" >"$here/log" 2>&1 || {
    echo "BROKEN  $name: does not compile: $(grep -m 1 error "$here/log")"
    return
  }
  link "$here" "$test"
  "$here/$test" --reporter automake >"$here/log" 2>&1 || true
  caught=$(sed -n 's/^:test-result: FAIL //p' "$here/log" | head -n 1)
  if [ -n "$caught" ]; then
    echo "caught  $name: by \"$caught\""
  else
    echo "MISSED  $name"
  fi
}
export -f compile link judge

# Copy 0 is as it is; copies 1, 2, ... have one mutation each.
TESTS="rope_test scaling_test schemes_test sweep/double_double_test"
export SOURCES="formulas spec exact schemes format"
cat >"$work/formulas.cc" <<'END'
#include "reference/plain_double.h"
namespace ropeproof::reference {
template Rope resolve<PlainDouble>(const Spec&);
template void rotate_tensor<double>(const Rope&, const Shape&,
                                    std::span<const double>, const double*,
                                    const Strides&, double*, const Strides&);
}  // namespace ropeproof::reference
END
copy() {
  mkdir -p "$work/$1/reference/sweep" "$work/$1/sweep"
  cp "$root"/reference/*.{h,cc} "$work/formulas.cc" "$work/$1/reference"
  cp "$root"/reference/sweep/*.{h,cc} "$work/$1/reference/sweep"
}

copy 0
grep -hE '^#include <[a-z_]+>|^#include <boost/multiprecision/number' \
  "$root"/reference/{plain_double,resolve,rope,decide}.h >"$work/prefix.h"
"$CXX" -std=c++20 -O0 -w $INCLUDES -x c++-header "$work/prefix.h" \
  -o "$work/prefix.h.gch"
for file in $TESTS $SOURCES; do echo $file; done |
  xargs -P "${JOBS:-2}" -I{} bash -c 'compile "$work/0" {}'
for test in $TESTS; do
  link "$work/0" "$test"
  "$work/0/$test" >"$work/0/log" 2>&1 ||
    broken "$test fails without a mutation: $(tail -n 3 "$work/0/log")"
done

n=0
test=
while IFS= read -r name; do
  case $name in
    '' | '#'*) continue ;;
    '@ '*) test=${name#@ } && continue ;;
  esac
  IFS= read -r file && IFS= read -r old && IFS= read -r new ||
    broken "mutants.txt: '$name' is cut short"
  [[ $old == "- "* && $new == "+ "* ]] ||
    broken "mutants.txt: '$name' lacks - or +"
  old=${old#- } new=${new#+ }
  n=$((n + 1))
  copy $n
  printf '%s\n' "$name" "$test" "$file" >"$work/$n/mutant"
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
