// loops-inl.h -- rotations of heads of 128 channels, and scalings of 16-bit
// types, as loops of instructions. Included by loops.cc once for each width of
// vectors, within a namespace that has vectors F of floats and D of doubles,
// what loads, stores and arranges them, and LOOP, what a function needs to use
// them.

constexpr std::size_t kLanes = sizeof(F) / sizeof(float);
// Elements of a load: a Words holds two bf16 in each lane.
template <class E>
constexpr std::size_t kStep =
    std::is_same_v<E, PlainBf16> ? 2 * kLanes : kLanes;

template <class E>
LOOP void scale(E* x, std::size_t count, float factor, bool prefetches) {
  const F by = set(factor);
  for (std::size_t i = 0; i < count; i += kLineBytes / sizeof(E)) {
    if (prefetches) __builtin_prefetch(x + i + kAheadBytes / sizeof(E), 1);
    for (std::size_t k = i; k < i + kLineBytes / sizeof(E); k += kStep<E>) {
      store(x + k, load(x + k) * by);
    }
  }
}

// Half-split pairs, their first members at u, the second ones at v.
template <class E, class V>
LOOP void rotate_split(E* u, E* v, V c, V s) {
  const auto x_u = load(u), x_v = load(v);
  store(u, fma(x_u, c, -(x_v * s)));
  store(v, fma(x_u, s, x_v * c));
}

// Interleaved pairs, f32 and f16 as they lie, by what `arrange` makes of c and
// s: f32 pairs are duplicated as they are loaded, f16 ones exchanged when they
// are converted.
LOOP void rotate_interleaved(float* x, F by_u, F by_v) {
  store(x, fma(evens(x), by_u, odds(x) * by_v));
}
LOOP void rotate_interleaved(PlainF16* x, F c, F s) {
  const F pairs = load(x);
  store(x, fma(pairs, c, exchanged(pairs) * s));
}
LOOP void rotate_interleaved(PlainBf16* x, F c, F s) {
  const auto pairs = load(x);
  store(x, {fma(pairs.even, c, -(pairs.odd * s)),
            fma(pairs.even, s, pairs.odd * c)});
}
LOOP void arrange(float*, F& c, F& s) {
  const F cos = c;
  c = alternating(cos, s);
  s = alternating(-s, cos);
}
LOOP void arrange(PlainF16*, F&, F& s) { s = alternating(-s, s); }
LOOP void arrange(PlainBf16*, F&, F&) {}

// Rotates heads, `step` elements apart, by kLoaded vectors of cosines and
// sines, again and again.
template <std::size_t kLoaded, bool kInterleaved, class E, class V>
LOOP void rotate(E* x, std::int64_t heads, std::int64_t step, const V* cos,
                 const V* sin, bool prefetches) {
  V c[kLoaded], s[kLoaded];
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kLoaded; ++i) {
    c[i] = cos[i];
    s[i] = sin[i];
  }
  for (; heads > 0; --heads, x += step) {
    for (std::size_t i = 0; prefetches && i < 2 * kHeadPairs;
         i += kLineBytes / sizeof(E)) {
      __builtin_prefetch(x + i + kAheadBytes / sizeof(E), 1);
    }
    if constexpr (kInterleaved) {
#pragma GCC unroll 16
      for (std::size_t i = 0; i < 2 * kHeadPairs / kStep<E>; ++i) {
        rotate_interleaved(x + i * kStep<E>, c[i % kLoaded], s[i % kLoaded]);
      }
    } else {
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kHeadPairs / kStep<E>; ++i) {
        rotate_split(x + i * kStep<E>, x + kHeadPairs + i * kStep<E>,
                     c[i % kLoaded], s[i % kLoaded]);
      }
    }
  }
}

template <class E>
LOOP void rotate_by_one(E* x, std::int64_t heads, bool is_interleaved,
                        float cos, float sin, bool prefetches) {
  F c = set(cos), s = set(sin);
  if (!is_interleaved) {
    return rotate<1, false>(x, heads, 2 * kHeadPairs, &c, &s, prefetches);
  }
  arrange(x, c, s);
  rotate<1, true>(x, heads, 2 * kHeadPairs, &c, &s, prefetches);
}

