#!/usr/bin/env bash
# Makes build/venv with NumPy and PyTorch, for the adapters of real engines
# (conformance/adapters/torch_*.py). Prints the interpreter to run them with.
#
# A second run finds everything in place and only prints. PYTHON names another
# interpreter to start from. Exit status 2: no venv, or pip failed.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
venv=$PWD/build/venv
python=$venv/bin/python
torch=2.13.0

fail() {
  echo "engines: $1" >&2
  exit 2
}

installed() {
  "$python" -c "import numpy, torch, sys
sys.exit(torch.__version__.split('+')[0] != '$torch')" 2>/dev/null
}

if ! installed; then
  "${PYTHON:-python3}" -m venv "$venv" >&2 ||
    fail "python3 -m venv failed: install python3-venv, or set PYTHON"
  "$python" -m pip install --quiet --disable-pip-version-check \
    numpy "torch==$torch" >&2 ||
    fail "pip could not install numpy and torch==$torch: see above"
  installed || fail "torch $torch does not import from $venv: delete it, rerun"
fi
echo "$python"
