#!/usr/bin/env bash
# The kernels of fast/ on 64-bit Arm, cross-compiled and emulated:
#
#   tools/test/aarch64_test.sh build BOOST_DIR       builds build/aarch64/release
#   tools/test/aarch64_test.sh run CPU PROGRAM ARGUMENT...
#
# CPU is what QEMU's -cpu takes. Exit status 77, a skipped test, where
# tools/setup/cross.sh has not been run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=build/aarch64/release

skip() {
  echo "aarch64: skipped: $1; tools/setup/cross.sh installs it"
  exit 77
}
for tool in aarch64-linux-gnu-g++ qemu-aarch64-static; do
  command -v $tool >/dev/null || skip "$tool is missing"
done
[ -e build/aarch64/root/complete ] || skip "build/aarch64/root is missing"

emulate() {
  qemu-aarch64-static -L /usr/aarch64-linux-gnu -cpu "$@"
}

mode=$1
shift
case $mode in
  build)
    mkdir -p "$build"
    # Boost is headers alone, but CMake looks for it among Arm's libraries.
    cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
      --toolchain "$PWD/tools/cmake/aarch64.cmake" -DBoost_DIR="$1" \
      -DROPEPROOF_MPFI=OFF -DROPEPROOF_WERROR=ON >"$build/configure.log" 2>&1 ||
      { cat "$build/configure.log" && exit 1; }
    cmake --build "$build" --target fast_test >"$build/build.log" 2>&1 ||
      { tail -n 40 "$build/build.log" && exit 1; }
    ;;
  run)
    emulate "$1" "$build/$2" "${@:3}"
    ;;
  *)
    echo "aarch64_test: usage: build BOOST_DIR | run CPU PROGRAM ARGUMENT..." >&2
    exit 2
    ;;
esac
