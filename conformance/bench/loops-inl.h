// loops-inl.h -- the loops of limits.h for one width of vectors. Included by
// loops.cc once for each, within a namespace; LOOP_BYTES is the width, LOOP
// what a function needs to use it.

typedef float F __attribute__((vector_size(LOOP_BYTES)));
typedef double D __attribute__((vector_size(LOOP_BYTES)));
typedef std::uint32_t U __attribute__((vector_size(LOOP_BYTES)));
typedef std::uint16_t H __attribute__((vector_size(LOOP_BYTES)));

constexpr std::size_t kLanes = LOOP_BYTES / sizeof(float);

// Two vectors: 2 * kLanes elements one after the other; of bf16, the lower and
// the upper halves of words, which no shuffle separates.
struct V {
  F a, b;
};
LOOP V operator*(V x, V y) { return {x.a * y.a, x.b * y.b}; }
LOOP V operator+(V x, V y) { return {x.a + y.a, x.b + y.b}; }
LOOP V operator-(V x, V y) { return {x.a - y.a, x.b - y.b}; }
constexpr std::size_t kStep = 2 * kLanes;

LOOP F set(float x) { return x - F{}; }

template <class T>
LOOP T read(const void* from) {
  T x;
  std::memcpy(&x, from, sizeof x);
  return x;
}
template <class T>
LOOP void write(void* to, T x) {
  std::memcpy(to, &x, sizeof x);
}

// The lanes kFrom(0), kFrom(1), ... of a and b.
template <auto kFrom, class T, std::size_t... i>
LOOP T pick(T a, T b, std::index_sequence<i...>) {
  return __builtin_shufflevector(a, b, kFrom(i)...);
}
template <auto kFrom, class T>
LOOP T pick(T a, T b) {
  return pick<kFrom>(a, b, std::make_index_sequence<sizeof a / sizeof a[0]>());
}
template <class T>
LOOP T alternating(T even, T odd) {
  constexpr std::size_t kCount = sizeof even / sizeof even[0];
  return pick<[](std::size_t i) { return i % 2 * kCount + i; }>(even, odd);
}

LOOP V load(const PlainF32* x) { return {read<F>(x), read<F>(x + kLanes)}; }
LOOP void store(PlainF32* x, V y) {
  write(x, y.a);
  write(x + kLanes, y.b);
}

LOOP V load(const PlainBf16* x) {
  const U words = read<U>(x);
  return {(F)(words << 16), (F)(words & 0xffff0000)};
}
LOOP U rounded(U x) { return x + 0x7fff + (x >> 16 & 1); }
LOOP void store(PlainBf16* x, V y) {
  U even = (U)y.a, odd = (U)y.b;
  if constexpr (LOOP_BYTES < 64) {
    write(x, alternating((H)(rounded(even) >> 16), (H)rounded(odd)));
  } else {
    // Both halves of a word at once: up where what is cut off, or the last bit
    // that is kept with a tie, exceeds 0x8000. A sixth faster by AVX-512; by
    // AVX2, which compares no unsigned numbers, slower.
    const H kept = alternating((H)(even >> 16), (H)odd),
            cut = alternating((H)even, (H)(odd << 16));
    write(x, kept - (H)((cut | (kept & 1)) > 0x8000));
  }
}

#if LOOP_BYTES > 16
#if LOOP_BYTES == 64
using Halves = __m256i;
LOOP F widened(Halves x) { return _mm512_cvtph_ps(x); }
LOOP void narrow(PlainF16* x, F y) {
  _mm256_storeu_si256(reinterpret_cast<Halves*>(x),
                      _mm512_cvtps_ph(y, _MM_FROUND_TO_NEAREST_INT));
}
#else
using Halves = __m128i;
LOOP F widened(Halves x) { return _mm256_cvtph_ps(x); }
LOOP void narrow(PlainF16* x, F y) {
  _mm_storeu_si128(reinterpret_cast<Halves*>(x),
                   _mm256_cvtps_ph(y, _MM_FROUND_TO_NEAREST_INT));
}
#endif
LOOP V load(const PlainF16* x) {
  return {widened(read<Halves>(x)), widened(read<Halves>(x + kLanes))};
}
LOOP void store(PlainF16* x, V y) {
  narrow(x, y.a);
  narrow(x + kLanes, y.b);
}
#endif

