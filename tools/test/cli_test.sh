#!/usr/bin/env bash
# The program as a user meets it: exit status, one clear line for each mistake,
# nothing written by a run that fails.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

run=(run --vectors "$vectors")
expect 0 '' --help
lines 6 '^  [a-z]'  # five, and what leads to the others
expect 0 '' more
lines 18 '^  [a-z]'
expect 0 '' --version
check "help that cannot be written" [ "$("$ropeproof" --help 2>/dev/null >/dev/full; echo $?)" -eq 5 ]
expect 2 'out is empty' generate --check --out ''
expect 0 '' list
for what in kernels models profiles tolerances; do expect 0 '' list $what; done
expect 0 '' "${run[@]}" --builtin fast --profile llama2-f32-4k
expect 1 '' "${run[@]}" --builtin c_example --profile llama3-bf16-128k
expect 2 'llama3-f32-128k' "${run[@]}" --builtin fast --profile llama9
expect 2 'excludes' "${run[@]}" --builtin fast --profile llama2-f32-4k --tier core
model=("${run[@]}" --builtin fast --report "$work/model.json" --model)
says 0 ' profile llama-3.2-1b-bf16-4096-32x8, angle' \
  "${model[@]}" llama-3.2-1b --dtype bf16 --positions 4096 --heads 32,8
rm "$work/model.json"
expect 1 '' "${run[@]}" --builtin c_example --model llama-3.1 --dtype bf16
expect 2 'no model "llama-9"' "${model[@]}" llama-9 --dtype f32
expect 2 '"f8"; expected f64, f32' "${model[@]}" llama-2 --dtype f8
expect 2 'need --dtype' "${model[@]}" llama-2
expect 2 '2 to 2^53' "${model[@]}" llama-2 --dtype f32 --positions -1
expect 2 'positions' "${model[@]}" llama-2 --dtype f32 --positions 1e30
expect 2 'give --positions' "${model[@]}" flux-1 --dtype f32
expect 2 'heads 3,2' "${model[@]}" llama-2 --dtype f32 --heads 3,2
expect 2 'heads 0,0' "${model[@]}" llama-2 --dtype f32 --heads 0
expect 2 'as 32 or 32,8' "${model[@]}" llama-2 --dtype f32 --heads 32,8,8
says 0 '^gemma-3-4b-sliding_attention-f32-' list profiles --model gemma-3-4b --dtype f32
expect 2 'leave out layers' "${model[@]}" llama-2 --dtype f32 --layers x
expect 2 'pairing is "x"' "${model[@]}" llama-2 --dtype f32 --pairing x
expect 2 'give its config.json' "${model[@]}" phi-4-mini --dtype f32
expect 2 'excludes' "${model[@]}" llama-2 --dtype f32 --tier core
expect 2 'excludes' "${model[@]}" llama-2 --dtype f32 --profile llama2-f32-4k
expect 2 'excludes' "${model[@]}" llama-2 --dtype f32 --config x.json
expect 2 'name it by --model' "${run[@]}" --builtin fast --dtype f32
config=("${run[@]}" --builtin fast --dtype f32 --report "$work/model.json" --config)
expect 2 'cannot be read' "${config[@]}" "$work/nowhere.json"
expect 2 'cannot be read' "${config[@]}" "$work"
expect 2 'config is empty' "${config[@]}" ''
printf '[%.0s' {1..100000} >"$work/config.json"
expect 2 'nested more than' "${config[@]}" "$work/config.json"
echo '{"head_dim": 64' >"$work/config.json"
expect 2 'not JSON' "${config[@]}" "$work/config.json"
echo '{"head_dim": 64, "rope_theta": 1e4, "max_position_embeddings": 64,
       "rope_scaling": {"type": "spiral"}}' >"$work/config.json"
expect 2 'type is "spiral"; expected' "${config[@]}" "$work/config.json"
echo '{"model_type": "florp", "head_dim": 64, "rope_theta": 1e4}' >"$work/config.json"
expect 2 'unknown for model_type florp; say --pairing' "${config[@]}" "$work/config.json"
echo '{"model_type": "bert"}' >"$work/config.json"
expect 2 'bert has no RoPE: learned positions' "${config[@]}" "$work/config.json"
check "a run that fails writes a report" [ ! -e "$work/model.json" ]
expect 2 'list profiles. alone' list models --model llama-2
says 0 '^llama-2-f32-4096-4x1$' list profiles --model llama-2 --dtype f32
[ "$has_mpfi" = OFF ] ||
  expect 0 '' "${run[@]}" --lib "$plugins/c_example.so" --tier smoke --staged
