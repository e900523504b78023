#!/usr/bin/env bash
# Builds everything and runs every test; those of 64-bit Arm where tools/setup/cross.sh
# has been run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tools/setup/build.sh ci
ctest --preset ci
