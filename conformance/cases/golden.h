// golden.h -- what is true of a problem.
//
// Goldens are binary64 rounded to odd (reference/golden.h), so one ordinary
// cast to f32, f16 or bf16 is correctly rounded. A problem in f64 needs more:
// its goldens are pairs, hi rounded to nearest and lo = y - hi rounded to
// nearest.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "conformance/cases/problem.h"

namespace ropeproof::conformance::cases {

// The number that a golden, or its lower half, stands for.
inline double value_of(std::uint64_t golden) {
  return std::bit_cast<double>(golden);
}
// Goldens, each rounded once.
inline Bits rounded_to(reference::Format format, const Bits& goldens) {
  Bits bits;
  for (const std::uint64_t golden : goldens) {
    bits.push_back(encode(format, value_of(golden)));
  }
  return bits;
}

// What an output element must be where no real number says it: patterns that
// stand in place of a golden, of problems with `is_special` alone.
inline constexpr std::uint64_t kMustBeNan = 0x7ff8000000000000;
inline constexpr std::uint64_t kMustNotBeFinite = 0x7ff8000000000001;
inline constexpr std::uint64_t kMustBePlusInfinity = 0x7ff0000000000000;
inline constexpr std::uint64_t kMustBeMinusInfinity = 0xfff0000000000000;

struct Golden {
  int precision_bits = 0;         // the widest working precision used
  double amplitude = 1;           // m: the specification's or its scaling's
  Bits pair_amplitude;            // xPos: m of every pair, shaped as cos
  Bits inv_freq_hi, inv_freq_lo;  // [rotary_dim/2], binary64 to nearest
  Bits cos, sin;                  // [batch, seq, rotary_dim/2], times m
  Bits q, k;                      // shaped as the problem's; of a permutation,
                                  // q alone, whose bits are of its dtype
  Bits cos_lo, sin_lo, q_lo, k_lo;  // of f64 problems; else empty

  // m of pair j at a token.
  double amplitude_of(std::int64_t token, std::int64_t j) const {
    const std::int64_t pairs = std::ssize(inv_freq_hi);
    return pair_amplitude.empty()
               ? amplitude
               : value_of(reference::at(pair_amplitude, token * pairs + j));
  }
};

// One tensor of a golden: what its file calls it, where it is and how large.
struct GoldenTensor {
  const char* key;
  Bits Golden::*bits;
  Bits Golden::*hi;        // of a lo, what it belongs to; else as `bits`
  std::int64_t rows, row;  // `rows` rows of `row` elements
  std::int64_t per_token;  // rows of each token; 0: they belong to none
  bool is_present = true;  // else it is empty, and not in the file
};

// All tensors of a rotation's golden, in the order of a file.
inline std::vector<GoldenTensor> golden_tensors(const Problem& p) {
  using G = Golden;
  const std::int64_t n = p.pairs(), d = p.spec.layout.head_dim, t = p.tokens(),
                     q = t * p.q_heads, k = t * p.k_heads;
  const bool is_f64 = p.dtype == reference::Format::kF64;
  return {{"inv_freq_hi", &G::inv_freq_hi, &G::inv_freq_hi, 1, n, 0},
          {"inv_freq_lo", &G::inv_freq_lo, &G::inv_freq_hi, 1, n, 0},
          {"cos", &G::cos, &G::cos, t, n, 1},
          {"sin", &G::sin, &G::sin, t, n, 1},
          {"q", &G::q, &G::q, q, d, p.q_heads},
          {"k", &G::k, &G::k, k, d, p.k_heads},
          {"cos_lo", &G::cos_lo, &G::cos, t, n, 1, is_f64},
          {"sin_lo", &G::sin_lo, &G::sin, t, n, 1, is_f64},
          {"q_lo", &G::q_lo, &G::q, q, d, p.q_heads, is_f64},
          {"k_lo", &G::k_lo, &G::k, k, d, p.k_heads, is_f64},
          {"pair_amplitude", &G::pair_amplitude, &G::pair_amplitude, t, n, 1,
           p.spec.frequencies.xpos.has_value()}};
}

}  // namespace ropeproof::conformance::cases
