"""What a kernel gets, and what it may return."""

import numpy as np

from ropeproof import hugging_face
from ropeproof.arrays import LIBRARIES, rounded
from ropeproof.request import INPUTS, ROTATING, TENSORS


class Problem:
    """One problem. Arrays are dense, row-major, writable, and yours.

    operation, dtype, table_dtype, pairing    words, as in the description
    direction                                 1, or -1: the adjoint
    batch, seq, head_dim, rotary_dim, rotary_offset, q_heads, k_heads
    pair_distance, pairing_blocks             0, or as ropeproof_kernel.h says
    base, amplitude                           floats; base 0: use inv_freq
    scaling                                   None, or a dict of its parameters
    axis_map, axis_sections    a word, and the number of pairs of each axis;
                               None and [] with one axis
    cache, cache_rows          for lookup: a word, and the rows of cos and sin

    q, k            [batch, seq, heads, head_dim] of dtype
    cos, sin        [batch, seq, rotary_dim/2] of table_dtype (rotate); a cache
                    (lookup) is [cache_rows, rotary_dim/2] each if split,
                    [cache_rows, rotary_dim] each if doubled, the same in cos
                    alone if side_by_side
    ids             int64 [batch, seq], rows of the cache
    positions       int64 [batch, seq]; with axes [position_axes, batch, seq]
    real_positions  float64, in place of positions
    axis_of_pair    int32 [rotary_dim/2]
    axis_weights    float64 [position_axes, rotary_dim/2]
    pair_amplitude  float64 [batch, seq, rotary_dim/2], in place of amplitude
    inv_freq, inv_freq_lo    float64 [rotary_dim/2]; their sum is the frequency
    pair_bases      float64 [rotary_dim/2]; with exponent_numerators and
                    exponent_denominators, int64
    permute_in      [permute_heads * head_dim, permute_columns] of dtype

    What the operation does not need is None, and so is a q or k of no heads.
    The decorator's arrays, heads_first and window say otherwise what arrays
    are. supports() sees no arrays.
    """

    def __init__(self, request, view):
        self.__dict__.update(dict.fromkeys(INPUTS), **request.fields)
        self._request, self._view = request, view
        for name, array in request.arrays.items():
            setattr(self, name, self._shown(name, array))

    def add_empty(self):
        """A q of no heads is an array, too."""
        if self.q is None and self.operation in ROTATING:
            self.q = self._shown("q", self._request.empty("q"))

    @property
    def tensors(self):
        """[q, k], or the one that there is."""
        return [x for x in (self.q, self.k) if x is not None]

    @property
    def hugging_face(self):
        """Keyword arguments for a configuration class of transformers 5. It has
        M-RoPE sections if the kernel has axis maps."""
        return hugging_face.configuration(self, self._view.has_axes)

    def by_rows(self, function):
        """Results of function(x, positions) for each row of the batch, put
        together: for interfaces with one row of positions for a whole batch."""
        return self._put_together(
            function, [(b, slice(None), self._view.to(row))
                       for b, row in enumerate(self._positions())])

    def by_runs(self, function):
        """Results of function(x, offset) for each run of consecutive positions,
        put together: for interfaces with an offset in place of positions."""
        runs = []
        for b, row in enumerate(self._positions()):
            starts = np.flatnonzero(np.diff(row) != 1) + 1
            for run in np.split(np.arange(len(row)), starts):
                if run.size:
                    tokens = slice(run[0], run[-1] + 1)
                    runs.append((b, tokens, int(row[run[0]])))
        return self._put_together(function, runs)

    def cache_of(self, rows=None, layout="split", dtype=None):
        """cos and sin of positions 0 to rows - 1, laid out as for lookup. rows:
        a power of two above all positions, unless given. The values are those
        of inv_freq and amplitude within rows * 2^-53, rounded once to dtype,
        which is table_dtype unless given."""
        if rows is None:
            rows = 1 << int(self._positions().max(initial=0)).bit_length()
        angles = np.outer(np.arange(rows), self._request.arrays["inv_freq"])
        parts = [np.cos(angles), np.sin(angles)]
        if layout == "side_by_side":
            parts = [np.concatenate(parts, axis=1)]
        elif layout == "doubled":
            parts = [np.concatenate((part, part), axis=1) for part in parts]
        dtype = dtype or self.table_dtype
        made = [self._view.to(rounded(self.amplitude * part, dtype), dtype)
                for part in parts]
        return made[0] if layout == "side_by_side" else made

    def _positions(self):
        """One row for each row of the batch."""
        given = self._request.arrays
        positions = given.get("positions", given.get("real_positions"))
        return positions if positions.ndim == 2 else positions.swapaxes(0, 1)

    def _shown(self, name, array):
        if name in TENSORS:
            array = self._view.cut(array, self._request.fields)
        return self._view.to(array, self._request.word(name))

    def _put_together(self, function, pieces):
        view, results = self._view, []
        for name in self._request.results:
            whole = self._request.arrays[name]
            result = view.cut(np.empty_like(whole), self._request.fields)
            for b, tokens, where in pieces:
                x = self._shown(name, whole[b:b + 1, tokens])
                y = view.back(function(x, where))
                target = (result[b:b + 1, :, tokens] if view.heads_first
                          else result[b:b + 1, tokens])
                if y.shape != target.shape or y.dtype != target.dtype:
                    raise ValueError(f"{name}: {form_of(y)}, "
                                     f"not {form_of(target)}")
                target[...] = y
            results.append(result)
        return results


