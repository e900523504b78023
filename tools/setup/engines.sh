#!/usr/bin/env bash
# Puts packages into build/venv, for the adapters of real engines
# (conformance/engines). Prints the interpreter to run them with.
#
#   tools/setup/engines.sh               NumPy and PyTorch
#   tools/setup/engines.sh PACKAGE ...   NumPy and these
#
# conformance/engines/requirements.txt has the versions; "# alone" there: without
# what the package depends on; "# source FOLDER": that folder of its source package, for
# one that would compile for hours, which what stands before it unpacks. A second run finds everything in place and only
# prints. PYTHON names another interpreter to start from; PIP_EXTRA_INDEX_URL an index
# of PyTorch without CUDA, which is much smaller. Exit status 2: no venv, or pip failed.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
pins=conformance/engines/requirements.txt
venv=$PWD/build/venv
python=$venv/bin/python
log=$PWD/build/venv.log

fail() {
  echo "engines: $1" >&2
  exit 2
}

# A wheel leaves a folder NAME-VERSION.dist-info, +cpu and the like before the dot.
is_installed() {
  local folder=${1//-/_}
  compgen -G "$venv/lib/python3*/site-packages/${folder/==/-}?(+*).dist-info" \
    >/dev/null
}
shopt -s extglob

# unpack PIN FOLDER: a folder of a source package, and what says its version.
unpack() {
  local name=${1%%==*} version=${1#*==} site folder
  site=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  folder=$(mktemp -d)
  "$python" -m pip install --disable-pip-version-check wheel packaging \
    scikit-build-core >"$log" 2>&1 &&
    FLASH_ATTENTION_SKIP_CUDA_BUILD=TRUE "$python" -m pip download \
      --disable-pip-version-check --no-deps --no-build-isolation --no-binary :all: \
      -d "$folder" "$1" >"$log" 2>&1 &&
    tar -xzf "$folder"/*.tar.gz -C "$folder" &&
    cp -r "$folder"/*/"$2" "$site/$name" &&
    mkdir -p "$site/$name-$version.dist-info" &&
    printf 'Metadata-Version: 2.1\nName: %s\nVersion: %s\n' "$name" "$version" \
      >"$site/$name-$version.dist-info/METADATA" ||
    fail "pip could not fetch the source of $1: $(grep -E '^ERROR' "$log" | tail -n 1)"
  rm -rf "$folder"
}

if [ ! -x "$python" ]; then
  "${PYTHON:-python3}" -m venv "$venv" >&2 ||
    fail "python3 -m venv failed: install python3-venv, or set PYTHON"
fi
for package in numpy "${@:-torch}"; do
  line=$(grep -iE "^$package==" "$pins") ||
    fail "$package has no version in $pins"
  pin=${line%% *}
  is_installed "$pin" && continue
  if [[ $line == *"# source "* ]]; then
    unpack "$pin" "${line##* }"
    continue
  fi
  flags=(-c "$pins")
  # Of the whole package another Python may be asked than of its RoPE.
  if [[ $line == *"# alone" ]]; then flags=(--no-deps --ignore-requires-python); fi
  "$python" -m pip install --disable-pip-version-check "${flags[@]}" "$pin" \
    >"$log" 2>&1 ||
    fail "pip could not install $pin: $(grep -E '^ERROR' "$log" | tail -n 1)"
  is_installed "$pin" || fail "pip did not install $pin: see $log"
done
echo "$python"
