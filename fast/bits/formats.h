// formats.h -- bit patterns of the element types, drawn so that rounding and
// special values show.
#ifndef ROPEPROOF_FAST_BITS_FORMATS_H_
#define ROPEPROOF_FAST_BITS_FORMATS_H_

#include <cstddef>
#include <cstdint>
#include <random>

#include "fast/testing.h"

namespace ropeproof::fast {

struct Format {
  Type type;
  const char* name;
  int bits, fraction_bits;

  std::uint64_t infinity() const {
    const std::uint64_t magnitude = (std::uint64_t{1} << (bits - 1)) - 1;
    return magnitude >> fraction_bits << fraction_bits;
  }
  std::uint64_t one() const {
    return infinity() >> (fraction_bits + 1) << fraction_bits;
  }
};

inline constexpr Format kFormats[] = {{Type::kF32, "f32", 32, 23},
                                      {Type::kF16, "f16", 16, 10},
                                      {Type::kBf16, "bf16", 16, 7},
                                      {Type::kF64, "f64", 64, 52}};

enum class Fill {
  kPlain,     // magnitudes in [1/8, 2)
  kAny,       // every pattern with equal odds
  kSpecials,  // half of them zeros, subnormals, infinities, NaNs and extremes
  kTies,      // zeros, and small numbers with few digits
};
inline constexpr Fill kFills[] = {Fill::kPlain, Fill::kAny, Fill::kSpecials,
                                  Fill::kTies};

// `count` elements of a tensor.
Array drawn(const Format& format, Fill fill, std::size_t count,
            std::mt19937_64& random);

// `count` cosines or sines for tensors of the type `tensor`. kTies:
// with one digit more than the tensor's, where the table's type has as many, so
// that each times a power of two lies midway between two results.
Array drawn_cos_sin(const Format& format, Fill fill, const Format& tensor,
                    std::size_t count, std::mt19937_64& random);

}  // namespace ropeproof::fast

#endif  // ROPEPROOF_FAST_BITS_FORMATS_H_
