#!/usr/bin/env bash
# Builds everything and runs every test; those of 64-bit Arm where tools/setup/cross.sh
# has been run. --full: what is too heavy for CI, too.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if [ "${1---full}" != --full ] || [ $# -gt 1 ]; then
  echo "test: usage: tools/test.sh [--full]" >&2
  exit 2
fi
tools/setup/build.sh ci
ctest --preset ci
if [ "${1-}" = --full ]; then ctest --preset night; fi
