#!/usr/bin/env bash
# Judges on a GPU what runs there alone: the CUDA example on a stream of its own, PyTorch
# eagerly, with q and k on streams of their own and from graphs, and Triton, compiled.
#
#   tools/gpu.sh        a line and exit status 0 where no GPU of NVIDIA is
#   tools/gpu.sh cpu    the same adapters on a processor, which tries this script
#
# Each of the five runs ends after 90 seconds. Reports are build/reports/gpu/NAME.json.
# Exit status: the worst of `ropeproof run`; 2 if something cannot be set up.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

device=${1:-cuda}
case $device in
  cpu) ;;
  cuda)
    if ! nvidia-smi >/dev/null 2>&1; then
      echo "gpu: no GPU of NVIDIA here (nvidia-smi); nothing is judged"
      exit 0
    fi
    ;;
  *)
    echo "gpu: unknown argument: $device; known is cpu" >&2
    exit 2
    ;;
esac
ropeproof=${ROPEPROOF:-build/release/ropeproof}
[ -x "$ropeproof" ] || tools/setup/build.sh release ropeproof
python=${PYTHON:-$(tools/setup/engines.sh torch triton)}
reports=build/reports/gpu
mkdir -p "$reports"
rm -f "$reports"/cuda.so
export PYTHONPATH=$PWD/conformance/adapters${PYTHONPATH:+:$PYTHONPATH}
worst=0

# judge NAME TIER ARGUMENT...
judge() {
  local name=$1 tier=$2 status=0
  shift 2
  rm -f "$reports/$name.json"
  timeout --foreground 90 "$ropeproof" run --tier "$tier" "$@" \
    --report "$reports/$name.json" >"$reports/$name.txt" 2>"$reports/$name.err" || status=$?
  if [ "$status" -eq 124 ]; then
    echo "$name: not judged: it takes longer than 90 s"
    status=2
  else
    grep -hE '^(CONFORMS|DOES NOT CONFORM|NOTHING|ADAPTER)' "$reports/$name.txt" ||
      echo "$name: exit status $status: $(tail -n 1 "$reports/$name.err")"
  fi
  if [ "$status" -gt "$worst" ]; then worst=$status; fi
}

example=conformance/examples/my_rope.cu
if [ "$device" = cpu ]; then
  tier=smoke
  "$python" -m ropeproof.backends.cuda_as_cpp "$example" -o "$reports/cuda.so"
elif command -v nvcc >/dev/null; then
  tier=core
  nvcc -O2 -shared -Xcompiler -fPIC -Iconformance/include "$example" -o "$reports/cuda.so"
else
  tier=core
  echo "cuda: not judged: no nvcc"
fi
[ ! -f "$reports/cuda.so" ] || judge cuda "$tier" --lib "$reports/cuda.so"
adapter="$python conformance/adapters/torch_device.py"
judge eager "$tier" --command "$adapter eager $device"
for way in streams graph triton; do
  judge "$way" smoke --command "$adapter $way $device"
done
echo "reports: $reports"
exit "$worst"
