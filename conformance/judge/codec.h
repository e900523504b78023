// codec.h -- the formats at the speed of judging: the same numbers as
// reference/format.h, which a test compares bit for bit.
//
// Needs the processor's default state: round to nearest, subnormals kept.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "reference/format.h"

namespace ropeproof::conformance::judge {

using reference::with_format;

// reference::decode.
template <reference::Format kFormat>
inline double fast_decode(std::uint64_t bits) {
  using reference::Format;
  if constexpr (kFormat == Format::kF64) {
    return std::bit_cast<double>(bits);
  } else if constexpr (kFormat == Format::kF32) {
    return double{std::bit_cast<float>(static_cast<std::uint32_t>(bits))};
  } else if constexpr (kFormat == Format::kBF16) {
    return double{std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16)};
  } else {
    // Exponent and fraction as those of an f32, whose bias is 112 larger; the
    // largest exponent, of infinities and NaNs, stays the largest.
    const std::uint64_t largest = (bits & 0x7c00) == 0x7c00 ? 0x7f800000 : 0;
    const auto x = static_cast<std::uint32_t>((bits & 0x8000) << 16 |
                                              (bits & 0x7fff) << 13 | largest);
    return double{std::bit_cast<float>(x)} * 0x1p112;
  }
}

// reference::encode of what is no NaN.
template <reference::Format kFormat>
inline std::uint64_t encode_number(double x) {
  using reference::Format;
  if constexpr (kFormat == Format::kF64) {
    return std::bit_cast<std::uint64_t>(x);
  } else if constexpr (kFormat == Format::kF32) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(x));
  } else {
    constexpr reference::FormatTraits kTraits = reference::traits(kFormat);
    constexpr int kDropped = 53 - kTraits.precision;
    constexpr std::uint64_t kRebias =
        static_cast<std::uint64_t>(1023 - kTraits.max_exponent)
        << (kTraits.precision - 1);
    constexpr double kSmallestNormal =
        kFormat == Format::kF16 ? 0x1p-14 : 0x1p-126;
    constexpr double kTooLarge = kFormat == Format::kF16 ? 0x1p16 : 0x1p128;
    const double magnitude = std::min(std::abs(x), kTooLarge);
    // Round to nearest even; a carry moves into the exponent, up to infinity.
    std::uint64_t bits = std::bit_cast<std::uint64_t>(magnitude);
    bits += (std::uint64_t{1} << (kDropped - 1)) - 1 + (bits >> kDropped & 1);
    bits = (bits >> kDropped) - kRebias;
    // Subnormals lie as far apart as numbers of binary64 above this one.
    constexpr double kAsFarApart =
        kSmallestNormal * static_cast<double>(std::uint64_t{1} << kDropped);
    const std::uint64_t subnormal =
        std::bit_cast<std::uint64_t>(magnitude + kAsFarApart) -
        std::bit_cast<std::uint64_t>(kAsFarApart);
    const std::uint64_t sign = std::bit_cast<std::uint64_t>(x) >> 48 & 0x8000;
    return sign | (magnitude < kSmallestNormal ? subnormal : bits);
  }
}

// reference::encode.
template <reference::Format kFormat>
inline std::uint64_t fast_encode(double x) {
  if (kFormat != reference::Format::kF64 && std::isnan(x)) {
    return reference::encode(kFormat, x);
  }
  return encode_number<kFormat>(x);
}

// Decoding and encoding of a format that is known at run time alone.
inline double fast_decode(reference::Format format, std::uint64_t bits) {
  return with_format(format, [&]<reference::Format kFormat>() {
    return fast_decode<kFormat>(bits);
  });
}
inline std::uint64_t fast_encode(reference::Format format, double x) {
  return with_format(format, [&]<reference::Format kFormat>() {
    return fast_encode<kFormat>(x);
  });
}

// reference::round_to.
inline double fast_round_to(reference::Format format, double x) {
  return with_format(format, [&]<reference::Format kFormat>() {
    return fast_decode<kFormat>(fast_encode<kFormat>(x));
  });
}

// reference::ulp, for normal numbers of binary64 and 0.
template <reference::Format kFormat>
inline double fast_ulp(double x) {
  constexpr reference::FormatTraits kTraits = reference::traits(kFormat);
  constexpr double kStep = 2 * kTraits.unit_roundoff;
  constexpr double kSmallest = kFormat == reference::Format::kF64   ? 0x1p-1074
                               : kFormat == reference::Format::kF32 ? 0x1p-149
                               : kFormat == reference::Format::kF16 ? 0x1p-24
                                                                    : 0x1p-133;
  const double power = std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) &
                                             0x7ff0000000000000);
  const double ulp = power * kStep;
  return ulp > kSmallest ? ulp : kSmallest;
}

// The length of the pair (a, b) of elements in this format. sqrt is correctly
// rounded everywhere; hypot is not. Squares of f32 and narrower numbers stay in
// the range of binary64; those of f64 are scaled.
template <reference::Format kFormat>
double pair_length(double a, double b) {
  if constexpr (kFormat == reference::Format::kF64) {
    const double large = std::max(std::abs(a), std::abs(b));
    if (large == 0 || !std::isfinite(large)) return large;
    const double x = a / large, y = b / large;
    return large * std::sqrt(x * x + y * y);
  } else {
    return std::sqrt(a * a + b * b);
  }
}

}  // namespace ropeproof::conformance::judge
