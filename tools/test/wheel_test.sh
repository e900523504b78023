#!/usr/bin/env bash
# The wheel, as somebody has it who installed it and nothing else: wheel_test.sh PYTHON
#
# Builds it, installs it into a fresh environment, and uses program, judge() and
# assert_rope_close with an empty PATH. Then `pip install .` from source, twice: what it leaves
# out says so, and the second one compiles nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
wheel=$(PYTHON=$1 tools/setup/wheel.sh)
build/wheel/venv/bin/python -m auditwheel show "$wheel" | grep -o 'manylinux[a-z0-9_]*' | head -1
du -h "$wheel" | cut -f 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check "$wheel"
cd "$work"
alone=(env -i PATH= HOME="$work")
"${alone[@]}" venv/bin/ropeproof run --builtin fast --tier smoke | tail -n 2
"${alone[@]}" venv/bin/python - <<'PYTHON'
import numpy as np
import ropeproof


def my_rope(p):
    u, v = np.split(p.q, 2, axis=-1)
    theta = np.float32(p.base) ** -np.linspace(
        0, 1, p.head_dim // 2, endpoint=False, dtype=np.float32)
    phi = p.positions.astype(np.float32)[:, :, None, None] * theta
    return np.concatenate([u * np.cos(phi) - v * np.sin(phi),
                           u * np.sin(phi) + v * np.cos(phi)], axis=-1)


report = ropeproof.judge(my_rope, dtypes=["f32"])
assert report.conforms, report
x, positions = np.ones((1, 3, 2, 8), np.float32), [0, 257, 4097]
try:
    ropeproof.assert_rope_close(x.copy(), x, positions=positions)
except AssertionError as error:
    assert "not rotated" in str(error), error
else:
    raise SystemExit("wheel: what is not rotated passed")
print("wheel: judge() and assert_rope_close work")
PYTHON

cd - >/dev/null
TIMEFORMAT="wheel: pip install . takes %R s, of processors %U + %S s"
for mark in first second; do
  time "$work/venv/bin/pip" install --quiet --disable-pip-version-check .
  touch "$work/$mark"
done
if find build/Release-wheel -name '*.o' -newer "$work/first" | grep .; then
  echo "wheel: a second pip install . compiles again" >&2
  exit 1
fi
if "$work/venv/bin/ropeproof" selftest 2>"$work/said"; then exit 1; fi
grep "selftest is not in this build" "$work/said"
