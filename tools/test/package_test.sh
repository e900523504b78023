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
refused 'TARGET x' 'NAME is missing'
refused 'NAME x TARGET y' 'TARGET y is no target'
refused 'NAME x' 'expected one of TARGET, LIBRARY, COMMAND'
refused 'NAME x LIBRARY y SHARD 2' 'unknown argument SHARD;2'
