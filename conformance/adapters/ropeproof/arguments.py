"""Arguments of assert_rope_close as numbers; a ValueError, one line that names
the argument, for what is none."""

import numpy as np

from ropeproof import arrays


def said(value):
    """A value in a few words, for an error."""
    if isinstance(value, np.ndarray) and value.size > 4:
        return f"an array of {value.dtype}, {list(value.shape)}"
    words = " ".join(repr(value).split())
    return words if len(words) <= 60 else words[:57] + "..."


def plain(array):
    """Its numbers, as NumPy has them, also of a device; of bf16 as f32."""
    if "bfloat16" in str(getattr(array, "dtype", "")):
        if type(array).__module__.startswith("mlx"):
            return arrays.bf16_to_f32(arrays.from_mlx(array))
        if hasattr(array, "float"):
            array = array.float()
        else:
            array = np.asarray(array).astype(np.float32)
    if hasattr(array, "detach"):
        return arrays.from_torch(array)
    return arrays.from_any(array) if arrays.has_numbers(array) else array


def numbers(name, value, kinds="iuf"):
    """An array of real numbers, of any library, or one."""
    try:
        found = np.asarray(plain(value))
        if found.dtype.kind in kinds and not np.ma.is_masked(value):
            return found
    except Exception:  # of any library: not of numbers, traced, on no device
        pass
    raise ValueError(f"{name} is {said(value)}; expected "
                     f"{'numbers' if 'f' in kinds else 'whole numbers'}")


def whole(name, value):
    """An array of whole numbers."""
    found = numbers(name, value, "iu")
    if found.max(initial=0) > np.iinfo(np.int64).max:
        raise ValueError(f"{name} is {said(value)}; expected at most 2^63 - 1")
    return found.astype(np.int64)


def one_whole(name, value):
    found = whole(name, value)
    if found.size != 1:
        raise ValueError(f"{name} is {said(value)}; expected one number")
    return int(found.reshape(()))


def number(name, value):
    try:
        found = numbers(name, value)
    except ValueError:
        found = np.array([])
    if found.ndim == 0 and abs(found) < 1e300:
        return float(found)
    raise ValueError(f"{name} is {said(value)}; expected a number"
                     + (" below 1e300" if found.ndim == 0 else ""))


def one_of(name, value, known):
    """The value, if it is one of the known words."""
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"{name} is {said(value)}; known are "
                         f"{', '.join(known)}")
    return value
