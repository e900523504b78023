#!/usr/bin/env bash
# `ropeproof weights` as a user meets it.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

for test in weights_test weights_permute_test; do
  check "$test.py fails" "$python" -B "$source/tools/test/$test.py" "$ropeproof" "$vectors"
done

# Bad input: one line each.
expect 2 'cannot be read' weights compare "$work/no" "$work/no"
expect 2 'has no .safetensors, .gguf, .pth or .npz' weights compare "$work" "$work"
printf '\0\312\232\073\0\0\0\0{}' >"$work/huge.safetensors"
expect 2 'a header of 1000000000 bytes' weights compare "$work/huge.safetensors" "$work"
printf 'GGUF\0\0\0\003' >"$work/swapped.gguf"
expect 2 'big-endian' weights compare "$work/swapped.gguf" "$work"
printf '\2\0\0\0\0\0\0\0{}' >"$work/empty.safetensors"
says 2 'no tensor of both is known' weights compare "$work/empty.safetensors" "$work/empty.safetensors"
expect 2 'need --head-dim' weights compare "$work/empty.safetensors" "$work/empty.safetensors" --rotary-dim 4
expect 2 'expect is "left"' weights compare "$work/empty.safetensors" "$work/empty.safetensors" --expect left
expect 2 'subcommand is required' weights
echo '[' >"$work/config.json"
expect 2 'not JSON' weights compare "$work/empty.safetensors" "$work/empty.safetensors" --config "$work/config.json"
finish
