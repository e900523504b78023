#!/usr/bin/env bash
# Makes what a release has, in build/dist: wheel, sdist, a tarball of program, libraries,
# vectors and headers, the list of what is inside (SPDX), and SHA256SUMS.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
dist=$PWD/build/dist
rm -rf "$dist"
mkdir -p "$dist"
wheel=$(tools/setup/wheel.sh)
cp "$wheel" "$dist"
build/wheel/venv/bin/python -m build --sdist --outdir "$dist" . >build/wheel/sdist.log 2>&1

tools/setup/build.sh release
version=$(basename "$wheel" | cut -d- -f2)
if [ "${GITHUB_REF_TYPE:-}" = tag ] && [ "$GITHUB_REF_NAME" != "v$version" ]; then
  echo "release: the tag is $GITHUB_REF_NAME, CMakeLists.txt has $version" >&2
  exit 2
fi
name=ropeproof-$version-linux-$(uname -m)
rm -rf "build/$name"
cmake --install build/release --prefix "build/$name" >/dev/null
cp LICENSE README.md CHANGELOG.md "build/$name"
tar -C build --owner=0 --group=0 -czf "$dist/$name.tar.gz" "$name"
python3 tools/setup/sbom.py "$version" "build/$name" >"$dist/$name.spdx.json"
(cd "$dist" && sha256sum -- * >SHA256SUMS)
ls -l "$dist"
