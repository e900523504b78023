#!/usr/bin/env bash
# Installs what the tests of label aarch64 need and the machine lacks: a
# cross-compiler and QEMU by apt, as root; Highway, Catch2 and OpenSSL for 64-bit
# Arm into build/aarch64/root, by an apt of its own, for the machine's knows only
# its own architecture. A second run finds everything in place and does nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tools/setup.sh

if ! command -v apt-get >/dev/null; then
  echo "cross: this is no Debian; the tests of label aarch64 stay skipped" >&2
  exit 2
fi
if [ "$(uname -m)" = aarch64 ]; then
  echo "cross: this is an Arm machine; the ordinary tests run its targets" >&2
  exit 2
fi

missing=()
for package in g++-aarch64-linux-gnu qemu-user-static; do
  dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null |
    grep -qx installed || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  if [ "$(id -u)" -ne 0 ]; then
    echo "cross: not root, and these packages are missing: ${missing[*]}" >&2
    exit 2
  fi
  echo "cross: installing ${missing[*]}"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
    --no-install-recommends "${missing[@]}" >/dev/null
fi

root=build/aarch64/root
if [ -e "$root/complete" ]; then exit 0; fi
echo "cross: unpacking libraries for 64-bit Arm into $root"
work=$PWD/build/aarch64/apt
rm -rf "$root" "$work"
mkdir -p "$root" "$work"/{lists,cache/archives}/partial
options=(-qq -o APT::Architecture=arm64 -o APT::Architectures::=arm64
  -o Dir::State::Lists="$work/lists" -o Dir::State::Status=/dev/null
  -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root
  -o Acquire::Languages=none)
apt-get "${options[@]}" update
# The library behind the headers is named by its version.
highway=$(apt-cache "${options[@]}" depends libhwy-dev |
  sed -n 's/.*Depends: \(libhwy[0-9][a-z0-9]*\)$/\1/p' | head -n 1)
(
  cd "$work"
  apt-get "${options[@]}" download libhwy-dev "$highway" libcatch2-dev libssl-dev
)
for package in "$work"/*.deb; do dpkg-deb -x "$package" "$root"; done
rm -r "$work"
touch "$root/complete"
