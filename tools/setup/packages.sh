#!/usr/bin/env bash
# Installs what the build needs and the machine lacks; `packages.sh tests` what the
# tests need, too.
#
# Debian and Ubuntu, as root: by apt. Elsewhere: names the packages, exits 2.
# A second run finds everything in place and does nothing.
set -euo pipefail

packages=(g++ cmake ninja-build libhwy-dev nlohmann-json3-dev
  libcli11-dev libssl-dev libmpfi-dev libmpfr-dev libgmp-dev python3 python3-numpy)
elsewhere="Boost >= 1.81, ${packages[*]}"
if [ "${1:-}" = tests ]; then
  packages+=(python3-jsonschema python3-mpmath python3-yaml python3-pytest python3-pytest-xdist
    clang-format clang libomp-dev libgtest-dev rustc)
  elsewhere="Boost >= 1.81, Catch2 >= 3, Arb (FLINT >= 3), ${packages[*]}"
fi

installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Catch2 v2 satisfies the package name but not the build.
catch2_v3_installed() {
  installed catch2 &&
    dpkg --compare-versions "$(dpkg-query -W -f='${Version}' catch2)" ge 3
}

if [ -n "${ROPEPROOF_HAVE_PACKAGES:-}" ]; then exit 0; fi
if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  echo "setup: this is no Debian or Ubuntu. Install by hand: $elsewhere;" \
    "then set ROPEPROOF_HAVE_PACKAGES=1." >&2
  exit 2
fi

missing=()
for package in "${packages[@]}"; do
  installed "$package" || missing+=("$package")
done
# Debian 12 carries two Boosts; its plain libboost-dev is too old.
installed libboost1.81-dev || installed libboost-dev || missing+=(boost)
if [ "${1:-}" = tests ]; then
  # Arb is a package of its own until FLINT 3 contains it.
  installed libflint-arb-dev || [ -e /usr/include/flint/arb.h ] || missing+=(arb)
  catch2_v3_installed || missing+=(catch2)
fi
if [ ${#missing[@]} -eq 0 ]; then exit 0; fi

if [ "$(id -u)" -ne 0 ]; then
  echo "setup: not root, and these packages are missing:" \
    "${missing[*]} (catch2 must be >= 3, boost >= 1.81). Where they are" \
    "installed otherwise, set ROPEPROOF_HAVE_PACKAGES=1." >&2
  exit 2
fi

export DEBIAN_FRONTEND=noninteractive
echo "setup: installing ${missing[*]}"
apt-get update -qq

from=()
for i in "${!missing[@]}"; do
  if [ "${missing[i]}" = boost ]; then
    missing[i]=libboost-dev
    if apt-cache show libboost1.81-dev >/dev/null 2>&1; then
      missing[i]=libboost1.81-dev
    fi
  elif [ "${missing[i]}" = arb ]; then
    missing[i]=libflint-dev
    if apt-cache show libflint-arb-dev >/dev/null 2>&1; then
      missing[i]=libflint-arb-dev
    fi
  elif [ "${missing[i]}" = catch2 ]; then
    candidate=$(apt-cache policy catch2 | awk '/Candidate:/ {print $2}')
    if ! dpkg --compare-versions "$candidate" ge 3; then
      # Debian 12: version 3 is in bookworm-backports, on the same mirror.
      mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' \
        'Created-By: Packages' | awk '$2 == "bookworm" {print $1; exit}')
      if [ -z "$mirror" ]; then
        echo "setup: apt offers catch2 $candidate; version 3 is needed." >&2
        exit 2
      fi
      echo "deb $mirror bookworm-backports main" \
        >/etc/apt/sources.list.d/ropeproof-backports.list
      apt-get update -qq
      from=(catch2/bookworm-backports)
      unset 'missing[i]'
    fi
  fi
done
apt-get install -y -qq --no-install-recommends "${missing[@]}" "${from[@]}" \
  >/dev/null
