"""What a kernel gets, and what it may return."""

import numpy as np

from ropeproof import gradient, hugging_face
from ropeproof.arrays import (DTYPES, LIBRARIES, check_library,
                              rounded)
from ropeproof.request import INPUTS, ROTATING, TENSORS


class Problem:
    """One problem. Arrays are dense and row-major. They stay as they are, but for
    a q or k that is returned.

    operation, dtype, table_dtype, pairing    words, as in the description
    direction                                 1, or -1: the adjoint; always 1
                                              where gradients are the adjoint
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
        self._is_adjoint = view.backward and self.direction == -1
        self._is_traced = False
        if self._is_adjoint:
            self.direction = 1
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
        return self._by_pieces(
            function, [(slice(b, b + 1), self.convert(row))
                       for b, row in enumerate(self._positions())])

    def by_runs(self, function):
        """Results of function(x, offset) for each run of consecutive positions,
        put together: for interfaces with an offset in place of positions."""
        return self._by_pieces(
            function, [((slice(b, b + 1), tokens), offset)
                       for b, row in enumerate(self._positions())
                       for tokens, offset in runs(row)])

    def in_pieces(self, function, pieces, name="the kernel"):
        """Results of function(tensors, what), a list for a list, put together.
        pieces are pairs: an index of q and k as [batch, seq, heads, head_dim],
        and what the function gets beside these parts of them."""
        if self._is_traced:
            raise TypeError("by_rows and by_runs have no gradient for "
                            "backward=True; the forms of like= have one")
        view, names = self._view, self._request.results
        wholes = [view.window_of(self.numpy(x), self._request.fields)
                  for x in names]
        results = [np.empty_like(whole) for whole in wholes]
        for index, what in pieces:
            given = [self.convert(view.turned(whole[index]), self.dtype)
                     for whole in wholes]
            found = self._solved(lambda xs: function(xs, what), given, name)
            for word, y, result in zip(names, found, results):
                y = view.back(y, f"{word} of {name}")
                self._request.note_returned(word, y)
                target = view.turned(result[index])
                if y.shape != target.shape or y.dtype != target.dtype:
                    raise ValueError(f"{word} of {name} is {form_of(y)}, "
                                     f"not {form_of(target)}")
                result[index] = view.turned(y)
        return [view.turned(result) for result in results]

    def gradient_of(self, subject):
        """What subject(self) returns; its gradients in place of them where they
        are asked."""
        def function(tensors):
            self.__dict__.update(zip(self._request.results, tensors))
            return wanted(self._request.results, subject(self))
        if not self._is_adjoint:
            return subject(self)
        self._is_traced = True
        return self._solved(function, self.tensors, "the kernel")

    def numpy(self, name):
        """A given array as NumPy has it, bf16 as bit patterns."""
        return self._request.arrays[name]

    def convert(self, array, dtype=None):
        """An array of NumPy, and its dtype as a word, in the kernel's library."""
        return self._view.to(array, dtype)

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
        made = [self.convert(rounded(self.amplitude * part, dtype), dtype)
                for part in parts]
        return made[0] if layout == "side_by_side" else made

    def back(self, array):
        """An array of the kernel's library as one of NumPy."""
        return self._view.back(array)

    def _positions(self):
        """One row for each row of the batch."""
        given = self._request.arrays
        positions = given.get("positions", given.get("real_positions"))
        return positions if positions.ndim == 2 else positions.swapaxes(0, 1)

    def _shown(self, name, array):
        if name in TENSORS:
            view, fields = self._view, self._request.fields
            array = view.turned(view.window_of(array, fields))
        return self.convert(array, self._request.word(name))

    def _by_pieces(self, function, pieces):
        return self.in_pieces(
            lambda xs, what: [function(x, what) for x in xs], pieces)

    def _solved(self, function, given, name):
        if not self._is_adjoint:
            return function(given)
        return gradient.adjoint(self._view.library, name, function, given)


