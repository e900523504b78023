#!/usr/bin/env bash
# The vectors' bytes depend on neither compiler nor number of threads:
#
#   tools/prove/same_bytes.sh ROPEPROOF BUILD
#
# regenerates them with the program ROPEPROOF and, where clang++ and its OpenMP
# are installed, with one that clang builds in the folder BUILD; each with 1 and
# with 2 threads. Exit status 1 unless every byte is that of vectors/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

ropeproof=$1 build=$2
programs=("$ropeproof")

if echo 'int main() {}' | clang++ -fopenmp -x c++ - -o /dev/null 2>/dev/null; then
  mkdir -p "$build"
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=None \
    -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ \
    -DCMAKE_CXX_FLAGS=-O1 -DROPEPROOF_TESTS=OFF >"$build/configure.log" 2>&1 ||
    { cat "$build/configure.log" && exit 1; }
  cmake --build "$build" --target ropeproof_alone >"$build/build.log" 2>&1 ||
    { tail -n 40 "$build/build.log" && exit 1; }
  programs+=("$build/ropeproof_alone")
else
  echo "clang++ with OpenMP is not installed: one compiler only"
fi

# check PROGRAM THREADS
check() {
  local answer
  answer=$(OMP_NUM_THREADS=$2 "$1" generate --check --vectors vectors) || return 1
  echo "$1, $2 threads: $answer"
}

# One thread each leaves a core for the other program.
running=()
for program in "${programs[@]}"; do
  check "$program" 1 &
  running+=($!)
done
for process in "${running[@]}"; do wait "$process"; done
for program in "${programs[@]}"; do check "$program" 2; done
