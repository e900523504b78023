#!/usr/bin/env bash
# What `ropeproof identify` says of the example kernel, whole and with a bug.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

# --- a whole kernel, whose few positions small errors of angles hide behind ---
variant near 's/^  d->features/  d->max_position = 15;\n&/' </dev/null
says 0 'pow(base, 2j/r)' identify --lib "$work/near.so" \
  --report "$work/r.json" --svg "$work/f.svg"
lines 1 'as declared in all that was seen'
lines 1 'pairs  *(j, j + 32), half_split; 32 of 32'
lines 1 'angle_class = ROPEPROOF_A1}'
lines 1 'angle_class="A1"'
check 'r.json is no report' "$python" -c '
import json, sys
r = json.load(open(sys.argv[1]))
assert r["format"] == "ropeproof-identified/1" and r["as_declared"], r
pairs = r["spectra"][0]["pairs"]
assert len(pairs) == 32
assert all(abs(p["measured"] - p["due"]) < 1e-6 * p["due"] for p in pairs)' "$work/r.json"
check 'f.svg is no picture' "$python" -c '
import sys, xml.dom.minidom
assert xml.dom.minidom.parse(sys.argv[1]).documentElement.tagName == "svg"' "$work/f.svg"

# --- with a bug: in its first lines ---
bug() { # bug NAME SCRIPT PATTERN FLAG...
  local name=$1 script=$2 pattern=$3
  shift 3
  variant "$name" "$script" </dev/null
  says 1 "$pattern" identify --lib "$work/$name.so" "$@"
}
says 1 'pairs  *where half_split is asked: (2j, 2j + 1)' \
  identify --lib "$plugins/c_example_swapped.so"
bug one 's/const float pos = (float)p->positions/const float pos = 1 + (float)p->positions/' \
  'positions  *the given one + 1; 0 of 25'
bug clamp 's/const float phi = pos/const float phi = fminf(pos, 4095)/' 'positions from 4096 on taken'
bug sense 's/s_j = sinf(phi)/s_j = -sinf(phi)/' 'direction  *reversed'
bug row 's/p->positions\[b \* p->position_batch_stride + s\]/p->positions[s]/' \
  'what  *positions of batch row 0 for all'
bug base 's/(float)p->base/1e4f/' 'for base 500000: frequency over the true one'

# --- kernels that do not answer well ---
bug crash 's/^  const int64_t half/  if (p->seq > 1) __builtin_trap();\n&/' 'CRASH'
lines 1 'pairs  *(j, j + 32), half_split; 32 of 32'
bug hang 's/^  const int64_t half/  if (p->seq > 1) for (;;) pos_++;\n&/; s/^int32_t ropeproof_describe/static volatile int pos_;\n&/' \
  'half_split' --time-limit 100
bug wavers 's/y\[0\] = x_u/static int n_; y[0] = (n_++ % 77 == 0) + x_u/' 'other bits when asked again'

# --- refused ---
expect 2 'one file\|same file' identify --lib "$plugins/c_example.so" --report "$work/a" --svg "$work/a"
expect 2 'cannot be written' identify --lib "$plugins/c_example.so" --svg "$work/no/such"
expect 3 'nowhere.so' identify --lib "$work/nowhere.so"
finish
