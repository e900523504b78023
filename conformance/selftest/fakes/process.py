"""A process that answers wrongly: its argument names the fault."""

import json
import os
import signal
import sys
import time

fault = sys.argv[1]
describes = {
    "status": "ok", "abi_version": 1, "name": "fake-process", "version": "1.0",
    "operations": ["rope"], "dtypes": ["f32"], "pairings": ["half_split"],
    "features": ["out_of_place"], "claims": [{"angle_class": "A1"}]}
describe_faults = {
    "later-abi": {"abi_version": 7},
    "cannot-describe": {"status": "error", "message": "no device found"},
    "unusable-at-once": {"status": "unusable", "message": "no driver"},
    "huge-position": {"max_position": 2**64 - 1},
    "unknown-word": {"operations": ["rope", "waltz"]},
    "unknown-class": {"claims": [{"angle_class": "A9"}]},
    "no-name": {"name": None},
    "negative-padding": {"padding_bytes": -1},
    "unknown-field": {"colour": "blue"},
    "high-trig-ulp": {"claims": [{"angle_class": "A1", "trig_ulp": 5}]},
    "unknown-accept": {"accepts": ["pigeons"]},
    "cuts-file": {"accepts": ["shared_file"]},
    "is-fresh": {"accepts": ["fresh"]},
    "is-never-fresh": {"accepts": ["fresh"]},
}


def send(header, payload=b""):
    sys.stdout.buffer.write(json.dumps(header).encode() + b"\n" + payload)
    sys.stdout.buffer.flush()


def answer(request, payload):
    q = ["q", len(payload["q"])]
    if fault == "garbage":
        sys.stdout.write("rotating...\n")
        sys.stdout.flush()
    elif fault == "endless-line":
        while True:
            sys.stdout.write("x" * 65536)
    elif fault == "short":
        send({"status": "ok", "buffers": [["q", q[1] - 4]]}, payload["q"][4:])
    elif fault == "answers-twice":
        once = json.dumps({"status": "ok", "buffers": [q]}).encode() + b"\n"
        sys.stdout.buffer.write(2 * (once + payload["q"]))
        sys.stdout.buffer.flush()
    elif fault == "answers-late":  # and then once more, to the next request
        send({"status": "ok", "buffers": [q]}, payload["q"])
        time.sleep(0.05)
        send({"status": "ok", "buffers": [q]}, payload["q"])
    elif fault == "answers-another":
        send({"status": "ok", "id": 0, "buffers": [q]}, payload["q"])
    elif fault in ("half-frame", "stalls"):
        send({"status": "ok", "buffers": [q]}, payload["q"][:4])
        if fault == "stalls":
            time.sleep(3600)
        sys.exit()
    elif fault == "fractional-bytes":
        send({"status": "ok", "buffers": [["q", float(q[1])]]}, payload["q"])
    elif fault == "forgets-q":
        send({"status": "ok", "buffers": []})
    elif fault == "bytes-with-refusal":
        send({"status": "unsupported", "buffers": [q]}, payload["q"])
    elif fault == "unknown-status":
        send({"status": "splendid"})
    elif fault == "numeric-message":
        send({"status": "error", "message": 5})
    elif fault == "unknown-reply-field":
        send({"status": "unsupported", "mood": "good"})
    elif fault == "ends":
        sys.exit(4)
    elif fault == "is-killed":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif fault == "hangs":
        time.sleep(3600)
    elif fault == "closes":
        os.close(0)
        os.close(1)
        time.sleep(3600)
    elif fault in ("unsupported", "invalid", "failed", "unusable", "error"):
        send({"status": fault, "message": "a reason\nin two lines"})
    elif fault in ("is-fresh", "is-never-fresh"):
        send({"status": "failed", "message": f"fresh: {fresh}"})
    elif fault == "bare-refusal":
        send({"status": "unsupported"})


def stream(request):
    """Answers a permutation with its input, piece by piece or at once."""
    (_, size), = [b for b in request["buffers"] if b[0] == "permute_in"]
    for name, other in request["buffers"]:
        if name != "permute_in":
            sys.stdin.buffer.read(other)
    send({"status": "ok", "buffers": [["permute_out", size]]})
    piece = 65536 if fault == "streams" else size
    while size > 0:
        chunk = sys.stdin.buffer.read(min(size, piece))
        sys.stdout.buffer.write(chunk)
        size -= len(chunk)
    sys.stdout.buffer.flush()


fresh = []  # how many threads each time
for line in sys.stdin.buffer:
    request = json.loads(line)
    if request["op"] == "describe":
        if fault == "twice":
            sys.stdout.write('{"name": "x", "name": "y"}\n')
            sys.stdout.flush()
        send({**describes, **describe_faults.get(fault, {})})
        if fault == "never-reads":
            time.sleep(3600)
    elif request["op"] == "fresh":
        fresh.append(request["threads"])
        send({"status": "ok" if fault == "is-fresh" else "unsupported"})
    elif fault == "cuts-file":
        try:
            with open(request["file"], "r+b") as file:
                file.truncate(0)
        except OSError:
            pass
        for name, size, *offset in request["buffers"]:
            if not offset:
                sys.stdin.buffer.read(size)
        send({"status": "ok", "buffers": request["answer"]})
    elif request["operation"] == "permute":
        stream(request)
    else:
        payload = {name: sys.stdin.buffer.read(size)
                   for name, size in request["buffers"]}
        answer(request, payload)
