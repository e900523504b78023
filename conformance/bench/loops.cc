// Limits that are loops of instructions: for x86-64, and vectors of 256 bits or
// more.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "conformance/bench/limits.h"
#include "conformance/bench/plain_types.h"
#include "conformance/bench/widest.h"

#if defined(__x86_64__)
#if !defined(__clang__)  // g++ 12 warns of its own header: GCC PR 105593
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>
#endif

namespace ropeproof::conformance::bench {

#if defined(__x86_64__)
namespace {

constexpr std::size_t kHeadPairs = 64;

namespace avx512 {

#define LOOP __attribute__((target("avx512f,avx512bw,avx512dq"))) inline

using F = __m512;
using D = __m512d;

LOOP F set(float x) { return _mm512_set1_ps(x); }
LOOP D set(double x) { return _mm512_set1_pd(x); }
LOOP F fma(F a, F b, F c) { return _mm512_fmadd_ps(a, b, c); }
LOOP D fma(D a, D b, D c) { return _mm512_fmadd_pd(a, b, c); }
LOOP F load(const float* x) { return _mm512_loadu_ps(x); }
LOOP D load(const double* x) { return _mm512_loadu_pd(x); }
LOOP void store(float* x, F y) { _mm512_storeu_ps(x, y); }
LOOP F evens(const float* x) { return _mm512_moveldup_ps(load(x)); }
LOOP F odds(const float* x) { return _mm512_movehdup_ps(load(x)); }
LOOP F exchanged(F x) { return _mm512_permute_ps(x, 0xb1); }
LOOP F alternating(F even, F odd) {
  return _mm512_mask_blend_ps(0xaaaa, even, odd);
}
LOOP F twice(const float* x) {
  const __m512i from =
      _mm512_set_epi32(7, 7, 6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0);
  return _mm512_permutexvar_ps(from,
                               _mm512_castps256_ps512(_mm256_loadu_ps(x)));
}
LOOP F joined(D lower, D upper) {
  return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(lower)),
                            _mm512_cvtpd_ps(upper), 1);
}
LOOP F load(const PlainF16* x) {
  return _mm512_cvtph_ps(
      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x)));
}
LOOP void store(PlainF16* x, F y) {
  // By a mask of all lanes: of _mm512_cvtps_ph g++ warns at -O0.
  const __m256i half =
      _mm512_maskz_cvtps_ph(0xffff, y, _MM_FROUND_TO_NEAREST_INT);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(x), half);
}

#include "conformance/bench/words-inl.h"
LOOP Words apart(const float* x) {
  const __m512i evens = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12,
                                         10, 8, 6, 4, 2, 0),
                odds = _mm512_or_si512(evens, _mm512_set1_epi32(1));
  return {_mm512_permutex2var_ps(load(x), evens, load(x + 16)),
          _mm512_permutex2var_ps(load(x), odds, load(x + 16))};
}
LOOP Words load(const PlainBf16* x) {
  const __m512i words = _mm512_loadu_si512(x);
  const __m512i upper = _mm512_set1_epi32(static_cast<int>(0xffff0000));
  return {_mm512_castsi512_ps(_mm512_slli_epi32(words, 16)),
          _mm512_castsi512_ps(_mm512_and_si512(words, upper))};
}
// Both halves of a word at once: up where what is cut off, or the last bit that
// is kept with a tie, exceeds 0x8000. A sixth faster than each by itself; with
// AVX2 it gains nothing.
LOOP void store(PlainBf16* x, Words y) {
  constexpr __mmask32 kOdd = 0xaaaaaaaa;
  constexpr int kOrOfAnd = 0xf8;  // a | (b & c)
  const __m512i one = _mm512_set1_epi16(1),
                tie = _mm512_set1_epi16(static_cast<short>(0x8000)),
                even = _mm512_castps_si512(y.even),
                odd = _mm512_castps_si512(y.odd);
  const __m512i kept =
      _mm512_mask_blend_epi16(kOdd, _mm512_srli_epi32(even, 16), odd);
  const __m512i cut =
      _mm512_mask_blend_epi16(kOdd, even, _mm512_slli_epi32(odd, 16));
  const __mmask32 goes_up = _mm512_cmpgt_epu16_mask(
      _mm512_ternarylogic_epi32(cut, kept, one, kOrOfAnd), tie);
  _mm512_storeu_si512(x, _mm512_mask_add_epi16(kept, goes_up, kept, one));
}

#include "conformance/bench/loops-inl.h"
#undef LOOP

}  // namespace avx512