// A row of cosines and sines by Taylor's series in binary64, as many terms as
// f32 needs: the first ones left out are below (pi/4)^12 / 12! < 2^-33. No
// signs of quadrants, no look for what rounds wrongly.
LOOP void form(double position, const double* theta, float* cos, float* sin) {
  constexpr double kQuarter = 0.63661977236758134308;
  const D magic = set(0x1.8p52), p = set(position * kQuarter);
  for (std::size_t i = 0; i < kHeadPairs; i += kLanes) {
    D c[2], s[2];
#pragma GCC unroll 2
    for (std::size_t k = 0; k < 2; ++k) {
      const D hi = load(theta + i + k * kLanes / 2);
      const D shifted = fma(p, hi, magic), d = fma(p, hi, magic - shifted);
      const D r = fma(p, hi * 0x1p-53, d), z = r * r;
      D by_r =
          fma(set(-3.5988432352120853e-06), z, set(1.6044118478735982e-04));
      by_r = fma(by_r, z, set(-4.6817541353186881e-03));
      by_r = fma(by_r, z, set(7.9692626246167046e-02));
      by_r = fma(by_r, z, set(-6.4596409750624625e-01));
      s[k] = fma(by_r, z, set(1.5707963267948966)) * r;
      D sum = fma(set(-2.5202042373060605e-05), z, set(9.1926027483942659e-04));
      sum = fma(sum, z, set(-2.0863480763352961e-02));
      sum = fma(sum, z, set(2.5366950790104802e-01));
      sum = fma(sum, z, set(-1.2337005501361698));
      c[k] = fma(sum, z, set(1.0));
    }
    store(cos + i, joined(c[0], c[1]));
    store(sin + i, joined(s[0], s[1]));
  }
}

// The cosines, or the sines, of vector k of pairs, as `rotate` takes them but
// for `arrange`.
template <bool kInterleaved, class E>
LOOP auto load_row(const float* row, std::size_t k) {
  constexpr bool kIsBf16 = std::is_same_v<E, PlainBf16>;
  if constexpr (kIsBf16 && !kInterleaved) {
    return apart(row + k * kStep<E>);
  } else if constexpr (kIsBf16 || !kInterleaved) {
    return load(row + k * kLanes);
  } else {
    return twice(row + k * kLanes / 2);
  }
}

// Rotates a tensor's tokens from `first` on by rows of cosines and sines: all
// heads of a token, or, where a head's tokens are nearer to each other, the
// tokens of four heads, which are as many streams of memory as cores follow
// well.
template <bool kInterleaved, class E>
LOOP void rotate_by_rows(const ropeproof_tensor& t, std::int64_t first,
                         std::int64_t count, const float* cos, const float* sin,
                         std::int64_t stride, bool prefetches) {
  constexpr std::size_t kLoaded =
      (kInterleaved ? 2 : 1) * kHeadPairs / kStep<E>;
  const bool is_head_major = t.out_head_stride > t.out_token_stride;
  const std::int64_t most = is_head_major ? 4 : t.heads;
  for (std::int64_t h = 0; h < t.heads; h += most) {
    for (std::int64_t i = 0; i < count; ++i) {
      E* const x = static_cast<E*>(t.out) + h * t.out_head_stride +
                   (first + i) * t.out_token_stride;
      decltype(load_row<kInterleaved, E>(cos, 0)) c[kLoaded], s[kLoaded];
#pragma GCC unroll 16
      for (std::size_t k = 0; k < kLoaded; ++k) {
        c[k] = load_row<kInterleaved, E>(cos + i * stride, k);
        s[k] = load_row<kInterleaved, E>(sin + i * stride, k);
        if constexpr (kInterleaved) arrange(x, c[k], s[k]);
      }
      rotate<kLoaded, kInterleaved>(x, std::min(most, t.heads - h),
                                    t.out_head_stride, c, s, prefetches);
    }
  }
}

template <class E>
LOOP void rotate_tokens(const ropeproof_problem& p, bool prefetches) {
  constexpr std::int64_t kTokens = 32;  // whose rows stay in the nearest cache
  alignas(64) float formed[2][kTokens * kHeadPairs];
  for (std::int64_t first = 0; first < p.seq; first += kTokens) {
    const std::int64_t count = std::min(kTokens, p.seq - first);
    const float* cos = formed[0];
    const float* sin = formed[1];
    std::int64_t stride = kHeadPairs;
    if (p.operation == ROPEPROOF_ROPE) {
      for (std::int64_t i = 0; i < count; ++i) {
        form(static_cast<double>(p.positions[first + i]), p.inv_freq,
             formed[0] + i * stride, formed[1] + i * stride);
      }
    } else {
      stride = p.table_token_stride;
      cos = static_cast<const float*>(p.cos) + first * stride;
      sin = static_cast<const float*>(p.sin) + first * stride;
    }
    for (const ropeproof_tensor* t : {&p.q, &p.k}) {
      (p.pairing == ROPEPROOF_INTERLEAVED
           ? rotate_by_rows<true, E>
           : rotate_by_rows<false, E>)(*t, first, count, cos, sin, stride,
                                       prefetches);
    }
  }
}
