#!/usr/bin/env bash
# The vectors' bytes do not depend on the compiler: tools/prove/same_bytes.sh BUILD
#
# builds what generates them with clang++ at -O0 (compiled and run in three fifths of the
# time of -O1), where that and its OpenMP are installed, in the folder BUILD, and runs it
# with two threads and in another locale. (The test command_line generates them with the
# other compiler, one thread, then two.) Exit status 1 unless every byte is that of
# vectors/; 77, a skipped test, without clang++.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$1

if ! echo 'int main() {}' | clang++ -fopenmp -x c++ - -o /dev/null 2>/dev/null; then
  echo "clang++ with OpenMP is not installed: skipped"
  exit 77
fi
mkdir -p "$build"
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_C_COMPILER=clang \
  -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_CXX_FLAGS=-O0 -DROPEPROOF_TESTS=OFF \
  -DROPEPROOF_FAST=OFF -DROPEPROOF_UNITY=ON >"$build/configure.log" 2>&1 ||
  { cat "$build/configure.log" && exit 1; }
cmake --build "$build" --target regenerate >"$build/build.log" 2>&1 ||
  { tail -n 40 "$build/build.log" && exit 1; }
OMP_NUM_THREADS=2 "$build/regenerate" vectors