expect 1 '' "${run[@]}" --builtin fast --tier smoke --staged
expect 0 '' show worked-example-001
expect 0 '' show llama-3.1 --svg "$work/a.svg"
expect 0 '' show "$vectors/models/llama-3.1.json"
expect 0 '' show permute-001
expect 0 '' "${run[@]}" --builtin fast --tier smoke --report "$work/report.json"

expect 2 'subcommand' # no argument at all
expect 2 'unknown-flag' "${run[@]}" --builtin fast --unknown-flag
expect 2 'frobnicate' frobnicate
expect 2 'Exactly 1' "${run[@]}"
expect 2 'Exactly 1' "${run[@]}" --builtin fast --lib x.so
expect 2 'nonesuch' "${run[@]}" --builtin nonesuch
expect 2 'smoke-rich-999' "${run[@]}" --builtin fast --case smoke-rich-999
expect 2 'tier' "${run[@]}" --builtin fast --tier galaxy
expect 2 'spin' "${run[@]}" --builtin fast --operation spin
expect 2 'time-limit' "${run[@]}" --builtin fast --time-limit 0
expect 2 'nonesuch' show nonesuch
echo '{"head_dim": 64, "rope_theta": 0}' >"$work/config.json"
expect 2 'rope_theta is 0; expected' show "$work/config.json"
expect 2 'not known' show phi-4-mini --svg "$work/b.svg"
expect 2 'are for models' show worked-example-001 --seq-len 5

# Fresh questions, and the least that conforms.
for seed in -1 0 x 9223372036854775808 18446744073709551616; do
  expect 2 'expected a number, 1 to' "${run[@]}" --builtin fast --fresh $seed
done
expect 2 'smoke tier' "${run[@]}" --builtin fast --fresh --tier smoke
says 0 'profile llama2-f32-4k, fresh 7' "${run[@]}" --lib "$plugins/c_example.so" --fresh 7 --profile llama2-f32-4k
expect 2 'for this kernel' "${run[@]}" --builtin fast --case pairs-00000000
expect 2 'after --fresh' "${run[@]}" --builtin fast --case fresh7-00000000
says 0 '^fresh [1-9]' "${run[@]}" --lib "$plugins/c_example.so" --claim auto --fresh
for flag in '--require L3' '--junit x.xml' --staged --no-diagnosis --timing '--shard 1/2'; do
  expect 2 'excludes' "${run[@]}" --builtin fast --claim auto $flag
done
expect 2 'expected a level' "${run[@]}" --builtin fast --require L4
says 0 '^  required L2+M: holds' "${run[@]}" --builtin fast --tier smoke --require L2+M
says 1 '^  required L2: there is level L1, angle A1' \
  "${run[@]}" --lib "$plugins/c_example.so" --tier smoke --require L2

# The verdict and the failures are the same without a diagnosis.
swapped=("${run[@]}" --lib "$plugins/c_example_swapped.so" --tier smoke)
says 1 '^  what ' "${swapped[@]}" --report "$work/explained.json"
says 1 '^  replay ' "${swapped[@]}" --no-diagnosis --report "$work/report.json"
check "it was diagnosed" grep -q '"diagnoses": \[\]' "$work/report.json"
check "it has accounts" bash -c "! grep -q 'pattern' '$work/report.json' '$work/out'"
"$ropeproof" "${swapped[@]}" --timing >/dev/null 2>"$work/timing"
for step in reading forming calling judging explaining all clock; do
  check "--timing has no line of $step" \
    grep -q "^  .*$step.* [0-9]*\.[0-9][0-9]$" "$work/timing"
done
check "other checks failed" diff <(grep '"verdict"' "$work/explained.json") \
  <(grep '"verdict"' "$work/report.json")

expect 0 '' sweep --builtin fast --positions 300
expect 0 '' sweep --lib "$plugins/c_example.so" --positions 300 --base 1e6
# The parts of a sweep, in any order, are the sweep; and it proves that none is missing.
sweep=(sweep --lib "$plugins/c_example.so" --positions 301 --base 1e4 5e5 --report)
expect 0 '' "${sweep[@]}" "$work/sweep.json"
for i in 1 2 3; do expect 0 '' "${sweep[@]}" "$work/$i.json" --shard $i/3; done
says 0 '^complete  77056 values' merge "$work"/{3,1,2}.json --report "$work/merged.json"
same "$work/merged.json" "$work/sweep.json"
expect 2 'base 10000, positions 100 to 199 are missing' merge "$work"/{1,3}.json
expect 2 'only --report' merge "$work"/{1,2,3}.json --html "$work/sweep.html"
check "a refused sweep is written" [ ! -e "$work/sweep.html" ]
says 1 '^FAIL' sweep --lib "$plugins/c_example_swapped.so" --positions 300 --report "$work/1.json"
expect 2 'differ in kernel_sha256' merge "$work"/{1,2,3}.json
expect 2 'Exactly 1' sweep
expect 2 '"--lbi" was not expected; nearest is --lib' run --lbi fast
expect 2 'unknown subcommand "xyzzy"; try' xyzzy
expect 2 'rotary_dim is 7' sweep --builtin fast --rotary-dim 7
expect 2 'positions' sweep --builtin fast --positions 0
expect 2 'base' sweep --builtin fast --base -1
expect 2 'no dtype f64' sweep --builtin c_example --dtype f64
expect 3 'no-such.so' sweep --lib "$work/no-such.so"

