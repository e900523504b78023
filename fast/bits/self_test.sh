#!/usr/bin/env bash
# fast_bits notices a digest that differs, and a file without digests:
#
#   fast/bits/self_test.sh FAST_BITS
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# check STATUS FILE: fast_bits FILE must exit with STATUS.
check() {
  local status=0
  "$bits" "$2" >/dev/null 2>"$work/said" || status=$?
  if [ $status -ne "$1" ]; then
    echo "fast_bits $2: exit status $status, should be $1" >&2
    cat "$work/said" >&2
    exit 1
  fi
}

bits=$1
"$bits" >"$work/same"
# One digit of one line.
sed '/ any table f32$/ { s/^0/1/; t; s/^./0/ }' "$work/same" >"$work/altered"
check 1 "$work/altered"
grep -q "any table f32: .* has " "$work/said"
echo "no digest" >"$work/none"
check 2 "$work/none"
