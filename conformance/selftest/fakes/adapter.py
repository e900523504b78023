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


def number(p):
    """The modes whose result is one number, or none at all."""
    if "is-killed" in modes:
        os.kill(os.getpid(), 11)
    if "ends" in modes:
        os._exit(4)
    if "empties" in modes and p.q.size * p.seq == 0:
        raise ValueError("an empty tensor")
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
    positions = p.positions[p.axis_of_pair[0], :, :, None, None]
    positions = positions.astype(np.float32)
    if p.k is None:
        return p.q + positions
    return p.q + positions, p.k[..., ::-1]


@ropeproof.kernel(
    name="fake-adapter", version="1.0",
    operations=["rope", "permute"], dtypes=["f32"], pairings=["half_split"],
    features=["keys", "partial"], axis_maps=["any"], angle_class="A1",
    supports=lambda p: p.head_dim != 6 and p.q is None,
    empty="takes-empty" in modes)
def fake(p):
    print("a stray line")
    result = number(p)
    if result is not None:
        return [np.full(x.shape, result, np.float32) for x in p.tensors]
    if p.operation == "permute":
        return p.permute_in[::-1]
    return rope(p)


ropeproof.serve(fork="never-forks" not in modes)
