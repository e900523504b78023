"""For tests of judge(): the package, installed from BUILD_DIR (the first argument
of the test) into a folder of its own, as a wheel has it; and functions."""

import subprocess
import sys
import tempfile

import numpy as np

folder = tempfile.TemporaryDirectory()
subprocess.run(["cmake", "--install", sys.argv.pop(1), "--component", "python",
                "--prefix", folder.name], check=True, stdout=subprocess.DEVNULL)
sys.path.insert(0, folder.name)

import ropeproof


def angles(p, dtype=np.float32):
    pairs = np.arange(p.rotary_dim // 2, dtype=dtype)
    theta = dtype(p.base) ** -(2 * pairs / p.rotary_dim).astype(dtype)
    return p.positions.astype(dtype)[:, :, None, None] * theta


def rotated(p, cos, sin):
    u, v = np.split(p.q, 2, axis=-1)
    return np.concatenate([u * cos - v * sin, u * sin + v * cos], axis=-1)


def my_rope(p):
    phi = angles(p)
    return rotated(p, np.cos(phi), np.sin(phi))


def exact_rope(p):
    phi = angles(p, np.float64)
    return rotated(p, np.cos(phi), np.sin(phi)).astype(np.float32)


def wrong_rope(p):
    phi = angles(p)
    return rotated(p, np.cos(phi), -np.sin(phi))


def judge(function, **more):
    return ropeproof.judge(function, **{"tier": "smoke", **more})
