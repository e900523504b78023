// exact.h -- questions about exact zeros, powers and rationals.
//
// An enclosure of an exact number may have a width, and then Ziv's loop would
// not end on it. These functions find the exact numbers beforehand, in integer
// and rational arithmetic.
#ifndef ROPEPROOF_REFERENCE_EXACT_H_
#define ROPEPROOF_REFERENCE_EXACT_H_

#include <cstdint>
#include <optional>
#include <span>

#include "reference/scaling.h"
#include "reference/spec.h"

namespace ropeproof::reference {

// Only powers of two can be exact: let base = B/2^e and suppose theta =
// base^(-n/d) is a dyadic rational a/2^q, a odd. Then a^d divides a power of
// two, so a = 1, and base = 2^k with d | nk. In this case the exponent of theta
// is -nk/d; otherwise theta (n > 0) is no binary number of any length, and
// rounding it can be decided.
std::optional<int> exact_frequency_exponent(double base, const Exponent& e);

// For the exponent 2j/rotary_dim.
std::optional<int> exact_frequency_exponent(double base,
                                            std::int64_t rotary_dim,
                                            std::int64_t j);

// A scaling can make a binary number of a rational one, 0.01 * 25/32 = 1/128,
// and so can a negative n: 10000^(1/2) = 100. theta_j with its scaling, if it is
// rational and a binary64. `resolution` is
// complete but for `exact`.
std::optional<double> exact_frequency(const Spec& spec,
                                      const Resolution& resolution,
                                      std::int64_t j);

// The sign of llama3's rotations minus `limit` (R13) if theta_j is rational, and
// they may be equal.
std::optional<int> exact_llama3_sign(const Spec& spec, std::int64_t j,
                                     double limit);

// alpha of dynamic NTK (R9) if it is a binary64.
std::optional<double> exact_alpha(const DynamicNtk& scaling);

// Whether sum_k W[k,j] p_k = 0, the coordinate of pair j. Products of binary64
// numbers cancel exactly where rounded ones might not.
bool is_at_origin(const Spec& spec, std::span<const double> position,
                  std::int64_t j);

// (position - centre) / scale_base of xPos (R15) where it is an integer.
std::optional<std::int64_t> whole_exponent(const XPos& xpos, double position);

}  // namespace ropeproof::reference

#endif  // ROPEPROOF_REFERENCE_EXACT_H_
