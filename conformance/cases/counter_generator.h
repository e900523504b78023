// counter_generator.h -- test inputs from integers alone.
//
// Element i of stream `seed` is a function of (seed, i): no state, no library,
// no floating-point arithmetic, the same in every language.
#pragma once

#include <cstdint>

#include "reference/format.h"

namespace ropeproof::conformance::cases {

// 64 mixed bits: SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom
// number generators", OOPSLA 2014) at step i + 1 from `seed`.
[[gnu::always_inline]] constexpr std::uint64_t random_bits(std::uint64_t seed,
                                                           std::uint64_t i) {
  std::uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// A number of `format` with |x| in [1/8, 2): random sign, one of four binades
// and every bit of the fraction random. Activations look like this; and no bit
// of a significand is always zero, as it is in small integers.
[[gnu::always_inline]] constexpr std::uint64_t random_number(
    reference::Format format, std::uint64_t seed, std::uint64_t i) {
  const reference::FormatTraits f = reference::traits(format);
  const std::uint64_t r = random_bits(seed, i);
  const int fraction_bits = f.precision - 1;
  const std::uint64_t sign = r >> 63;
  const std::uint64_t binade = (r >> 61) & 3;  // 2^-3 .. 2^0
  const std::uint64_t fraction = r & ((std::uint64_t{1} << fraction_bits) - 1);
  const auto biased =
      static_cast<std::uint64_t>(1 - f.min_exponent - 3) + binade;
  return sign << (f.total_bits - 1) | biased << fraction_bits | fraction;
}

}  // namespace ropeproof::conformance::cases
