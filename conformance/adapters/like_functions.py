"""A function of each form in NumPy: as it should be, with a bug that such
functions have, and with the tables that it reads cut to 4096 rows.

    python3 conformance/adapters/like_functions.py FORM [broken | short]
"""

import sys

import numpy as np

import ropeproof

broken = is_short = False


def rows(ids):
    """The rows of a table that it looks up."""
    return np.minimum(ids, 4095) if is_short else ids


def turned(x, cos, sin, is_interleaved=False):
    """cos and sin [..., rotary_dim/2], as x has its dimensions. In x's type."""
    u, v = _pairs(x[..., :2 * cos.shape[-1]], is_interleaved)
    y, (a, b) = x.copy(), (u * cos - v * sin, u * sin + v * cos)
    if is_interleaved:
        y[..., 0:2 * cos.shape[-1]:2], y[..., 1:2 * cos.shape[-1]:2] = a, b
    else:
        y[..., :2 * cos.shape[-1]] = np.concatenate((a, b), axis=-1)
    return y


def _pairs(x, is_interleaved):
    return ((x[..., ::2], x[..., 1::2]) if is_interleaved
            else np.split(x, 2, axis=-1))


def angles(positions, dim, base):
    exponents = np.arange(0, dim, 2, dtype=np.float32) / np.float32(dim)
    inv_freq = np.float32(1) / np.float32(base) ** exponents
    return positions.astype(np.float32)[..., None] * inv_freq


def hf(q, k, cos, sin):
    """Bug: rotate_half without its sign."""
    half = cos.shape[-1] // 2
    cos, sin = cos[:, None, :, :half], sin[:, None, :, :half]
    if broken:
        return turned(q, cos, -sin), turned(k, cos, sin)
    return turned(q, cos, sin), turned(k, cos, sin)


def hf_interleaved(x, cos, sin):
    """Bug: a table in halves taken for one in pairs, or the other way round."""
    half = cos.shape[-1] // 2
    part = slice(None, half) if broken else slice(None, None, 2)
    return turned(x, cos[:, None, :, part], sin[:, None, :, part], True)


class HfModule:
    """Bug: positions in the type of q."""

    def __init__(self, config):
        self.base, self.dim = config.rope_parameters["rope_theta"], config.head_dim

    def __call__(self, x, position_ids):
        if broken:
            position_ids = position_ids.astype(np.float16)
        phi = angles(position_ids, self.dim, self.base)
        phi = np.concatenate((phi, phi), axis=-1)
        return np.cos(phi).astype(x.dtype), np.sin(phi).astype(x.dtype)


def meta(xq, xk, freqs_cis):
    """Bug: the conjugate, which rotates backward."""
    if broken:
        freqs_cis = freqs_cis.conj()
    cos, sin = freqs_cis.real[:, None], freqs_cis.imag[:, None]
    return [turned(np.float32(x), cos, sin, True).astype(x.dtype)
            for x in (xq, xk)]


def precompute_freqs_cis(dim, end, theta):
    return np.exp(1j * np.float64(angles(np.arange(end), dim, theta))).astype(
        np.complex64)


def vllm(positions, query, key, head_size, cos_sin_cache, is_neox):
    """Bug: the key is left as it was."""
    for x in (query,) if broken else (query, key):
        heads = x.reshape(len(positions), -1, head_size)
        cos, sin = np.split(cos_sin_cache[rows(positions)][:, None], 2, axis=-1)
        heads[...] = turned(heads, cos, sin, not is_neox)


def flashinfer(positions, query, key, head_size, cos_sin_cache, is_neox=True):
    """Bug: interleaved whatever is said."""
    found = []
    for x in (query, key):
        heads = x.reshape(len(positions), -1, head_size).astype(np.float32)
        cos, sin = np.split(cos_sin_cache[rows(positions)][:, None], 2, axis=-1)
        heads = turned(heads, cos, sin, broken or not is_neox)
        found.append(heads.reshape(x.shape).astype(x.dtype))
    return tuple(found)


