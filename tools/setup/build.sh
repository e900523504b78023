#!/usr/bin/env bash
# Sets up and builds: tools/setup/build.sh PRESET [ninja targets]. What run.sh and
# test.sh share; the preset ci has the tests. A second run rebuilds only what changed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

preset=$1
shift
if [ "$preset" = ci ]; then tools/setup/packages.sh tests; else tools/setup/packages.sh; fi
mkdir -p build
cmake --preset "$preset" >build/configure.log 2>&1 || {
  cat build/configure.log >&2
  echo "build: cmake could not configure, see above" >&2
  exit 2
}
cmake --build --preset "$preset" ${@:+--target "$@"}