// Replaces each cache line by what `op` makes of it, four lines at a time: a
// shorter loop's speed depends on the alignment of its code.
template <bool kPrefetch, class Op>
LOOP void each_line(std::byte* x, std::size_t length, Op op) {
  std::size_t i = 0;
  for (; i + 4 * kLineBytes <= length; i += 4 * kLineBytes) {
    for (std::size_t k = 0; kPrefetch && k < 4; ++k) {
      __builtin_prefetch(x + i + k * kLineBytes + kAheadBytes, 1);
    }
#pragma GCC unroll 4
    for (std::size_t k = 0; k < 4; ++k) op(x + i + k * kLineBytes);
  }
  for (; i < length; i += kLineBytes) op(x + i);
}
template <class Op>
LOOP void each_line(const Bytes& bytes, Prefetch prefetch, Op op) {
  const auto [data, count, length, stride] = bytes;
  auto* x = static_cast<std::byte*>(data);
  for (std::size_t i = 0; i < count; ++i, x += stride) {
    if (prefetch == Prefetch::kYes) {
      each_line<true>(x, length, op);
    } else {
      each_line<false>(x, length, op);
    }
  }
}

struct Xor {
  std::uint32_t change;
  LOOP void operator()(std::byte* x) const {
    for (std::size_t i = 0; i < kLineBytes; i += sizeof(U)) {
      write(x + i, read<U>(x + i) ^ change);
    }
  }
};
LOOP void touch(const Bytes& bytes, std::uint32_t change, Prefetch prefetch) {
  each_line(bytes, prefetch, Xor{change});
}

struct Set {
  std::uint32_t value;
  LOOP void operator()(std::byte* x) const {
    for (std::size_t i = 0; i < kLineBytes; i += sizeof(U)) {
      write(x + i, value - U{});
    }
  }
};
LOOP void fill(const Bytes& bytes, std::uint32_t value) {
  each_line(bytes, Prefetch::kNo, Set{value});
}

template <class E>
struct Scale {
  float factor;
  LOOP void operator()(std::byte* bytes) const {
    E* const x = reinterpret_cast<E*>(bytes);
    constexpr std::size_t kCount = kLineBytes / sizeof(E);
    if constexpr (LOOP_BYTES == 16 && std::is_same_v<E, PlainF16>) {
      for (std::size_t i = 0; i < kCount; ++i) {
        x[i] = E::narrow(E::widen(x[i]) * factor);
      }
    } else {
      const V by{set(factor), set(factor)};
      for (std::size_t i = 0; i < kCount; i += kStep) {
        store(x + i, load(x + i) * by);
      }
    }
  }
};
template <class E>
LOOP void scale(const Bytes& bytes, float factor, Prefetch prefetch) {
  each_line(bytes, prefetch, Scale<E>{factor});
}

#if LOOP_BYTES > 16
LOOP V alternating(V even, V odd) {
  return {alternating(even.a, odd.a), alternating(even.b, odd.b)};
}
template <auto kFrom>
LOOP V pick(V x) {
  return {pick<kFrom>(x.a, x.a), pick<kFrom>(x.b, x.b)};
}

// The cosines, or the sines, of the pairs that rotate() finds in a V.
template <class E, bool kInterleaved>
LOOP V load_row(const float* row) {
  constexpr bool kIsBf16 = std::is_same_v<E, PlainBf16>;
  const F a = read<F>(row);
  if constexpr (kIsBf16 && kInterleaved) {
    return {a, a};
  } else if constexpr (kInterleaved) {
    return {pick<[](std::size_t i) { return i / 2; }>(a, a),
            pick<[](std::size_t i) { return (kLanes + i) / 2; }>(a, a)};
  } else {
    const F b = read<F>(row + kLanes);
    if constexpr (!kIsBf16) return {a, b};
    return {pick<[](std::size_t i) { return 2 * i; }>(a, b),
            pick<[](std::size_t i) { return 2 * i + 1; }>(a, b)};
  }
}

