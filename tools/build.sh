#!/usr/bin/env bash
# Sets up and builds: tools/build.sh PRESET [ninja targets]. What run.sh and
# test.sh share. A second run rebuilds only what changed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=$1
shift
tools/setup.sh
cmake --preset "$preset" >build.log 2>&1 || {
  cat build.log >&2
  rm -f build.log
  echo "build: cmake could not configure, see above" >&2
  exit 2
}
rm -f build.log
cmake --build --preset "$preset" ${@:+--target "$@"}
