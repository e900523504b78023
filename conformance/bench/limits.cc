#include "conformance/bench/limits.h"

#include <bit>
#include <cstring>

#include "conformance/bench/plain_types.h"
#include "conformance/bench/widest.h"

#if defined(__x86_64__)
#if !defined(__clang__)  // g++ 12 warns of its own header: GCC PR 105593
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#endif

namespace ropeproof::conformance::bench {
namespace {

constexpr std::size_t kLineBytes = 64, kAheadBytes = 4096;

// Replaces every element x by op(x), four cache lines at a time: a shorter loop's
// speed depends on the alignment of its code, and g++ does not vectorise one line.
template <bool kPrefetch, class T, class Op>
struct ForEach {
  Bytes bytes;
  Op op;

  __attribute__((always_inline)) void operator()() const {
    constexpr std::size_t kLine = kLineBytes / sizeof(T), kBlock = 4 * kLine;
    const Op same = op;  // which no store changes
    const std::size_t length = bytes.length / sizeof(T);
    auto* x = static_cast<T*>(bytes.data);
    for (std::size_t i = bytes.count; i > 0;
         --i, x += bytes.stride / sizeof(T)) {
      std::size_t j = 0;
      for (; j + kBlock <= length; j += kBlock) {
        for (std::size_t k = j; kPrefetch && k < j + kBlock; k += kLine) {
          __builtin_prefetch(x + k + kAheadBytes / sizeof(T), 1);
        }
        for (std::size_t k = j; k < j + kBlock; ++k) x[k] = same(x[k]);
      }
      for (; j < length; ++j) x[j] = same(x[j]);
    }
  }
};

template <class T, class Op>
void for_each(const Bytes& bytes, Prefetch prefetch, const Op& op) {
  if (prefetch == Prefetch::kYes) {
    with_widest_vectors(ForEach<true, T, Op>{bytes, op});
  } else {
    with_widest_vectors(ForEach<false, T, Op>{bytes, op});
  }
}

struct Xor {
  std::uint32_t change;
  std::uint32_t operator()(std::uint32_t word) const { return word ^ change; }
};

struct Set {
  std::uint32_t value;
  std::uint32_t operator()(std::uint32_t) const { return value; }
};

// Two bf16 numbers in a word: neither needs a shuffle.
struct ScaleBf16Pair {
  float factor;

  std::uint32_t operator()(std::uint32_t word) const {
    return scaled(word << 16) >> 16 | (scaled(word & kUpper) & kUpper);
  }