// Rotates heads, `step` elements apart, by kLoaded vectors of cosines and
// sines, again and again.
template <class E, bool kInterleaved, std::size_t kLoaded>
LOOP void rotate(E* x, std::int64_t heads, std::int64_t step,
                 const V (&cos)[kLoaded], const V (&sin)[kLoaded],
                 Prefetch prefetch) {
  constexpr bool kIsBf16 = std::is_same_v<E, PlainBf16>;
  constexpr std::size_t kCount = (kInterleaved ? 2 : 1) * kHeadPairs / kStep;
  V c[kLoaded], s[kLoaded];
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kLoaded; ++i) {
    c[i] = cos[i];
    s[i] = sin[i];
    if constexpr (kInterleaved && !kIsBf16) {
      s[i] = alternating(V{} - sin[i], sin[i]);
    }
  }
  for (; heads > 0; --heads, x += step) {
    for (std::size_t i = 0; prefetch == Prefetch::kYes && i < 2 * kHeadPairs;
         i += kLineBytes / sizeof(E)) {
      __builtin_prefetch(x + i + kAheadBytes / sizeof(E), 1);
    }
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kCount; ++i) {
      E* const u = x + i * kStep;
      const V c_i = c[i % kLoaded], s_i = s[i % kLoaded], x_u = load(u);
      if constexpr (!kInterleaved) {
        const V x_v = load(u + kHeadPairs);
        store(u, x_u * c_i - x_v * s_i);
        store(u + kHeadPairs, x_u * s_i + x_v * c_i);
      } else if constexpr (kIsBf16) {
        store(u,
              V{x_u.a * c_i.a - x_u.b * s_i.a, x_u.a * s_i.a + x_u.b * c_i.a});
      } else {
        store(u,
              x_u * c_i + pick<[](std::size_t k) { return k ^ 1; }>(x_u) * s_i);
      }
    }
  }
}

template <class E>
LOOP void rotate_by_one(const Bytes& bytes, bool is_interleaved, float cos,
                        float sin, Prefetch prefetch) {
  const auto [data, count, length, stride] = bytes;
  const V c[] = {{set(cos), set(cos)}}, s[] = {{set(sin), set(sin)}};
  const auto heads = static_cast<std::int64_t>(length / sizeof(E)) / kLoopDim;
  auto* x = static_cast<std::byte*>(data);
  for (std::size_t i = 0; i < count; ++i, x += stride) {
    E* const first = reinterpret_cast<E*>(x);
    if (is_interleaved) {
      rotate<E, true>(first, heads, kLoopDim, c, s, prefetch);
    } else {
      rotate<E, false>(first, heads, kLoopDim, c, s, prefetch);
    }
  }
}

// A row of cosines and sines by Taylor's series in binary64, in quarters of the
// circle, as many terms as f32 needs: the first ones left out are below
// (pi/4)^12 / 12! < 2^-33. No signs of quadrants, no look for what rounds
// wrongly.
LOOP void form(double position, const double* theta, float* cos, float* sin) {
  typedef float Half __attribute__((vector_size(LOOP_BYTES / 2)));
  constexpr double kToEven =
      0x1.8p52;  // x + this - this is the nearest integer
  const double p = position * (2 * std::numbers::inv_pi);
  for (std::size_t i = 0; i < kHeadPairs; i += kLanes / 2) {
    const D hi = read<D>(theta + i);
    const D shifted = p * hi + kToEven, d = p * hi + (kToEven - shifted);
    const D r = p * (hi * 0x1p-53) + d, z = r * r;
    D c = z - z + kTaylor[10], s = z - z + kTaylor[11];
#pragma GCC unroll 5
    for (std::size_t n = 10; n > 0; n -= 2) {
      c = c * z + kTaylor[n - 2];
      s = s * z + kTaylor[n - 1];
    }
    write(cos + i, __builtin_convertvector(c, Half));
    write(sin + i, __builtin_convertvector(s * r, Half));
  }
}

