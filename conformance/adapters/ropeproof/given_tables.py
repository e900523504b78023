"""cos and sin as engines hand them to a kernel, in each of their forms."""

import numpy as np

from ropeproof import arrays


READERS = {"torch": arrays.from_torch, "mlx": arrays.from_mlx,
           "onnxruntime": arrays.from_onnxruntime}


def numbers_of(name, array, dtype=None):
    """An array of any library as one of NumPy, bf16 as bits, and its dtype as a
    word; complex numbers have that of their parts. dtype: the word of the
    numbers that it holds."""
    # A class of the user's may be one of a library's, too.
    kinds = {base.__module__.split(".")[0] for base in type(array).__mro__}
    reader = next((read for kind, read in READERS.items() if kind in kinds), None)
    if reader is None and not arrays.has_numbers(array):
        raise ValueError(f"{name} is a {type(array).__name__}; expected an "
                         f"array, as of NumPy, torch, JAX or MLX")
    is_bf16 = str(getattr(array, "dtype", "")).split(".")[-1] == "bfloat16"
    try:
        found = (reader or arrays.from_any)(array)
    except Exception as error:  # sparse, nested, traced, on no device
        why, _, _ = str(error).partition("\n")
        raise ValueError(f"{name}: {why}") from None
    if np.ma.is_masked(array):
        raise ValueError(f"{name} has masked elements")
    word = "bf16" if is_bf16 else WORDS.get(found.dtype)
    if word is None:
        raise ValueError(f"{name} holds {found.dtype}; expected float64, "
                         f"float32, float16 or bfloat16")
    if dtype in (None, word) or np.iscomplexobj(found):
        return found, word
    made = arrays.rounded(_decoded(found, word).astype(np.float64), dtype)
    if not np.array_equal(_decoded(made, dtype), _decoded(found, word),
                          equal_nan=True):
        raise ValueError(f"{name} holds {word} numbers that are not of dtype="
                         f"{dtype!r}")
    return made, dtype


def _decoded(numbers, word):
    return arrays.bf16_to_f32(numbers) if word == "bf16" else numbers


WORDS = {np.dtype(kind): word for word, kind in arrays.DTYPES.items()}
WORDS.update({np.dtype(np.complex64): "f32", np.dtype(np.complex128): "f64"})


def parts_of(pairs, cos=None, sin=None, cos_sin=None, freqs_cis=None):
    """cos and sin by name, [..., pairs] or [..., 2 pairs], and their dtype:

    cos, sin   as they are
    cos_sin    [..., 2 pairs]: cosines, then sines
    freqs_cis  complex [..., pairs], cos + i sin; or real, [..., pairs, 2] of (cos,
               sin), or [..., pairs, 2, 2] of ((cos, -sin), (sin, cos))
    """
    forms = [name for name, given in (("cos and sin", cos), ("cos_sin", cos_sin),
                                      ("freqs_cis", freqs_cis))
             if given is not None]
    if len(forms) != 1 or (cos is None) != (sin is None):
        alone = "sin" if cos is None else "cos"
        raise ValueError(
            f"{alone} is given alone; give both" if forms == ["cos and sin"] or
            (not forms and sin is not None)
            else "give one table: cos and sin, cos_sin or freqs_cis")
    if cos is not None:
        (cos, word), (sin, other) = numbers_of("cos", cos), numbers_of("sin", sin)
        if word != other or cos.shape != sin.shape:
            raise ValueError(f"cos is {word} {list(cos.shape)}, sin {other} "
                             f"{list(sin.shape)}")
        if np.iscomplexobj(cos) or np.iscomplexobj(sin):
            raise ValueError("cos or sin is complex: give freqs_cis")
        if cos.shape[-1:] not in ((pairs,), (2 * pairs,)):
            raise ValueError(f"cos has shape {list(cos.shape)}; expected {pairs} "
                             f"columns, one for each pair, or {2 * pairs}")
        return {"cos": cos, "sin": sin}, word
    if cos_sin is not None:
        table, word = numbers_of("cos_sin", cos_sin)
        if table.shape[-1:] != (2 * pairs,):
            raise ValueError(f"cos_sin has shape {list(table.shape)}; expected "
                             f"{2 * pairs} columns: {pairs} cosines, then as "
                             f"many sines")
        return {"cos": table[..., :pairs], "sin": table[..., pairs:]}, word
    table, word = numbers_of("freqs_cis", freqs_cis)
    if np.iscomplexobj(table) and table.shape[-1:] == (pairs,):
        return {"cos": table.real, "sin": table.imag}, word
    if table.shape[-3:] == (pairs, 2, 2):
        _check_rotations(table, word)
        return {"cos": table[..., 0, 0], "sin": table[..., 1, 0]}, word
    if table.shape[-2:] == (pairs, 2):
        return {"cos": table[..., 0], "sin": table[..., 1]}, word
    raise ValueError(f"freqs_cis is {word} {list(table.shape)}; expected complex "
                     f"[..., {pairs}], or real [..., {pairs}, 2] or "
                     f"[..., {pairs}, 2, 2]")


