#!/usr/bin/env bash
# What a run leaves behind: the same report every time and, when its surroundings
# fail, reports whole or not at all, and nothing else replaced.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
cp "$plugins/c_example.so" "$work/x.so"
run=(run --lib "$work/x.so" --tier smoke)

# --- found out before the run: the kernel is not even there ---
no_run=(run --lib "$work/nowhere.so" --tier smoke)
refuses() { # refuses PATTERN ARGUMENT...
  local pattern=$1
  shift
  expect 2 "$pattern" "${no_run[@]}" "$@"
}
mkdir "$work/folder"
echo '{}' >"$work/waivers.json"
refuses 'one file' --report "$work/a" --junit "$work/a"
refuses 'one file' --report "$work/a" --junit "$work/folder/../a"
ln -s "$work/a" "$work/link"
refuses 'one file' --report "$work/link" --junit "$work/a"
refuses 'names no file' --report -
refuses 'is empty' --report ''
refuses 'is a folder' --report "$work/folder"
refuses 'is a folder' --junit "$work/new/"
refuses 'cannot be written: No such' --report "$work/no/such/report.json"
refuses 'cannot be written: File name too long' --report "$work/$(printf 'x%.0s' {1..300})"
ln -s loop "$work/loop"
refuses 'cannot be written: Too many' --report "$work/loop"
refuses 'what this run reads' --report "$work/waivers.json" --waivers "$work/waivers.json"
expect 2 'what this run reads' "${run[@]}" --report "$work/x.so"
cp -r "$source/vectors" "$work/vectors"
expect 2 'what this run reads' "${run[@]}" --vectors "$work/vectors" \
  --junit "$work/vectors/MANIFEST.json"
description=$source/conformance/examples/device_description.json
cp "$description" "$work/description.json"
expect 2 'what this run reads' check "$work" --description "$work/description.json" --report "$work/description.json"
expect 2 'what this run reads' bench --lib "$work/x.so" --json "$work/x.so"
expect 2 'is a folder' show llama-3.1 --svg "$work/folder"
expect 2 'where the text goes' "${no_run[@]}" --report "$work/out"
if [ "$(id -u)" -ne 0 ]; then
  chmod a-w "$work/folder"
  refuses 'cannot be written: Permission' --report "$work/folder/report.json"
fi
same "$work/x.so" "$plugins/c_example.so"
same "$work/description.json" "$description"

# --- whole, whatever becomes of the text ---
expect 0 '' "${run[@]}" --report "$work/want.json" --junit "$work/want.xml"
is_whole() { # is_whole TEXT: both reports are there, and go
  same "$work/got.json" "$work/want.json"
  same "$work/got.xml" "$work/want.xml"
  rm -f "$work/got.json" "$work/got.xml"
}
both=("${run[@]}" --report "$work/got.json" --junit "$work/got.xml")
"$ropeproof" "${both[@]}" | true
is_whole
got=0
"$ropeproof" "${both[@]}" >&- 2>"$work/err" || got=$?
check "a closed standard output is exit status $got" [ $got -eq 5 ]
is_whole
"$ropeproof" "${both[@]}" >&- 2>&- <&-
is_whole
if [ -w /dev/full ]; then
  "$ropeproof" "${both[@]}" >/dev/full 2>"$work/err" || got=$?
  check "a full device is exit status $got" [ $got -eq 5 ]
  is_whole
  for command in 'list kernels' 'show worked-example-001' 'list profiles'; do
    got=0
    "$ropeproof" $command >/dev/full 2>"$work/err" || got=$?
    check "$command: a full device is exit status $got" [ $got -eq 5 ]
  done
  # One report that cannot be written keeps nothing else from the user.
  says 5 '^CONFORMS' "${run[@]}" --report /dev/full --junit "$work/got.xml"
  says 5 'cannot be written: No space left' "${run[@]}" --report /dev/full
  same "$work/got.xml" "$work/want.xml"
fi
# Where calls lie takes 2 GiB of address space. (What a sanitizer adds, far more.)
if (ulimit -v 1000000 && "$ropeproof" list kernels) >/dev/null 2>&1; then
  got=0
  (ulimit -v 1000000 && exec "$ropeproof" "${run[@]}") >/dev/null 2>"$work/err" || got=$?
  check "no address space is exit status $got" [ $got -eq 5 ]
  check "no word of ulimit -v" grep -q 'ulimit -v' "$work/err"
fi
# No file larger than 1 KiB: the earlier report stays, and no part of the new one.
cp "$work/want.xml" "$work/small.json"
(ulimit -f 1 && exec "$ropeproof" "${run[@]}" --report "$work/small.json") >/dev/null 2>"$work/err"
check "no word of a file that is too large" grep -q 'File too large' "$work/err"
same "$work/small.json" "$work/want.xml"

# --- pipes, devices, odd names ---
"$ropeproof" "${run[@]}" --report >(cat >"$work/piped.json") >/dev/null
for _ in {1..100}; do [ -s "$work/piped.json" ] && break || sleep 0.05; done
same "$work/piped.json" "$work/want.json"
mkfifo "$work/fifo"
cat "$work/fifo" >"$work/got.json" &
expect 0 '' "${run[@]}" --report "$work/fifo" --junit /dev/null
wait $!
same "$work/got.json" "$work/want.json"
head -c 1 "$work/fifo" >/dev/null &
"$ropeproof" "${run[@]}" --report "$work/fifo" >"$work/out" 2>/dev/null
check "who stops reading a pipe ends the run" grep -q '^CONFORMS' "$work/out"
rm -f "$work/link"
ln -s new.json "$work/link"
expect 0 '' "${run[@]}" --report "$work/link"
check "a link to nothing is replaced" [ -L "$work/link" ]
same "$work/new.json" "$work/want.json"
name=$(printf 'x%.0s' {1..255})
expect 0 "" "${run[@]}" --report "$work/$name"
same "$work/$name" "$work/want.json"
expect 0 '' "${run[@]}" --waivers <(echo '{"format": "ropeproof-waivers/1", "waivers": []}')
expect 2 'larger than' "${run[@]}" --waivers /dev/zero

