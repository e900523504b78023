#include "conformance/bench/limits.h"

#include <bit>

#include "conformance/bench/plain_types.h"
#include "conformance/bench/widest.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ropeproof::conformance::bench {
namespace {

// Replaces every element x by op(x), four cache lines at a time: a shorter
// loop's speed depends on the alignment of its code, and g++ does not vectorise
// one line.
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

}  // namespace

void touch(const Bytes& bytes, std::uint32_t change, Prefetch prefetch) {
  for_each<std::uint32_t>(bytes, prefetch, Xor{change});
}

void scale16(const Bytes& bytes, reference::Format format, float factor,
             Prefetch prefetch) {
  if (has_loops()) return scale16_loop(bytes, format, factor, prefetch);
  if (format == reference::Format::kF16) {
    for_each<PlainF16>(bytes, prefetch, ScaleF16{factor});
  } else {
    for_each<std::uint32_t>(bytes, prefetch, ScaleBf16Pair{factor});
  }
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

}  // namespace ropeproof::conformance::bench
