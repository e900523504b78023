"""Triton kernels for triton_backend_test.py: a right one, and some with one bug. A program
has a batch row, since each costs the interpreter milliseconds."""

import torch
import triton
import triton.language as tl


@triton.jit
def half_split(X, Y, COS, SIN, seq, heads, pairs, ROWS: tl.constexpr, BLOCK: tl.constexpr,
               IN_F32: tl.constexpr, BUG: tl.constexpr):
    """X and Y [batch, seq, heads, 2 * pairs]; COS and SIN [batch, seq, pairs]."""
    batch = tl.program_id(0)
    row, j = tl.arange(0, ROWS)[:, None], tl.arange(0, BLOCK)[None, :]
    token = batch * seq + row // heads
    if BUG == "batch":
        token = row // heads
    mask = (row < seq * heads) & (j < pairs)
    if BUG == "mask":
        mask = (row < seq * heads) & (j < pairs - 1)
    read = (row >= 0) & (j >= 0) if BUG == "reads" else mask
    written = (row >= 0) & (j >= 0) if BUG == "writes" else mask
    cos = tl.load(COS + token * pairs + j, mask=read, other=0)
    sin = tl.load(SIN + token * pairs + j, mask=read, other=0)
    place = (batch * seq * heads + row) * 2 * pairs + j
    u = tl.load(X + place, mask=read, other=0)
    v = tl.load(X + place + pairs, mask=read, other=0)
    if IN_F32:
        cos, sin, u, v = (cos.to(tl.float32), sin.to(tl.float32), u.to(tl.float32),
                          v.to(tl.float32))
    tl.store(Y + place, u * cos - v * sin, mask=written)
    tl.store(Y + place + pairs, v * cos + u * sin, mask=written)


@triton.jit
def copied(X, Y, OFFSET, IS_TABLE: tl.constexpr):
    """Eight numbers of X, or of the array whose address stands in X."""
    if IS_TABLE:
        X = tl.load(X).to(tl.pointer_type(tl.float32))
    tl.store(Y + tl.arange(0, 8), tl.load(X + OFFSET + tl.arange(0, 8)))


tuned = triton.autotune(configs=[triton.Config({"BUG": ""}), triton.Config({"BUG": "mask"})],
                        key=["pairs"])(half_split)


@triton.jit
def two_steps(X, Y, COS, SIN, PRODUCTS, seq, heads, pairs, ROWS: tl.constexpr,
              BLOCK: tl.constexpr):
    """A program of step 1 reads what that of step 0 writes: on a device they race."""
    batch, step = tl.program_id(0), tl.program_id(1)
    row, j = tl.arange(0, ROWS)[:, None], tl.arange(0, BLOCK)[None, :]
    mask = (row < seq * heads) & (j < pairs)
    table = (batch * seq + row // heads) * pairs + j
    cos, sin = tl.load(COS + table, mask=mask), tl.load(SIN + table, mask=mask)
    place = (batch * seq * heads + row) * 2 * pairs + j
    u, v = tl.load(X + place, mask=mask), tl.load(X + place + pairs, mask=mask)
    if step == 0:
        tl.store(PRODUCTS + place, v * sin, mask=mask)
        tl.store(PRODUCTS + place + pairs, u * sin, mask=mask)
    else:
        tl.store(Y + place, u * cos - tl.load(PRODUCTS + place, mask=mask), mask=mask)
        tl.store(Y + place + pairs,
                 v * cos + tl.load(PRODUCTS + place + pairs, mask=mask), mask=mask)


def launched(x, cos, sin, kernel=half_split, block=None, in_f32=False, **more):
    """x [batch, heads, seq, 2 * pairs]; cos and sin [batch, seq, 2 * pairs]."""
    flat = x.transpose(1, 2).contiguous()
    batch, seq, heads, width = flat.shape
    cos, sin = (part[..., :width // 2].contiguous() for part in (cos, sin))
    y = torch.empty_like(flat)
    with torch.cuda.device(x.device.index):
        kernel[(batch,)](
            flat, y, cos, sin, seq, heads, width // 2,
            ROWS=triton.next_power_of_2(seq * heads), IN_F32=in_f32,
            BLOCK=block or triton.next_power_of_2(width // 2), **more)
    return y.transpose(1, 2)


def rope(x, cos, sin):
    return launched(x, cos, sin, BUG="")


def rope_in_f32(x, cos, sin):
    return launched(x, cos, sin, in_f32=True, BUG="")


def rope_tuned(x, cos, sin):
    return launched(x, cos, sin, tuned)


def rope_of_any_block(x, cos, sin):
    return launched(x, cos, sin, block=x.shape[-1] // 2, BUG="")


def rope_of_row_0(x, cos, sin):
    return launched(x, cos, sin, BUG="batch")


def rope_without_the_last(x, cos, sin):
    return launched(x, cos, sin, BUG="mask")


def rope_beyond(how):
    return lambda q, cos, sin: launched(q, cos, sin, BUG=how)


def rope_that_races(x, cos, sin):
    flat = x.transpose(1, 2).contiguous()
    batch, seq, heads, width = flat.shape
    cos, sin = (part[..., :width // 2].contiguous() for part in (cos, sin))
    y, products = torch.empty_like(flat), torch.empty_like(flat)
    two_steps[(batch, 2)](
        flat, y, cos, sin, products, seq, heads, width // 2,
        ROWS=triton.next_power_of_2(seq * heads), BLOCK=triton.next_power_of_2(width // 2))
    return y.transpose(1, 2)
