"""Problems for Hypothesis, which draws them and shrinks those that fail."""

from dataclasses import dataclass, field

import numpy as np
from hypothesis import strategies as st

from ropeproof.arguments import number, one_of, one_whole, said
from ropeproof.arrays import DTYPES, rounded, word_of
from ropeproof.closeness import assert_rope_close
from ropeproof.closeness_problem import LARGEST_POSITION
from ropeproof.judge_library import BITS, PAIRINGS

BASES = (10000.0, 500000.0, 1e6, 100.0)
EDGES = (0, 1, 2, 3, 255, 256, 257, 2047, 2049, 4097, 65535, 65537, 131071)


@dataclass(frozen=True)
class Drawn:
    """q, k ([batch, seq, heads, head_dim], bf16 as bits; k None or as q) and
    positions [batch, seq], with what a RoPE of them is."""
    q: np.ndarray = field(repr=False)
    k: np.ndarray = field(repr=False)
    positions: np.ndarray
    dtype: str
    pairing: str
    base: float
    rotary_dim: int

    @property
    def head_dim(self):
        return self.q.shape[-1]

    def __repr__(self):
        heads = "" if self.k is None else f" + {self.k.shape[2]} keys"
        return (f"{self.dtype} {self.pairing} {list(self.q.shape)}{heads}, "
                f"rotary_dim {self.rotary_dim}, base {self.base:g}, positions "
                f"{self.positions.tolist()}")

    def assert_close(self, result, **how):
        """As ropeproof.assert_rope_close: of q, or of a tuple (q, k) where there
        is a k."""
        is_both = isinstance(result, (tuple, list)) and len(result) == 2
        if is_both != (self.k is not None):
            raise ValueError("the problem has q and k; expected a tuple of two "
                             "results" if self.k is not None else
                             "the problem has q alone; expected one result")
        assert_rope_close(
            result, (self.q, self.k) if is_both else self.q,
            positions=self.positions, base=self.base, pairing=self.pairing,
            rotary_dim=self.rotary_dim, **how)


def problems(dtypes=("f32",), pairings=("half_split",), max_batch=3, max_seq=6,
             max_heads=4, max_pairs=32, max_position=131071, bases=BASES,
             partial=False, keys=True):
    """Draws problems, a Drawn each:

        @given(ropeproof.strategies.problems(dtypes=["bf16"], keys=False))
        def test_my_rope(problem):
            problem.assert_close(my_rope(problem.q, problem.positions))

    They shrink to small sizes, position 0 and elements of 1.

    dtypes, pairings   words, or dtypes of a library; one is drawn for each
    max_batch, max_seq, max_heads, max_pairs    the largest sizes, from 1 on
    max_position       positions are whole, from 0 on; edges of types and caches
                       come more often than others
    bases              one is drawn
    partial            True: heads may have up to 8 channels beyond the window
    keys               True: most have a k, of at most as many heads as q
    """
    for name, given in (("dtypes", dtypes), ("pairings", pairings),
                        ("bases", bases)):
        if not isinstance(given, (list, tuple)) or not given:
            raise ValueError(f"{name} is {said(given)}; expected a list")
    words = [one_of("one of dtypes", word_of(dtype), BITS) for dtype in dtypes]
    for pairing in pairings:
        one_of("one of pairings", pairing, PAIRINGS)
    for base in bases:
        if number("one of bases", base) <= 0:
            raise ValueError(f"one of bases is {said(base)}; expected a number "
                             f"above 0")
    most = dict(max_batch=max_batch, max_seq=max_seq, max_heads=max_heads,
                max_pairs=max_pairs, max_position=max_position)
    for name, size in most.items():
        least = 0 if name == "max_position" else 1
        if not least <= one_whole(name, size) <= LARGEST_POSITION:
            raise ValueError(f"{name} is {said(size)}; expected {least} to 2^53")
    return _problems(words, list(pairings), list(bases), partial, keys, **most)


@st.composite
def _problems(draw, words, pairings, bases, partial, keys, *, max_batch, max_seq,
              max_heads, max_pairs, max_position):
    dtype = draw(st.sampled_from(words))
    sizes = [draw(st.integers(1, most)) for most in
             (max_batch, max_seq, max_heads)]
    rotary_dim = 2 * draw(st.integers(1, max_pairs))
    head_dim = rotary_dim + (draw(st.integers(0, 8)) if partial else 0)
    batch, seq, heads = sizes
    places = st.one_of(
        st.sampled_from([p for p in EDGES if p <= max_position]),
        st.integers(0, max_position))
    positions = np.array(draw(st.lists(
        places, min_size=batch * seq, max_size=batch * seq)), np.int64)
    k_heads = draw(st.integers(0, heads)) if keys else 0
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    spread = draw(st.sampled_from([0.0, 1.0, 100.0]))

    def elements(count):
        values = 1 + spread * random.standard_normal(
            (batch, seq, count, head_dim))
        return np.asarray(rounded(values, dtype), DTYPES[dtype])
    return Drawn(elements(heads), elements(k_heads) if k_heads else None,
                 positions.reshape(batch, seq), dtype,
                 draw(st.sampled_from(pairings)), draw(st.sampled_from(bases)),
                 rotary_dim)