 private:
  static constexpr std::uint32_t kUpper = 0xffff0000;
  std::uint32_t scaled(std::uint32_t bits) const {
    const auto b =
        std::bit_cast<std::uint32_t>(std::bit_cast<float>(bits) * factor);
    return b + 0x7fff + (b >> 16 & 1);
  }
};

struct ScaleF16 {
  float factor;
  PlainF16 operator()(PlainF16 x) const {
    return PlainF16::narrow(PlainF16::widen(x) * factor);
  }
};

#if defined(__x86_64__)
// f16 by the processor's own conversions, which g++ 12 uses for no loop.
__attribute__((target("avx512f"))) void scale_f16_avx512(const Bytes& bytes,
                                                         float factor,
                                                         bool prefetches) {
  const __m512 by = _mm512_set1_ps(factor);
  auto* x = static_cast<std::uint16_t*>(bytes.data);
  for (std::size_t i = 0; i < bytes.count; ++i, x += bytes.stride / 2) {
    for (std::size_t j = 0; j < bytes.length / 2; j += kLineBytes / 2) {
      if (prefetches) __builtin_prefetch(x + j + kAheadBytes / 2, 1);
      for (std::size_t k = j; k < j + kLineBytes / 2; k += 16) {
        auto* const at = reinterpret_cast<__m256i*>(x + k);
        const __m512 wide = _mm512_cvtph_ps(_mm256_loadu_si256(at));
        _mm256_storeu_si256(at, _mm512_cvtps_ph(_mm512_mul_ps(wide, by),
                                                _MM_FROUND_TO_NEAREST_INT));
      }
    }
  }
}

__attribute__((target("avx2,f16c"))) void scale_f16_avx2(const Bytes& bytes,
                                                         float factor,
                                                         bool prefetches) {
  const __m256 by = _mm256_set1_ps(factor);
  auto* x = static_cast<std::uint16_t*>(bytes.data);
  for (std::size_t i = 0; i < bytes.count; ++i, x += bytes.stride / 2) {
    for (std::size_t j = 0; j < bytes.length / 2; j += kLineBytes / 2) {
      if (prefetches) __builtin_prefetch(x + j + kAheadBytes / 2, 1);
      for (std::size_t k = j; k < j + kLineBytes / 2; k += 8) {
        auto* const at = reinterpret_cast<__m128i*>(x + k);
        const __m256 wide = _mm256_cvtph_ps(_mm_loadu_si128(at));
        _mm_storeu_si128(at, _mm256_cvtps_ph(_mm256_mul_ps(wide, by),
                                             _MM_FROUND_TO_NEAREST_INT));
      }
    }
  }
}

// Interleaved pairs stay where they are: u cos - v sin and u sin + v cos from [u, u] and
// [v, v], which are duplicated as they are loaded.
__attribute__((target("avx512f"))) void rotate_avx512(
    float* x, std::size_t heads, std::size_t pairs, bool is_interleaved,
    float cos, float sin, bool prefetches) {
  constexpr __mmask16 kOdd = 0xaaaa;
  const __m512 c = _mm512_set1_ps(cos), s = _mm512_set1_ps(sin);
  const __m512 by_u = _mm512_mask_blend_ps(kOdd, c, s);
  const __m512 by_v = _mm512_mask_blend_ps(kOdd, _mm512_set1_ps(-sin), c);
  for (; heads > 0; --heads, x += 2 * pairs) {
    for (std::size_t j = 0; prefetches && j < 2 * pairs; j += 16) {
      __builtin_prefetch(x + j + kAheadBytes / sizeof *x, 1);
    }
    for (std::size_t j = 0; is_interleaved && j < 2 * pairs; j += 64) {
      for (std::size_t k = j; k < j + 64; k += 16) {
        const __m512 u = _mm512_moveldup_ps(_mm512_loadu_ps(x + k));
        const __m512 v = _mm512_movehdup_ps(_mm512_loadu_ps(x + k));
        _mm512_storeu_ps(x + k,
                         _mm512_fmadd_ps(u, by_u, _mm512_mul_ps(v, by_v)));
      }
    }
    for (std::size_t j = 0; !is_interleaved && j < pairs; j += 32) {
      for (std::size_t k = j; k < j + 32; k += 16) {
        const __m512 u = _mm512_loadu_ps(x + k);
        const __m512 v = _mm512_loadu_ps(x + pairs + k);
        _mm512_storeu_ps(x + k, _mm512_fmsub_ps(u, c, _mm512_mul_ps(v, s)));
        _mm512_storeu_ps(x + pairs + k,
                         _mm512_fmadd_ps(u, s, _mm512_mul_ps(v, c)));
      }
    }
  }
}

__attribute__((target("avx2,fma"))) void rotate_avx2(
    float* x, std::size_t heads, std::size_t pairs, bool is_interleaved,
    float cos, float sin, bool prefetches) {
  constexpr int kOdd = 0xaa;
  const __m256 c = _mm256_set1_ps(cos), s = _mm256_set1_ps(sin);
  const __m256 by_u = _mm256_blend_ps(c, s, kOdd);
  const __m256 by_v = _mm256_blend_ps(_mm256_set1_ps(-sin), c, kOdd);
  for (; heads > 0; --heads, x += 2 * pairs) {
    for (std::size_t j = 0; prefetches && j < 2 * pairs; j += 16) {
      __builtin_prefetch(x + j + kAheadBytes / sizeof *x, 1);
    }
    for (std::size_t j = 0; is_interleaved && j < 2 * pairs; j += 64) {
      for (std::size_t k = j; k < j + 64; k += 8) {
        const __m256 u = _mm256_moveldup_ps(_mm256_loadu_ps(x + k));
        const __m256 v = _mm256_movehdup_ps(_mm256_loadu_ps(x + k));
        _mm256_storeu_ps(x + k,
                         _mm256_fmadd_ps(u, by_u, _mm256_mul_ps(v, by_v)));
      }
    }
    for (std::size_t j = 0; !is_interleaved && j < pairs; j += 32) {
      for (std::size_t k = j; k < j + 32; k += 8) {
        const __m256 u = _mm256_loadu_ps(x + k);
        const __m256 v = _mm256_loadu_ps(x + pairs + k);
        _mm256_storeu_ps(x + k, _mm256_fmsub_ps(u, c, _mm256_mul_ps(v, s)));
        _mm256_storeu_ps(x + pairs + k,
                         _mm256_fmadd_ps(u, s, _mm256_mul_ps(v, c)));
      }
    }
  }
}

// Both halves of a word at once: up where what is cut off, or the last bit that is
// kept with a tie, exceeds 0x8000. A sixth faster than what g++ 12 makes of
// ScaleBf16Pair; with AVX2 it gains nothing.
__attribute__((target("avx512f,avx512bw"))) void scale_bf16_avx512(
    const Bytes& bytes, float factor, bool prefetches) {
  constexpr __mmask32 kOdd = 0xaaaaaaaa;
  constexpr int kOrOfAnd = 0xf8;  // a | (b & c)
  const __m512 by = _mm512_set1_ps(factor);
  const __m512i upper = _mm512_set1_epi32(static_cast<int>(0xffff0000)),
                one = _mm512_set1_epi16(1),
                tie = _mm512_set1_epi16(static_cast<short>(0x8000));
  auto* x = static_cast<std::byte*>(bytes.data);
  for (std::size_t i = 0; i < bytes.count; ++i, x += bytes.stride) {
    for (std::size_t j = 0; j < bytes.length; j += kLineBytes) {
      if (prefetches) __builtin_prefetch(x + j + kAheadBytes, 1);
      const __m512i words = _mm512_loadu_si512(x + j);
      const __m512i even = _mm512_castps_si512(
          _mm512_mul_ps(_mm512_castsi512_ps(_mm512_slli_epi32(words, 16)), by));
      const __m512i odd = _mm512_castps_si512(_mm512_mul_ps(
          _mm512_castsi512_ps(_mm512_and_si512(words, upper)), by));
      const __m512i kept =
          _mm512_mask_blend_epi16(kOdd, _mm512_srli_epi32(even, 16), odd);
      const __m512i cut =
          _mm512_mask_blend_epi16(kOdd, even, _mm512_slli_epi32(odd, 16));
      const __mmask32 goes_up = _mm512_cmpgt_epu16_mask(
          _mm512_ternarylogic_epi32(cut, kept, one, kOrOfAnd), tie);
      _mm512_storeu_si512(x + j,
                          _mm512_mask_add_epi16(kept, goes_up, kept, one));
    }
  }
}
#endif

}  // namespace

void touch(const Bytes& bytes, std::uint32_t change, Prefetch prefetch) {
  for_each<std::uint32_t>(bytes, prefetch, Xor{change});
}

void scale16(const Bytes& bytes, reference::Format format, float factor,
             Prefetch prefetch) {
  const bool is_f16 = format == reference::Format::kF16;
#if defined(__x86_64__)
  const bool prefetches = prefetch == Prefetch::kYes;
  if (vector_bits() == 512) {
    return (is_f16 ? scale_f16_avx512 : scale_bf16_avx512)(bytes, factor,
                                                           prefetches);
  }
  if (is_f16 && vector_bits() == 256) {
    return scale_f16_avx2(bytes, factor, prefetches);
  }
#endif
  if (is_f16) {
    for_each<PlainF16>(bytes, prefetch, ScaleF16{factor});
  } else {
    for_each<std::uint32_t>(bytes, prefetch, ScaleBf16Pair{factor});
  }
}

bool rotate_by_one(const Bytes& bytes, std::size_t pairs, bool is_interleaved,
                   float cos, float sin, Prefetch prefetch) {
#if defined(__x86_64__)
  if (vector_bits() > 128) {
    const auto rotate = vector_bits() == 512 ? rotate_avx512 : rotate_avx2;
    for (std::size_t i = 0; i < bytes.count; ++i) {
      rotate(reinterpret_cast<float*>(static_cast<std::byte*>(bytes.data) +
                                      i * bytes.stride),
             bytes.length / (2 * pairs * sizeof(float)), pairs, is_interleaved,
             cos, sin, prefetch == Prefetch::kYes);
    }
    return true;
  }
#endif
  return false;
}

void fill(const Bytes& bytes, std::uint32_t value) {
  for_each<std::uint32_t>(bytes, Prefetch::kNo, Set{value});
}

void fill_past(const Bytes& bytes, std::uint32_t value) {
#if defined(__x86_64__)
  const __m128i same = _mm_set1_epi32(static_cast<int>(value));
  auto* x = static_cast<std::byte*>(bytes.data);
  for (std::size_t i = 0; i < bytes.count; ++i, x += bytes.stride) {
    for (std::size_t j = 0; j < bytes.length; j += sizeof same) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(x + j), same);
    }
  }
  _mm_sfence();
#else
  fill(bytes, value);
#endif
}

void copy(const Bytes& bytes, void* room) {
  for (std::size_t i = 0; i < bytes.count; ++i) {
    std::memcpy(static_cast<std::byte*>(room) + i * bytes.stride,
                static_cast<const std::byte*>(bytes.data) + i * bytes.stride,
                bytes.length);
  }
}

}  // namespace ropeproof::conformance::bench