# Nothing that the kernel offers is in the selection: never green.
says 2 '^NOTHING WAS JUDGED' "${run[@]}" --lib "$plugins/c_example.so" --operation permute

expect 3 'no-such.so' "${run[@]}" --lib "$work/no-such.so"
expect 3 'is a folder' "${run[@]}" --lib "$work"
expect 2 'command: is empty' "${run[@]}" --command ''
expect 2 'lib: is empty' "${run[@]}" --lib ''
expect 2 'lib: is empty' bench --lib ''
expect 2 'seed' stress --builtin fast --seed -1
expect 2 'first' stress --builtin fast --first -1
expect 2 'seed' stress --builtin fast --seed 18446744073709551616
expect 2 'not built; build the target fakes' selftest --fakes "$work"
echo 'not a library' >"$work/text.so"
expect 3 'text.so' "${run[@]}" --lib "$work/text.so"
expect 3 'ropeproof_describe' "${run[@]}" --lib \
  "$(ldd "$ropeproof" | awk '/libc\.so/ {print $3}')"
expect 3 'false' "${run[@]}" --command false
expect 3 'status 127' "${run[@]}" --command 'exit 127'
expect 3 'echo' "${run[@]}" --command 'echo hello'
expect 3 'no open stream socket' "${run[@]}" --socket 1000
expect 2 'socket' "${run[@]}" --socket=-1

# An end that is nobody's verdict has no status of one.
variant exits 's/ropeproof_describe/quiet_describe/' <<'END'
#include <stdlib.h>
int32_t ropeproof_describe(ropeproof_description* d) {
  exit(quiet_describe(d));
}
END
expect 3 'the kernel called exit()' run --lib "$work/exits.so" --tier smoke --no-fork
# limited FLAG VALUE: the program under a limit of the shell.
limited() {
  printf '#!/bin/sh\nulimit %s %s\nexec "%s" "$@"\n' "$1" "$2" "$ropeproof" >"$work/limited"
  chmod +x "$work/limited"
}
limited -s 64
ropeproof=$work/limited expect 5 'raise ulimit -s' run --builtin fast --tier smoke
if [ "$has_mpfi" = ON ]; then
  limited -v 6000000
  OMP_STACKSIZE=8G OMP_NUM_THREADS=2 ropeproof=$work/limited says 5 \
    'a library ended the program' generate --check
fi

cp -r "$vectors" "$work/vectors"
rm "$work/vectors/smoke-unit.json"
expect 4 'smoke-unit.json' run --builtin fast --vectors "$work/vectors"
cp "$vectors/smoke-unit.json" "$work/vectors/"
sed -i '0,/3f800000/s//3f800001/' "$work/vectors/smoke-unit.json"
expect 4 'SHA-256 differs' run --builtin fast --vectors "$work/vectors"
cp "$vectors/smoke-unit.json" "$work/vectors/"
sed -i '$d' "$work/vectors/coverage/pairs.txt"
expect 4 'pairs.txt: SHA-256 differs' run --builtin fast --vectors "$work/vectors"
cp "$vectors/coverage/pairs.txt" "$work/vectors/coverage/"
sed -i '0,/3f800000/s//3f800001/' "$work/vectors/smoke-unit.json"
expect 4 'cannot be read' run --builtin fast --vectors "$work/nowhere"
if [ "$has_mpfi" = ON ]; then
  OMP_NUM_THREADS=2 expect 4 'smoke-unit.json differs at byte' \
    generate --check --vectors "$work/vectors"
  rm "$work/vectors/smoke-unit.json"
  # What the ledger refuses is not written.
  echo 'scribble' >"$work/vectors/LEDGER.txt"
  expect 4 'LEDGER.txt:1: expected' generate --vectors "$work/vectors"
  cp "$vectors/LEDGER.txt" "$work/vectors/LEDGER.txt"
  check "a refused generate writes files" [ ! -e "$work/vectors/smoke-unit.json" ]
  OMP_NUM_THREADS=1 expect 0 '' generate --vectors "$work/vectors"
else
  expect 2 'ROPEPROOF_MPFI' generate --vectors "$work/vectors"
  cp "$vectors/smoke-unit.json" "$work/vectors/"
fi

check "generate does not restore the vectors" diff -rq "$vectors" "$work/vectors"
finish
