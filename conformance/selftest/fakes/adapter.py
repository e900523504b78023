"""Python functions behind the ropeproof module: each operation shows, in its
result, that every input arrived."""

import sys

import numpy as np

import ropeproof

mode = sys.argv[1] if len(sys.argv) > 1 else "good"


@ropeproof.kernel(
    name="fake-adapter", version="1.0",
    operations=["frequencies", "table", "rotate", "rope", "permute"],
    dtypes=["f32", "bf16"], pairings=["half_split", "interleaved"],
    features=["out_of_place", "keys", "partial"], axis_maps=["any"],
    angle_class="A3",
    angle_dtype="bf16", power="exp2", trig_ulp=2, table_dtype="f32",
    rounding="each", max_position=4096)
def fake(p):
    print("a stray line")
    if mode == "raises":
        raise KeyError("no such table")
    if mode == "unsupported":
        raise ropeproof.Unsupported("only on Sundays")
    if mode == "invalid":
        raise ropeproof.Invalid("seq is odd")
    if mode == "wrong-shape":
        return p.q[:1]
    if mode == "wrong-dtype":
        return p.q.astype(np.float64)
    if mode == "wrong-count":
        return p.q, p.q
    if mode == "no-array":
        return 5
    if p.operation == "frequencies":
        return (p.inv_freq + p.inv_freq_lo).astype(np.float32)
    if p.operation == "table":
        angles = p.positions[..., None] * p.inv_freq * p.amplitude
        return angles.astype(np.float32), (angles + p.base).astype(np.float32)
    if p.operation == "permute":
        return p.permute_in[::-1]
    if p.operation == "rotate":
        return p.q + p.cos[:, :, None, :1] - p.sin[:, :, None, :1]
    # rope: q gets the position of its token, k is reversed.
    positions = p.positions
    if p.axis_of_pair is not None:
        positions = positions[p.axis_of_pair[0]]
    positions = positions[:, :, None, None].astype(np.float32)
    if p.dtype == "bf16":
        return ropeproof.f32_to_bf16(ropeproof.bf16_to_f32(p.q) + positions)
    return p.q + positions, p.k[..., ::-1]


ropeproof.serve()
