#!/usr/bin/env bash
# Are the tests of the formulas worth their names? Breaks reference/ as
# reference/mutants.txt says, one mutation at a time, and requires that the fast
# test that it names fails.
#
#   check_mutants.sh CXX INCLUDE_DIRS CATCH2_LIBRARY ...
#
# INCLUDE_DIRS is separated by semicolons. JOBS (default 2) compilers run at a
# time. Exit status: 0 all caught, 1 one was not, 2 the check itself is broken.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
export CXX=$1 INCLUDES="-I${2//;/ -I}" LIBRARIES="${*:3}"

work=$(mktemp -d)
export work
trap 'rm -rf "$work"' EXIT

broken() {
  echo "check_mutants: $*" >&2
  exit 2
}

# compile FOLDER FILE: FOLDER/FILE.o. FOLDER has the files of reference/ that are
# mutated, folder 0 all of them as they are. The libraries' headers are compiled
# once.
compile() {
  local source=$1/reference/$2.cc
  [ -f "$source" ] || source=$work/0/reference/$2.cc
  "$CXX" -std=c++20 -O0 -w -I"$1" -I"$work/0" $INCLUDES \
    -include "$work/prefix.h" -c "$source" -o "$1/$2.o"
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

# judge N: one line in N/verdict. A mutated header is compiled into `formulas`
# or `prover` alone, which come first when linking: without optimization no
# function is inlined, and the linker takes the first definition of each.
judge() {
  local here=$work/$1 name test file part parts
  { read -r name && read -r test && read -r file; } <"$here/mutant"
  case $file in
    *.cc) parts=${file%.cc} ;;
    sweep/*) parts=$test ;; # its own test alone includes it
    rope.h | scaling.h | beyond_scaling.h) parts="formulas prover" ;; # the cheaper one first
    *) parts=prover ;;
  esac
  for part in $parts; do
    compile "$here" "$part" >"$here/log" 2>&1 || {
      echo "BROKEN  $name: does not compile: $(grep -m 1 error "$here/log")"
      return
    }
    link "$here" "$test"
    "$here/$test" --reporter automake >"$here/log" 2>&1 || true
    if grep -q '^:test-result: FAIL ' "$here/log"; then
      echo "caught  $name: by \"$(
        sed -n 's/^:test-result: FAIL //p' "$here/log" | head -n 1)\""
      return
    fi
  done
  echo "MISSED  $name"
}
export -f compile link judge

TESTS="rope_test scaling_test schemes_test sweep/double_double_test"
export SOURCES="formulas prover spec exact schemes format"
mkdir -p "$work/0/sweep" "$work/0/reference/sweep"
cp "$root"/reference/*.{h,cc} "$work/0/reference"
cp "$root"/reference/sweep/*.{h,cc} "$work/0/reference/sweep"
cat >"$work/0/reference/prover.cc" <<'END'
#include "reference/test_double.h"
template class ropeproof::reference::Prover<ropeproof::reference::PlainDouble>;
END
cat >"$work/0/reference/formulas.cc" <<'END'
#include <cmath>
namespace ropeproof::reference {
using std::cos, std::sin, std::pow, std::log, std::sqrt;
}
#include "reference/rope.h"
namespace ropeproof::reference {
template double frequency<double>(const Rope&, std::int64_t);
template double dynamic_alpha<double>(const DynamicNtk&);
template double yarn_correction<double>(const Exponent&, double, std::int64_t,
                                        double, const double&);
template double yarn_amplitude<double>(const Yarn&);
template double long_rope_amplitude<double>(const LongRope&);
template double llama3_rotations<double>(const Llama3&, const double&);
template double xpos<double>(const XPos&, const Exponent&, double);
template double coordinate<double>(const Spec&, std::span<const double>,
                                   std::int64_t);
template double amplitude<double>(const Rope&, std::span<const double>,
                                  std::int64_t);
template double angle<double>(const double&, const double&);
template CosSin<double> cos_sin<double>(const double&, const double&);
template std::array<double, 2> rotate<double>(const CosSin<double>&, Direction,
                                              const double&, const double&);
auto *source = source_pair, *target = target_pair;
auto* token = token_of_head;
auto* position = position_of;
}  // namespace ropeproof::reference
END

for test in $TESTS; do cat "$work/0/reference/$test.cc"; done |
  cat - "$work"/0/reference/*.h "$work/0/reference/exact.cc" |
  grep -E '^#include <([a-z_]+>|boost/multiprecision/cpp_int|catch2/)' |
  sort -u >"$work/prefix.h"
# What the test of sweep/ takes longest to compile; clang does it here, once.
cat >>"$work/prefix.h" <<'END'
inline double instantiate(boost::multiprecision::cpp_rational x,
                          boost::multiprecision::cpp_rational y) {
  x = abs(decltype(x)((x - y) / y));
  y = x - (x * y - y * x);
  x = std::plus<decltype(x)>()(x, std::multiplies<decltype(x)>()(x, y));
  return decltype(x)((x * x + y * y) / y).convert_to<double>();
}
END
once=
if "$CXX" --version | grep -q clang; then once=-fpch-instantiate-templates; fi
"$CXX" -std=c++20 -O0 -w $once $INCLUDES -x c++-header "$work/prefix.h" \
  -o "$work/prefix.h.gch"
for file in $TESTS $SOURCES; do echo $file; done |
  xargs -P "${JOBS:-2}" -I{} bash -c 'compile "$work/0" {}'
for test in $TESTS; do
  link "$work/0" "$test"
  "$work/0/$test" >"$work/0/log" 2>&1 ||
    broken "$test fails without a mutation: $(tail -n 3 "$work/0/log")"
done

n=0
test='' file=''
while IFS= read -r name; do
  case $name in
    '' | '#'*) continue ;;
    '@ '*) read -r _ test file <<<"$name" && continue ;;
  esac
  IFS= read -r old && IFS= read -r new ||
    broken "mutants.txt: '$name' is cut short"
  [[ $old == "- "* && $new == "+ "* ]] ||
    broken "mutants.txt: '$name' lacks - or +"
  old=${old#- } new=${new#+ }
  n=$((n + 1))
  mkdir -p "$work/$n/reference/sweep" "$work/$n/sweep"
  printf '%s\n' "$name" "$test" "$file" >"$work/$n/mutant"
  [ -f "$work/0/reference/$file" ] ||
    broken "mutants.txt: '$name': no file $file"
  text=$(cat "$work/0/reference/$file")
  after=${text#*"$old"}
  [ "$after" != "$text" ] || broken "'$name': not in $file: $old"
  [ "${after#*"$old"}" = "$after" ] || broken "'$name': twice in $file: $old"
  printf '%s%s%s\n' "${text%%"$old"*}" "$new" "$after" \
    >"$work/$n/reference/$file"
done <"$root/reference/mutants.txt"
[ $n -gt 0 ] || broken "mutants.txt is empty"

seq $n | xargs -P "${JOBS:-2}" -I{} bash -c 'judge {} >"$work/{}/verdict"'

for i in $(seq $n); do cat "$work/$i/verdict"; done
caught=$(cat "$work"/*/verdict | grep -c '^caught' || true)
echo "$caught of $n mutants caught"
[ "$caught" -eq "$n" ]