class View:
    """How a kernel wants its problems: arrays of which library, q and k with
    the heads before the tokens, or cut to the rotary window, several axes."""

    def __init__(self, library="numpy", heads_first=False, window=False,
                 has_axes=False):
        self._library = library
        self.to, self._from = LIBRARIES[library]
        self.heads_first, self.window = heads_first, window
        self.has_axes = has_axes

    def cut(self, array, fields):
        """A part of q or k, in order; the memory is the same."""
        if self.window:
            array = array[..., _window(fields)]
        return array.swapaxes(1, 2) if self.heads_first else array

    def back(self, array):
        """An array of NumPy."""
        if not isinstance(array, np.ndarray):
            try:
                array = self._from(array)
            except AttributeError:
                raise TypeError(f"a {type(array).__name__} is no array of "
                                f"{self._library}") from None
        return LIBRARIES["numpy"][1](array)


def results_of(request, view, returned):
    """Names and dense arrays of what a kernel returned."""
    names = request.results
    if not isinstance(returned, (tuple, list)):
        returned = [returned]
    if not names:
        return []  # a q of no heads
    if set(names) < set(TENSORS) and len(returned) == len(TENSORS):
        # Both at once; the one that the problem lacks is ignored.
        returned = [x for x, name in zip(returned, TENSORS) if name in names]
    if len(returned) != len(names):
        raise ValueError(f"the kernel returned {len(returned)} arrays, not "
                         f"{len(names)} ({', '.join(names)})")
    results = []
    for name, array in zip(names, returned):
        array = view.back(array)
        if name in TENSORS:
            array = _whole(request, view, name, array)
        wanted = request.empty(name)
        if array.shape != wanted.shape or array.dtype != wanted.dtype:
            raise ValueError(f"{name} is {form_of(array)}, "
                             f"not {form_of(wanted)}")
        results.append((name, np.ascontiguousarray(array)))
    return results


def _whole(request, view, name, array):
    """A result for q or k in the order of the request, with every channel."""
    if array.ndim != 4:
        return array
    if view.heads_first:
        array = array.swapaxes(1, 2)
    if not view.window:
        return array
    whole = request.arrays[name].copy()
    window = whole[..., _window(request.fields)]
    if array.shape != window.shape:
        return array
    window[...] = array
    return whole


def _window(fields):
    start = fields["rotary_offset"]
    return slice(start, start + fields["rotary_dim"])


def form_of(array):
    return f"{array.dtype}{list(array.shape)}"