def flashinfer_ids(q, k, pos_ids, rotary_dim=None, interleave=False,
                   rope_theta=1e4):
    """Bug: the theta that it has by itself."""
    phi = angles(pos_ids, rotary_dim, 1e4 if broken else rope_theta)
    cos, sin = np.cos(phi)[:, None], np.sin(phi)[:, None]
    return [turned(np.float32(x), cos, sin, interleave).astype(x.dtype)
            for x in (q, k)]


def flashinfer_ragged(q, k, indptr, offsets, rotary_dim=None, interleave=False,
                      rope_theta=1e4):
    """Bug: rows begin at position 0."""
    places = np.concatenate([
        np.arange(b - a) + (0 if broken else start)
        for a, b, start in zip(indptr, indptr[1:], offsets)])
    return flashinfer_ids(q, k, places, rotary_dim, interleave, rope_theta)


def onnx(x, position_ids, cos_cache, sin_cache, interleaved):
    """Bug: the rows in order, whatever the ids are."""
    if broken:
        position_ids = np.broadcast_to(np.arange(x.shape[2]) % len(cos_cache),
                                       position_ids.shape)
    ids = rows(position_ids)
    return turned(x, cos_cache[ids][:, None], sin_cache[ids][:, None], interleaved)


class Offset:
    """Bug: the first offset for all calls."""

    def __init__(self, dims, traditional=False, base=10000):
        self.dims, self.traditional, self.base = dims, traditional, base
        self.first = None

    def __call__(self, x, offset=0):
        if self.first is None or not broken:
            self.first = offset
        phi = angles(self.first + np.arange(x.shape[2]), self.dims, self.base)
        cos, sin = (f(phi).astype(x.dtype) for f in (np.cos, np.sin))
        return turned(x, cos, sin, self.traditional)


def positions(inputs, positions, *, base_frequency):
    """Bug: the positions of the first row for all rows."""
    phi = angles(positions[:1] if broken else positions, inputs.shape[-1],
                 base_frequency)[:, :, None]
    return turned(np.float32(inputs), np.cos(phi), np.sin(phi)).astype(
        inputs.dtype)