def _check_rotations(table, word):
    """ValueError where a 2x2 table is no ((cos, -sin), (sin, cos))."""
    numbers = _decoded(table, word)
    off = ((numbers[..., 0, 0] != numbers[..., 1, 1])
           | (numbers[..., 0, 1] != -numbers[..., 1, 0]))
    if off.any():
        at = tuple(np.argwhere(off)[0])
        raise ValueError(f"freqs_cis{list(map(int, at))} is "
                         f"{numbers[at].tolist()}; expected a rotation, "
                         f"((cos, -sin), (sin, cos))")


def cache_of(name, table, ids):
    """[rows, width] of a table whose rows ids name."""
    width = table.shape[-1]
    if sum(size != 1 for size in table.shape[:-1]) > 1:
        raise ValueError(f"{name} has shape {list(table.shape)}; beside "
                         f"positions, which name its rows, expected "
                         f"[rows, {width}]")
    rows = table.reshape(-1, width)
    if ids.min(initial=0) < 0 or ids.max(initial=0) >= len(rows):
        raise ValueError(f"{name} has {len(rows)} rows, positions go from "
                         f"{ids.min()} to {ids.max()}")
    return rows


def rows_of(name, table, batch, seq, is_seq_first):
    """[batch, seq, width] of a table with a row for each token."""
    width = table.shape[-1]
    lead = [size for size in table.shape[:-1] if size != 1]
    rows = table.reshape(-1, width)
    if len(rows) == batch * seq:
        if is_seq_first and lead == [seq, batch]:
            return rows.reshape(seq, batch, width).swapaxes(0, 1)
        return rows.reshape(batch, seq, width)
    if len(rows) == seq:
        return np.broadcast_to(rows, (batch, seq, width))
    raise ValueError(f"{name} has shape {list(table.shape)}; expected a row for "
                     f"each of {seq} tokens, or of {batch} x {seq}; a longer "
                     f"table needs positions, which name its rows")


def halves_of(tables, ids, pairs, is_interleaved):
    """cos and sin [..., pairs], or both as they are, a value for each channel,
    where those of a pair differ, in the rows of a cache that ids name."""
    width = tables["cos"].shape[-1]
    if width == pairs:
        return tables, False
    parts = [lambda x: (x[..., :pairs], x[..., pairs:])]
    if is_interleaved:
        parts.insert(0, lambda x: (x[..., ::2], x[..., 1::2]))
    used = {name: x if ids is None else x[ids] for name, x in tables.items()}
    for split in parts:
        if all(np.array_equal(*split(x)) for x in used.values()):
            return {name: split(x)[0] for name, x in tables.items()}, False
    return tables, True
