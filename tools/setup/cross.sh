#!/usr/bin/env bash
# Installs what the tests of label aarch64 need and the machine lacks: a
# cross-compiler and QEMU by apt, as root; Highway, Catch2 and OpenSSL for 64-bit
# Arm into build/aarch64/root, by an apt of its own, for the machine's knows only
# its own architecture. A second run finds everything in place and does nothing.
# For Debian; Ubuntu keeps arm64 elsewhere. Exit status 2 where that cannot be had:
# the tests are then skipped.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
tools/setup/packages.sh tests

fail() {
  echo "cross: $1" >&2
  exit 2
}
command -v apt-get >/dev/null || fail "this is no Debian or Ubuntu"
if [ "$(uname -m)" = aarch64 ]; then
  fail "this is an Arm machine: its own targets are in the ordinary tests"
fi
# A mirror that does not answer should not hold up the other tests.
patience=(-o Acquire::Retries=1 -o Acquire::http::Timeout=20)

missing=()
for package in g++-aarch64-linux-gnu qemu-user-static; do
  dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null |
    grep -qx installed || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  [ "$(id -u)" -eq 0 ] ||
    fail "not root, and these packages are missing: ${missing[*]}"
  echo "cross: installing ${missing[*]}"
  apt-get update -qq "${patience[@]}" || fail "apt-get update failed"
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${patience[@]}" \
    --no-install-recommends "${missing[@]}" >/dev/null ||
    fail "apt could not install ${missing[*]}"
fi

root=build/aarch64/root
if [ -e "$root/complete" ]; then exit 0; fi
echo "cross: unpacking libraries for 64-bit Arm into $root"
work=$PWD/build/aarch64/apt
rm -rf "$root" "$work"
mkdir -p "$root" "$work"/{lists,cache/archives}/partial
options=(-qq "${patience[@]}" -o APT::Architecture=arm64 -o APT::Architectures::=arm64
  -o Dir::State::Lists="$work/lists" -o Dir::State::Status=/dev/null
  -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root
  -o Acquire::Languages=none)
apt-get "${options[@]}" update || fail "apt knows no packages for arm64"
# The library behind the headers is named by its version.
highway=$(apt-cache "${options[@]}" depends libhwy-dev |
  sed -n 's/.*Depends: \(libhwy[0-9][a-z0-9]*\)$/\1/p' | head -n 1)
(
  cd "$work"
  apt-get "${options[@]}" download libhwy-dev "$highway" libcatch2-dev libssl-dev
) || fail "apt could not download Highway, Catch2 and OpenSSL for arm64"
for package in "$work"/*.deb; do dpkg-deb -x "$package" "$root"; done
rm -r "$work"
touch "$root/complete"
