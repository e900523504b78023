// draw.h -- choices from a stream of random bits (counter_generator.h).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "conformance/cases/counter_generator.h"

namespace ropeproof::conformance::cases {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : seed_(seed) {}

  std::uint64_t bits() { return random_bits(seed_, count_++); }

  // low .. high, both included; as good as uniform where they are close.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    const auto count = static_cast<std::uint64_t>(high - low + 1);
    return low + static_cast<std::int64_t>(bits() % count);
  }

  // low .. high, both included, low >= 0; each power of two as likely as the
  // others.
  std::int64_t any_size(std::int64_t low, std::int64_t high) {
    const auto power = [](std::int64_t x) {
      return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(x)));
    };
    const std::int64_t bits = between(power(low), power(high));
    const std::int64_t least = bits == 0 ? 0 : std::int64_t{1} << (bits - 1);
    return between(std::max(low, least),
                   std::min(high, std::max<std::int64_t>(2 * least - 1, 0)));
  }

  bool one_in(std::int64_t count) { return between(1, count) == 1; }

  // low <= x < high, on a grid of (high - low) / 2^20: exact in binary64 for
  // small whole bounds.
  double real(double low, double high) {
    return low + (high - low) * static_cast<double>(bits() >> 44) * 0x1p-20;
  }

  template <class T, std::size_t kCount>
  T from(const T (&list)[kCount]) {
    return list[bits() % kCount];
  }

 private:
  std::uint64_t seed_;
  std::uint64_t count_ = 0;
};

}  // namespace ropeproof::conformance::cases
