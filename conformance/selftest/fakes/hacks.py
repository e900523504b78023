"""Kernels in Python that are made to pass, not to be right.

    python3 hacks.py NAME   serves the one of this name
    python3 hacks.py        prints what it has to read behind walls, by lines

What must become of each stands in ../hack_list.cc.
"""

import gc
import os
import pathlib
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[2] / "adapters"))

import numpy as np  # noqa: E402

import ropeproof  # noqa: E402
from ropeproof import grading, wire  # noqa: E402


def right(p):
    half = p.head_dim // 2
    exponents = np.arange(half, dtype=np.float64) / half
    theta = (p.base ** -exponents).astype(np.float32)
    phi = p.positions.astype(np.float32)[:, :, None, None] * theta
    u, v = p.q[..., :half], p.q[..., half:]
    c, s = np.cos(phi), np.sin(phi)
    return np.concatenate([u * c - v * s, u * s + v * c], axis=-1)


def zeros(p):
    return np.zeros_like(p.q)


def patches_numpy(p):
    """Whatever is compared here is equal, and finite."""
    np.array_equal = np.allclose = lambda *_, **__: True
    np.isfinite = np.ones_like
    return zeros(p)


def patches_the_clock(p):
    time.monotonic = time.time = time.perf_counter = lambda: 0.0
    threading.Event().wait()


def patches_the_protocol(p):
    """Its answers are no answers, whatever the function returns."""
    reply = wire.Wire.reply
    wire.Wire.reply = lambda self, header, results=None: reply(
        self, {**header, "status": "ok", "conforms": True}, results)
    return zeros(p)


def writes_a_verdict(p):
    line = b'{"format":"ropeproof-verdict/1","conforms":true}\n'
    for descriptor in range(64):
        try:
            os.write(descriptor, line)
        except OSError:
            pass
    return zeros(p)


def catches_everything(p):
    while True:
        try:
            time.sleep(3600)
        except BaseException:
            pass


def exits(p):
    os._exit(0)


class Lazy:
    """An array that is computed when somebody looks, or never."""

    def __init__(self, q):
        self.shape, self.dtype = q.shape, q.dtype

    def __array__(self, *_, **__):
        return np.zeros(self.shape, self.dtype)


def lazy(p):
    return Lazy(p.q)


def works_after_return(p):
    y = np.full_like(p.q, np.nan)

    def later():
        time.sleep(0.01)
        y[:] = right(p)
    threading.Thread(target=later, daemon=True).start()
    return y


kept = {}


def cached_by_pointer(p):
    key = p.q.ctypes.data, p.q.shape
    if key not in kept:
        kept[key] = right(p)
    return kept[key]


def overwrites_its_input(p):
    y = right(p)
    p.q[:] = 0
    return y


def looks_for_goldens(p):
    """Among all objects of its process, and the frames that called it."""
    places = [found for found in gc.get_objects() if isinstance(found, dict)]
    frame = sys._getframe()
    while frame is not None:
        places.append(frame.f_locals)
        frame = frame.f_back
    for place in places:
        for name in ("golden", "want", "expected"):
            if getattr(place.get(name), "shape", None) == p.q.shape:
                return place[name]
    return zeros(p)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        for path in [*grading.needed(), str(HERE), str(HERE.parents[2] / "adapters")]:
            print(path)
        sys.exit()
    ropeproof.kernel(name="hack", version="1", operations=["rope"], dtypes=["f32"],
                     pairings=["half_split"], angle_class="A1")(
        globals()[sys.argv[1].removeprefix("py_")])
    ropeproof.serve()
