"""Python kernels behind the ropeproof module: arguments name what one does."""

import atexit
import multiprocessing
import os
import subprocess
import sys
import threading
import time

import numpy as np

import ropeproof

modes = sys.argv[1:]
imported_by = os.getpid()
calls = []

if "prints" in modes:
    os.write(1, b"imported with no warning\n")
    print("welcome", flush=True)
    atexit.register(print, "goodbye")
if "has-threads" in modes:
    threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()


class Unprintable(Exception):
    def __str__(self):
        raise RuntimeError("not even this")


def fail(p):
    """The modes that end in no result."""
    if "is-interrupted" in modes:
        raise KeyboardInterrupt
    if "needs-memory" in modes:
        np.empty(1 << 62, np.uint8)
    if "raises-bytes" in modes:
        raise ValueError("caf\udce9\n\x1b" + 10_000_000 * "e")
    if "raises-unprintable" in modes:
        raise Unprintable
    if "unsupported" in modes:
        raise ropeproof.Unsupported("only on Sundays")
    if "invalid" in modes:
        raise ropeproof.Invalid("seq is odd")
    if "is-killed" in modes:
        os.kill(os.getpid(), 11)
    if "ends" in modes:
        os._exit(4)
    if "empties" in modes and p.q.size * p.seq == 0:
        raise ValueError("an empty tensor")


def number(p):
    """The modes whose result is one number."""
    if "counts" in modes:
        calls.append(p)
        return len(calls)
    if "counts-imports" in modes:  # 1: another process has imported
        return os.getpid() != imported_by
    if "counts-processors" in modes:
        return len(os.sched_getaffinity(0))
    if "spawns" in modes:  # a process that imports this file again
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            return pool.apply(abs, (-7,))
    if "leaves-child" in modes:  # that holds the file of the last argument
        with open(modes[-1], "w") as file:
            subprocess.Popen(["sleep", "3600"], pass_fds=[file.fileno()])
        return 0
    return None


def rope(p):
    """q gets the position of its token, k is reversed."""
    positions = p.positions
    if p.axis_of_pair is not None:
        positions = positions[p.axis_of_pair[0]]
    positions = positions[:, :, None, None].astype(np.float32)
    if p.dtype == "bf16":
        return ropeproof.f32_to_bf16(ropeproof.bf16_to_f32(p.q) + positions)
    if p.k is None:
        return p.q + positions
    return p.q + positions, p.k[..., ::-1]


@ropeproof.kernel(
    name="fake-adapter", version="1.0",
    operations=["frequencies", "table", "rotate", "rope", "permute"],
    dtypes=["f32", "bf16"], pairings=["half_split", "interleaved"],
    features=["keys", "partial"], axis_maps=["any"], angle_class="A1",
    supports=lambda p: p.head_dim != 6 and p.q is None,
    empty="takes-empty" in modes)
def fake(p):
    print("a stray line")
    fail(p)
    result = number(p)
    if result is not None:
        return [np.full(x.shape, result, np.float32) for x in p.tensors]
    if "wrong-shape" in modes:
        return p.q[:1]
    if "wrong-count" in modes:
        return p.q, p.q
    if "returns-inputs" in modes:
        return p.tensors
    if "returns-views" in modes:
        return [np.broadcast_to(x[:1], x.shape) for x in p.tensors]
    if p.operation == "frequencies":
        return (p.inv_freq + p.inv_freq_lo).astype(np.float32)
    if p.operation == "table":
        angles = p.positions[..., None] * p.inv_freq * p.amplitude
        return angles.astype(np.float32), (angles + p.base).astype(np.float32)
    if p.operation == "permute":
        return p.permute_in[::-1]
    if p.operation == "rotate":
        return p.q + p.cos[:, :, None, :1] - p.sin[:, :, None, :1]
    return rope(p)


ropeproof.serve(fork="never-forks" not in modes)