def te(t, freqs, tensor_format="sbhd", interleaved=False, cu_seqlens=None):
    """Bug: thd takes all tokens for one sequence, the others batch for seq."""
    part = slice(None, None, 2) if interleaved else slice(
        None, freqs.shape[-1] // 2)
    if tensor_format == "thd":
        places = np.concatenate([np.arange(b - a) for a, b in
                                 zip(cu_seqlens, cu_seqlens[1:])])
        if broken:
            places = np.arange(len(t)) % len(freqs)
        phi = freqs[places, 0, :, part]
    else:
        seq = 1 if (tensor_format == "bshd") != broken else 0
        phi = np.resize(freqs[:, 0], (t.shape[seq], *freqs.shape[2:]))[..., part]
        phi = phi[:, None] if seq == 0 else phi[None]
    return turned(t, np.cos(phi).astype(t.dtype), np.sin(phi).astype(t.dtype),
                  interleaved)


def flash_attn(x, cos, sin, interleaved=False, inplace=False, seqlen_offsets=0,
               cu_seqlens=None, max_seqlen=None, conjugate=False):
    """Bug: the offset of the first row for all rows."""
    if cu_seqlens is not None:
        starts = seqlen_offsets * (not broken)
        parts = [flash_attn(x[a:b][None], cos, sin, interleaved, False, start,
                            conjugate=conjugate)[0] for a, b, start in
                 zip(cu_seqlens, cu_seqlens[1:], starts)]
        return np.concatenate(parts)
    starts = np.broadcast_to(seqlen_offsets, len(x))
    if broken:
        starts = 0 * starts + starts[0]
    places = rows(starts[:, None] + np.arange(x.shape[1]))
    cos, sin = cos[places][:, :, None], sin[places][:, :, None]
    y = turned(np.float32(x), np.float32(cos), np.float32(-sin if conjugate else
                                                          sin), interleaved)
    return y.astype(x.dtype)


def mrope(q, k, cos, sin, mrope_section, unsqueeze_dim=1):
    """Bug: the first axis for all pairs."""
    axis = np.repeat(np.arange(3), mrope_section) * (not broken)
    pairs = np.arange(len(axis))
    cos, sin = (table[axis, :, :, pairs].transpose(1, 2, 0)[:, None]
                for table in (cos, sin))
    return turned(q, cos, sin), turned(k, cos, sin)


def diffusers(x, freqs_cis, use_real=True, use_real_unbind_dim=-1):
    """Bug: takes halves for pairs."""
    is_interleaved = (use_real_unbind_dim == -1) != broken
    half = freqs_cis[0].shape[-1] // 2
    part = slice(None, None, 2) if is_interleaved else slice(None, half)
    return turned(np.float32(x), *(table[:, part] for table in freqs_cis),
                  is_interleaved).astype(x.dtype)


def flux(xq, xk, freqs_cis):
    """Bug: the transposed matrices."""
    if broken:
        freqs_cis = freqs_cis.swapaxes(-1, -2)
    cos, sin = freqs_cis[..., 0, 0], freqs_cis[..., 1, 0]
    return [turned(np.float32(x), cos, sin, True).astype(x.dtype)
            for x in (xq, xk)]


def cache_flat(positions, q, k, cos_sin_cache):
    """Bug: sines before cosines."""
    cos, sin = np.split(cos_sin_cache[rows(positions)][:, None], 2, axis=-1)
    if broken:
        cos, sin = sin, cos
    return turned(q, cos, sin), turned(k, cos, sin)


def tokamax(x, positions, cos_sin_cache, *, mode="rope", inverse=False):
    """Bug: the first channels, not the last."""
    dim = cos_sin_cache.shape[-1]
    cos, sin = np.split(cos_sin_cache[rows(positions)][:, None], 2, axis=-1)
    y, last = x.astype(np.float32), slice(0, dim) if broken else slice(-dim, None)
    y[..., last] = turned(y[..., last], cos, -sin if inverse else sin, True)
    return y.astype(x.dtype)


F32 = dict(table_dtype="f32", rounding="once")
FORMS = {
    "hf": (hf, dict(like="hf")),
    "hf-interleaved": (hf_interleaved, dict(
        like="hf", pairings=["interleaved"])),
    "hf_module": (HfModule, dict(like="hf_module", apply=hf)),
    "meta": (meta, dict(like="meta")),
    "meta-rope": (meta, dict(like="meta", precompute=precompute_freqs_cis)),
    "vllm": (vllm, dict(like="vllm")),
    "flashinfer": (flashinfer, dict(like="flashinfer")),
    "flashinfer-ids": (flashinfer_ids, dict(like="flashinfer")),
    "flashinfer-ragged": (flashinfer_ragged, dict(like="flashinfer")),
    "onnx": (onnx, dict(like="onnx")),
    "offset": (Offset, dict(like="offset", features=["keys", "partial"])),
    "offset-own": (Offset(32, base=5e5), dict(like="offset")),
    "positions": (positions, dict(like="positions", **F32)),
    "flash_attn": (flash_attn, dict(like="flash_attn")),
    "flash_attn-packed": (flash_attn, dict(like="flash_attn", packed=True)),
    "mrope": (mrope, dict(like="mrope")),
    "diffusers": (diffusers, dict(like="diffusers")),
    "flux": (flux, dict(like="flux")),
    "cache_flat": (cache_flat, dict(like="cache_flat")),
    "tokamax": (tokamax, dict(like="tokamax")),
    "te-sbhd": (te, dict(like="te")),
    "te-bshd": (te, dict(like="te", tensor_format="bshd")),
    "te-thd": (te, dict(like="te", tensor_format="thd")),
}


if __name__ == "__main__":
    broken, is_short = (sys.argv[2:] == [word] for word in ("broken", "short"))
    function, declaration = FORMS[sys.argv[1]]
    ropeproof.kernel(**declaration)(function)
    ropeproof.serve()
