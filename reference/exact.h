// exact.h -- the exact numbers among those that rope.h defines.
//
// An enclosure of an exact number may have a width, and then Ziv's loop would
// not end on it. These functions find the exact numbers beforehand, in integer
// and rational arithmetic; prover.h takes them instead.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "reference/rope.h"
#include "reference/spec.h"

namespace ropeproof::reference {

// significand * 2^exponent; the significand is an odd integer below 2^53, or 0.
struct BinaryNumber {
  double significand = 0;
  int exponent = 0;
  bool operator==(const BinaryNumber&) const = default;
};

// theta_j with its scaling, where it is such a number: 0; a power of two in
// (R1), and nothing else if n > 0 (README.md); with a scaling or a negative n
// also others, 0.01 * 25/32 = 1/128 and 10000^(1/2) = 100.
std::optional<BinaryNumber> exact_frequency(const Rope& rope, std::int64_t j);

// The sign of llama3's rotations minus `limit` (R13) if theta_j is rational,
// and they may be equal.
std::optional<int> exact_llama3_sign(const Spec& spec, std::int64_t j,
                                     double limit);

// Whether sum_k W[k,j] p_k = 0, the coordinate of pair j. Products of binary64
// numbers cancel exactly where rounded ones might not.
bool is_at_origin(const Spec& spec, std::span<const double> position,
                  std::int64_t j);

// m_j(p) of xPos (R15) as (top/bottom)^power in lowest terms, power >= 0, where
// the exponent (p - centre)/scale_base is an integer.
struct RationalPower {
  std::int64_t top = 1, bottom = 1, power = 0;
};
std::optional<RationalPower> exact_xpos(const XPos& xpos, const Exponent& e,
                                        double position);

}  // namespace ropeproof::reference