namespace avx2 {

#define LOOP __attribute__((target("avx2,fma,f16c"))) inline

using F = __m256;
using D = __m256d;

LOOP F set(float x) { return _mm256_set1_ps(x); }
LOOP D set(double x) { return _mm256_set1_pd(x); }
LOOP F fma(F a, F b, F c) { return _mm256_fmadd_ps(a, b, c); }
LOOP D fma(D a, D b, D c) { return _mm256_fmadd_pd(a, b, c); }
LOOP F load(const float* x) { return _mm256_loadu_ps(x); }
LOOP D load(const double* x) { return _mm256_loadu_pd(x); }
LOOP void store(float* x, F y) { _mm256_storeu_ps(x, y); }
LOOP F evens(const float* x) { return _mm256_moveldup_ps(load(x)); }
LOOP F odds(const float* x) { return _mm256_movehdup_ps(load(x)); }
LOOP F exchanged(F x) { return _mm256_permute_ps(x, 0xb1); }
LOOP F alternating(F even, F odd) { return _mm256_blend_ps(even, odd, 0xaa); }
LOOP F twice(const float* x) {
  return _mm256_permutevar8x32_ps(_mm256_castps128_ps256(_mm_loadu_ps(x)),
                                  _mm256_set_epi32(3, 3, 2, 2, 1, 1, 0, 0));
}
LOOP F joined(D lower, D upper) {
  return _mm256_set_m128(_mm256_cvtpd_ps(upper), _mm256_cvtpd_ps(lower));
}
LOOP F load(const PlainF16* x) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x)));
}
LOOP void store(PlainF16* x, F y) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(x),
                   _mm256_cvtps_ph(y, _MM_FROUND_TO_NEAREST_INT));
}

#include "conformance/bench/words-inl.h"
LOOP F in_order(F x) {
  return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(x), 0xd8));
}
LOOP Words apart(const float* x) {
  return {in_order(_mm256_shuffle_ps(load(x), load(x + 8), 0x88)),
          in_order(_mm256_shuffle_ps(load(x), load(x + 8), 0xdd))};
}
LOOP Words load(const PlainBf16* x) {
  const __m256i words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x));
  const __m256i upper = _mm256_set1_epi32(static_cast<int>(0xffff0000));
  return {_mm256_castsi256_ps(_mm256_slli_epi32(words, 16)),
          _mm256_castsi256_ps(_mm256_and_si256(words, upper))};
}
LOOP __m256i rounded(F x) {
  const __m256i bits = _mm256_castps_si256(x),
                odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16),
                                       _mm256_set1_epi32(1));
  return _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff)),
                          odd);
}
LOOP void store(PlainBf16* x, Words y) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(x),
                      _mm256_blend_epi16(_mm256_srli_epi32(rounded(y.even), 16),
                                         rounded(y.odd), 0xaa));
}

#include "conformance/bench/loops-inl.h"
#undef LOOP

}  // namespace avx2

// Calls loop(data, elements) for every stretch.
template <class E, class Loop>
void for_stretches(const Bytes& bytes, const Loop& loop) {
  auto* x = static_cast<std::byte*>(bytes.data);
  for (std::size_t i = 0; i < bytes.count; ++i, x += bytes.stride) {
    loop(reinterpret_cast<E*>(x), bytes.length / sizeof(E));
  }
}

template <class E>
void scale_as(const Bytes& bytes, float factor, bool prefetches) {
  const auto scale = vector_bits() == 512 ? avx512::scale<E> : avx2::scale<E>;
  for_stretches<E>(bytes, [=](E* x, std::size_t count) {
    scale(x, count, factor, prefetches);
  });
}

template <class E>
void rotate_as(const Bytes& bytes, bool is_interleaved, float cos, float sin,
               bool prefetches) {
  const auto rotate =
      vector_bits() == 512 ? avx512::rotate_by_one<E> : avx2::rotate_by_one<E>;
  for_stretches<E>(bytes, [=](E* x, std::size_t count) {
    rotate(x, static_cast<std::int64_t>(count / (2 * kHeadPairs)),
           is_interleaved, cos, sin, prefetches);
  });
}

}  // namespace

bool has_loops() { return vector_bits() > 128; }

void scale16_loop(const Bytes& bytes, reference::Format format, float factor,
                  Prefetch prefetch) {
  const bool prefetches = prefetch == Prefetch::kYes;
  if (format == reference::Format::kF16) {
    return scale_as<PlainF16>(bytes, factor, prefetches);
  }
  scale_as<PlainBf16>(bytes, factor, prefetches);
}

void rotate_by_one(const Bytes& bytes, reference::Format format,
                   bool is_interleaved, float cos, float sin,
                   Prefetch prefetch) {
  const bool prefetches = prefetch == Prefetch::kYes;
  switch (format) {
    case reference::Format::kF16:
      return rotate_as<PlainF16>(bytes, is_interleaved, cos, sin, prefetches);
    case reference::Format::kBF16:
      return rotate_as<PlainBf16>(bytes, is_interleaved, cos, sin, prefetches);
    default:
      return rotate_as<float>(bytes, is_interleaved, cos, sin, prefetches);
  }
}

void rotate_by_rows(const ropeproof_problem& problem, Prefetch prefetch) {
  const auto rotate = [&]<class E>(E) {
    (vector_bits() == 512
         ? avx512::rotate_tokens<E>
         : avx2::rotate_tokens<E>)(problem, prefetch == Prefetch::kYes);
  };
  switch (problem.dtype) {
    case ROPEPROOF_F16:
      return rotate(PlainF16());
    case ROPEPROOF_BF16:
      return rotate(PlainBf16());
    default:
      return rotate(float());
  }
}

#else

bool has_loops() { return false; }
void scale16_loop(const Bytes&, reference::Format, float, Prefetch) {}
void rotate_by_one(const Bytes&, reference::Format, bool, float, float,
                   Prefetch) {}
void rotate_by_rows(const ropeproof_problem&, Prefetch) {}

#endif

}  // namespace ropeproof::conformance::bench
