#!/usr/bin/env bash
# What is installed serves strangers: package_test.sh BUILD_DIR WORK_DIR CXX CXX_FLAGS
#
# Installs BUILD_DIR, fast/ and all, into WORK_DIR, builds the example projects against it and
# runs their tests; with a bug in a kernel, one that is judged must fail.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$1 work=$2
rm -rf "$work"
mkdir -p "$work"

# tested PROJECT PREFIX: builds it and runs its tests; what they print is in $work/log.
tested() {
  { cmake -S "$1" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$2" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_CXX_FLAGS="$flags" &&
    cmake --build "$work/build" && ctest --test-dir "$work/build" --output-on-failure; } \
    >"$work/log" 2>&1
}
cxx=$3 flags=$4

fail() {
  cat "$work/log"
  echo "package: $1"
  exit 1
}

cmake --install "$build" --component fast --prefix "$work/fast" >"$work/log"
tested fast/examples "$work/fast" || fail "fast/examples failed"
rm -r "$work/build"
cmake --install "$build" --prefix "$work/all" >"$work/log"
cp -r conformance/examples "$work/examples"
tested "$work/examples/consumer" "$work/all" || fail "the consumer's tests failed"
grep -c Passed "$work/log" | sed 's/$/ tests of the consumer passed/'
for name in my_rope_conforms my_rope_rs_conforms; do
  for suffix in json xml html; do
    [ -s "$work/build/ropeproof/$name.$suffix" ] || fail "there is no $name.$suffix"
  done
done
ctest --test-dir "$work/build" -N -L ropeproof >"$work/log"
grep -q 'Total Tests: 8' "$work/log" || fail "not 5 and 3 tests have the label"

if command -v pkg-config >/dev/null; then
  export PKG_CONFIG_PATH=$work/all/lib/pkgconfig
  read -ra words < <(pkg-config --cflags --libs ropeproof)
  printf '%s\n' '#include <ropeproof_judge.h>' \
    'int main(void) { return ropeproof_judge(0, 0, 0) != ROPEPROOF_INVALID; }' >"$work/pc.cc"
  "$cxx" "$work/pc.cc" -o "$work/pc" "${words[@]}" "-Wl,-rpath,$work/all/lib" && "$work/pc" ||
    fail "a program built with pkg-config failed"
fi

for file in my_rope.c consumer/my_rope.h consumer/my_rope.rs; do
  sed -i 's/ - x/ + x/' "$work/examples/$file"
done
sed -i -E 's/(PROFILE|SHARDS|REQUIRE) .*\)/TIER smoke)/' "$work/examples/consumer/CMakeLists.txt"
tested "$work/examples/consumer" "$work/all" && fail "no test noticed a wrong sign"
for name in my_rope_conforms with_gtest with_catch2 my_rope_rs_conforms my_rope_rs; do
  grep -q "$name (Failed)" "$work/log" || fail "$name did not notice a wrong sign"
done

# refused ARGUMENTS LINE: a call of ropeproof_add_test that is refused.
refused() {
  mkdir -p "$work/refused"
  printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(refused C)' \
    'find_package(ropeproof REQUIRED)' "ropeproof_add_test($1)" >"$work/refused/CMakeLists.txt"
  tested "$work/refused" "$work/all" && fail "ropeproof_add_test($1) was taken"
  grep -q "$2" "$work/log" || fail "ropeproof_add_test($1) was not refused with: $2"
  rm -r "$work/build"
}
rm -r "$work/build"
refused 'LIBRARY x' 'NAME is missing'
refused 'TARGET x' 'TARGET x is no target'
refused 'NAME x LIBRARY y SHARDS 0' 'SHARDS 0 is no number above 0'
refused 'NAME x TARGET y' 'TARGET y is no target'
refused 'NAME x' 'expected one of TARGET, LIBRARY, COMMAND'
refused 'NAME x LIBRARY y SHARD 2' 'unknown argument SHARD;2'

# The program of a wheel, which has no package of its own; and nothing of Highway.
cmake --install "$build" --component python --prefix "$work/wheel" >"$work/log"
mkdir "$work/with_wheel"
cat >"$work/with_wheel/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.25)
project(with_wheel C)
enable_testing()
set(CMAKE_DISABLE_FIND_PACKAGE_hwy ON)
find_package(ropeproof REQUIRED)
set(ROPEPROOF_PROGRAM $work/wheel/ropeproof/bin/ropeproof)
add_library(my_rope MODULE $PWD/conformance/examples/my_rope.c)
target_link_libraries(my_rope PRIVATE ropeproof::kernel_abi m)
ropeproof_add_test(TARGET my_rope TIER smoke TIMEOUT 600)
ropeproof_add_test(NAME llama LIBRARY $work/all/lib/ropeproof/plugins/fast.so
  PROFILE llama3-f32-128k REQUIRE L1 SHARDS 4)
CMAKE
tested "$work/with_wheel" "$work/all" || fail "the tests with a wheel's program failed"
grep -q "$work/wheel/ropeproof/bin/ropeproof" "$work/build/CTestTestfile.cmake" ||
  fail "the program is not the wheel's"
grep -q 'my_rope_conforms.*TIMEOUT "600"' <(tr '\n' ' ' <"$work/build/CTestTestfile.cmake") ||
  fail "there is no time limit"