# --- the same bytes every time, on any number of threads ---
for n in {1..8}; do
  got=0
  OMP_NUM_THREADS=$((n % 4 + 1)) "$ropeproof" run --builtin fast --tier smoke \
    --report "$work/again.json" >"$work/again.txt" || got=$?
  check "run $n of many is exit status $got" [ $got -eq 0 ]
  [ $n -gt 1 ] || cp "$work/again.json" "$work/first.json"
  [ $n -gt 1 ] || cp "$work/again.txt" "$work/first.txt"
  same "$work/again.json" "$work/first.json"
  same "$work/again.txt" "$work/first.txt"
done

# --- two runs, one name; a run that ends early ---
for _ in 1 2 3 4; do
  "$ropeproof" "${run[@]}" --report "$work/shared.json" >/dev/null 2>>"$work/err" &
done
wait
same "$work/shared.json" "$work/want.json"
variant sleepy 's/ropeproof_run/whole_run/' <<'END'
#include <unistd.h>
int32_t ropeproof_run(const ropeproof_problem* p) {
  write(2, "called\n", 7);
  sleep(3600);
  return whole_run(p);
}
END
for signal in TERM INT KILL; do
  # Not in the background of a script, where SIGINT is ignored.
  "$python" - "$signal" "$ropeproof" run --lib "$work/sleepy.so" --report "$work/early.json" <<'END'
import os, signal, subprocess, sys
run = subprocess.Popen(sys.argv[2:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                       preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
run.stderr.readline()
run.send_signal(getattr(signal, "SIG" + sys.argv[1]))
run.wait(30)
END
done
check "a run that was ended leaves a report" [ ! -e "$work/early.json" ]

# A library that goes away during the run, once it is loaded.
variant leaving 's/ropeproof_run/whole_run/' <<END
#include <unistd.h>
int32_t ropeproof_run(const ropeproof_problem* p) {
  unlink("$work/leaving.so");
  return whole_run(p);
}
END
digest=$(sha256sum <"$work/leaving.so" | cut -d ' ' -f 1)
"$ropeproof" run --lib "$work/leaving.so" --tier smoke --report "$work/left.json" >/dev/null 2>&1
check "the digest is not of what was loaded" grep -q "$digest" "$work/left.json"

# A hang is a verdict in sweep, too.
says 1 'TIMEOUT  no answer within 300 ms' sweep --lib "$work/sleepy.so" --positions 10 --time-limit 100

# --- progress: on a terminal alone, and gone at the end ---
"$ropeproof" "${run[@]}" >"$work/out" 2>"$work/err"
check "progress without a terminal" [ ! -s "$work/err" ]
check "no progress on a terminal" "$python" - "$ropeproof" "${run[@]}" <<'END'
import os, pty, re, subprocess, sys
terminal, stderr = pty.openpty()
run = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=stderr,
                     env=dict(os.environ, TERM="xterm"))
os.close(stderr)
seen = os.read(terminal, 65536).decode()
assert re.search(r"0 of \d+ cases: smoke-", seen), seen
assert seen.endswith("\r\x1b[K") and b"\x1b" not in run.stdout
END

# --- text of others: XML, JSON and terminals get none of its bytes raw ---
variant noisy 's/ropeproof_run/whole_run/' <<'END'
#include <stdio.h>
#include <stdlib.h>
int32_t ropeproof_run(const ropeproof_problem* p) {
  fputs("caf\xc3\xa9 \xff\xfe\x1b[31m \xc2\x9b" "5m <&\"]]> \xef\xbf\xbf cut \xe2\x9c\n", stderr);
  abort();
  return whole_run(p);
}
END
odd=$work/$'a\x1b[31m\xff\n.so'
cp "$work/noisy.so" "$odd"
noisy=(run --lib "$odd" --tier smoke)
says 1 'café' "${noisy[@]}" --report "$work/noisy.json" --junit "$work/noisy.xml"
check "a control character is printed raw" \
  "$python" - "$work/out" "$work/noisy.json" "$work/noisy.xml" <<'END'
import json, sys, unicodedata, xml.etree.ElementTree as tree
text, report, junit = (open(name, "rb").read().decode() for name in sys.argv[1:])
for page in (text, junit, json.dumps(json.loads(report), ensure_ascii=False)):
    assert all(c == "\n" or unicodedata.category(c) != "Cc" for c in page)
assert tree.fromstring(junit).find("testcase/error") is not None
END
replay=$(sed -n 's/^  replay   ropeproof //p' "$work/out" | head -1)
eval "says 1 'café' $replay"
expect 3 'no such file' run --lib "$work/"$'b\x1b[31m\n.so'
check "an error quotes a control character" "$python" -c \
  'import sys; assert b"\x1b" not in open(sys.argv[1], "rb").read()' "$work/err"

check "temporary files were left behind: $(find "$work" -name '.ropeproof-*')" \
  [ -z "$(find "$work" -name '.ropeproof-*')" ]
finish