def runs(positions):
    """The runs of consecutive numbers in a row of positions: the slice of
    tokens and the first position of each."""
    starts = np.flatnonzero(np.diff(positions) != 1) + 1
    return [(slice(run[0], run[-1] + 1), int(positions[run[0]]))
            for run in np.split(np.arange(len(positions)), starts) if run.size]


class View:
    """How a kernel wants its problems: arrays of which library on which device,
    q and k with the heads before the tokens, or cut to the rotary window,
    several axes, the adjoint as a gradient."""

    def __init__(self, library="numpy", heads_first=False, window=False,
                 has_axes=False, device="cpu", backward=False):
        check_library(library, device)
        if backward and library not in gradient.LIBRARIES:
            raise ValueError(f"backward=True: arrays of {library} have no "
                             f"gradients, those of "
                             f"{', '.join(gradient.LIBRARIES)} have")
        self.library, self._device = library, device
        self._to, self._from = LIBRARIES[library]
        self.heads_first, self.window = heads_first, window
        self.has_axes, self.backward = has_axes, backward

    def window_of(self, array, fields):
        """The channels of q or k that the kernel gets; the memory is the same."""
        start = fields["rotary_offset"]
        end = start + fields["rotary_dim"]
        return array[..., start:end] if self.window else array

    def turned(self, array):
        """From the request's order of dimensions to the kernel's, or back."""
        return array.swapaxes(-3, -2) if self.heads_first else array

    def to(self, array, dtype=None):
        array = self._to(array, dtype)
        return array if self._device == "cpu" else array.to(self._device)

    def back(self, array, name="it"):
        """An array of NumPy. name: for what is no array."""
        if not isinstance(array, np.ndarray):
            try:
                array = self._from(array)
            except AttributeError:
                raise TypeError(f"{name} is of type {type(array).__name__}, no "
                                f"array of {self.library}") from None
            except Exception as error:  # of what was to be computed, too
                raise ValueError(f"{name} of type {type(array).__name__} cannot "
                                 f"be read: {error}") from error
        if np.ma.is_masked(array):
            raise ValueError(f"{name} has masked elements")
        return LIBRARIES["numpy"][1](array)


def results_of(request, view, returned):
    """Names and dense arrays of what a kernel returned."""
    names = request.results
    if not names:
        return []  # a q of no heads
    results = []
    for name, array in zip(names, wanted(names, returned)):
        array = view.back(array, name)
        if name in TENSORS:
            request.note_returned(name, array)
            array = _whole(request, view, name, array)
        like = request.empty(name)
        if array.shape != like.shape or array.dtype != like.dtype:
            raise ValueError(f"{name} is {form_of(array)}, "
                             f"not {form_of(like)}")
        results.append((name, np.ascontiguousarray(array)))
    return results


def wanted(names, returned):
    """A list of as many results as there are names."""
    given = returned
    if returned is None:
        raise ValueError(f"the kernel returned nothing for {', '.join(names)}")
    if not isinstance(returned, (tuple, list)):
        returned = [returned]
    if set(names) < set(TENSORS) and len(returned) == len(TENSORS):
        # Both at once; the one that the problem lacks is ignored.
        returned = [x for name, x in zip(TENSORS, returned) if name in names]
    check_count("the kernel", given, returned, names)
    return list(returned)


def check_count(function, returned, results, names):
    """ValueError where there are not as many results as names."""
    if len(results) == len(names):
        return
    what = f"one {type(returned).__name__}"
    if isinstance(returned, (tuple, list)):
        what = f"a {type(returned).__name__} of {len(results)}"
    raise ValueError(f"{function} returned {what} for {', '.join(names)}")


def _whole(request, view, name, array):
    """A result for q or k in the order of the request, with every channel."""
    if array.ndim != 4:
        return array
    array = view.turned(array)
    if not view.window:
        return array
    whole = request.arrays[name].copy()
    window = view.window_of(whole, request.fields)
    if array.shape != window.shape:
        return array
    window[...] = array
    return whole


def form_of(array):
    """Its dtype as a word, and its shape."""
    word = next((word for word, dtype in DTYPES.items()
                 if array.dtype == dtype), array.dtype)
    return f"{word}{list(array.shape)}"