// Rotates a tensor's tokens from `first` on by rows of cosines and sines: all
// heads of a token, or, where a head's tokens are nearer to each other, the
// tokens of four heads, as many streams of memory as cores follow well.
template <class E, bool kInterleaved>
LOOP_OUT void rotate_by_rows(const ropeproof_tensor& t, std::int64_t first,
                             std::int64_t count, const float* cos,
                             const float* sin, std::int64_t stride,
                             Prefetch prefetch) {
  constexpr std::size_t kPairs = kInterleaved ? kLanes : kStep;  // of a V
  constexpr std::size_t kLoaded = kHeadPairs / kPairs;
  const bool is_head_major = t.out_head_stride > t.out_token_stride;
  const std::int64_t most = is_head_major ? 4 : t.heads;
  for (std::int64_t h = 0; h < t.heads; h += most) {
    for (std::int64_t i = 0; i < count; ++i) {
      V c[kLoaded], s[kLoaded];
#pragma GCC unroll 16
      for (std::size_t k = 0; k < kLoaded; ++k) {
        c[k] = load_row<E, kInterleaved>(cos + i * stride + k * kPairs);
        s[k] = load_row<E, kInterleaved>(sin + i * stride + k * kPairs);
      }
      rotate<E, kInterleaved>(static_cast<E*>(t.out) + h * t.out_head_stride +
                                  (first + i) * t.out_token_stride,
                              std::min(most, t.heads - h), t.out_head_stride, c,
                              s, prefetch);
    }
  }
}

template <class E>
LOOP void rotate_by_rows(const ropeproof_problem& p, Prefetch prefetch) {
  constexpr std::int64_t kTokens = 32;  // whose rows stay in the nearest cache
  alignas(64) float formed[2][kTokens * kHeadPairs];
  for (std::int64_t first = 0; first < p.seq; first += kTokens) {
    const std::int64_t count = std::min(kTokens, p.seq - first);
    const float *cos = formed[0], *sin = formed[1];
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
           ? rotate_by_rows<E, true>
           : rotate_by_rows<E, false>)(*t, first, count, cos, sin, stride,
                                       prefetch);
    }
  }
}
#endif

// Plain C++: rotates the heads of one token in place. `a` and `b` never meet:
// their distance is odd or at least `pairs`.
template <class E>
LOOP void rotate_plainly(E* __restrict a, E* __restrict b, std::int64_t step,
                         std::int64_t pairs, const float* __restrict c,
                         const float* __restrict s) {
  for (std::int64_t j = 0; j < pairs; ++j) {
    const float u = E::widen(a[j * step]), v = E::widen(b[j * step]);
    a[j * step] = E::narrow(u * c[j] - v * s[j]);
    b[j * step] = E::narrow(v * c[j] + u * s[j]);
  }
}
template <class E>
LOOP void rotate_plainly(const ropeproof_problem& p, const ropeproof_tensor& t,
                         std::int64_t token, const float* cos,
                         const float* sin) {
  const std::int64_t pairs = p.rotary_dim / 2;
  E* head = static_cast<E*>(t.out) + token * t.out_token_stride;
  for (std::int64_t h = 0; h < t.heads; ++h, head += t.out_head_stride) {
    if (p.pairing == ROPEPROOF_INTERLEAVED) {
      rotate_plainly(head, head + 1, 2, pairs, cos, sin);
    } else {
      rotate_plainly(head, head + pairs, 1, pairs, cos, sin);
    }
  }
}

template <class E>
constexpr Loops loops_of() {
  Loops loops{touch, fill, scale<E>, rotate_plainly<E>};
#if LOOP_BYTES > 16
  loops.rotate_by_one = rotate_by_one<E>;
  loops.rotate_by_rows = rotate_by_rows<E>;
#endif
  return loops;
}
inline constexpr Loops kLoops[] = {loops_of<PlainF32>(), loops_of<PlainF16>(),
                                   loops_of<PlainBf16>()};
