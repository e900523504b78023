#!/usr/bin/env bash
# Sets up and builds: tools/setup/build.sh PRESET [ninja targets]. What run.sh and
# test.sh share. A second run rebuilds only what changed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

preset=$1
shift
tools/setup/packages.sh
mkdir -p build
cmake --preset "$preset" >build/configure.log 2>&1 || {
  cat build/configure.log >&2
  echo "build: cmake could not configure, see above" >&2
  exit 2
}
cmake --build --preset "$preset" ${@:+--target "$@"}
