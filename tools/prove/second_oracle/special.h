// special.h -- what is expected where an element or a result is no number.
//
// A rotated channel is a sum of two products, x_u f + x_v g with f, g = -+ m
// cos phi, -+ m sin phi, in IEEE 754 arithmetic of any order:
//
//   a NaN, beside a finite number   spreads to both channels: kMustBeNan
//   a NaN, beside an infinity       kMustNotBeFinite: C's complex product may
//                                   make an infinity of it
//   infinities                      the sum of the infinite products, +-inf or
//                                   NaN, if every kernel is sure of the signs
//                                   of their factors; else kMustNotBeFinite,
//                                   since inf * 0 is a NaN
//   finite numbers                  an infinity, if the sum lies beyond the
//                                   largest number of the dtype by 3/16 of it
//
// Kernels are sure of a factor's sign where |factor| >= 1/8 and |phi| <= 8.
#pragma once

#include <cstdint>

#include "tools/prove/second_oracle/number.h"
#include "tools/prove/second_oracle/pattern.h"

namespace ropeproof::second_oracle {

inline constexpr std::uint64_t kMustBeNan = 0x7ff8000000000000;
inline constexpr std::uint64_t kMustNotBeFinite = 0x7ff8000000000001;

// Whether `golden` says that a channel outside every pair keeps `x`: the same
// number with the same sign, the same infinity, or a NaN.
bool is_copy(const Element& x, std::uint64_t golden);

// The sign of a factor that every kernel is sure of, or 0.
int sure_sign(const Ball& factor, const Ball& phi);

// The pattern for a f + b g where a or b is no number; f and g are sure_signs.
std::uint64_t sum_without_number(const Element& a, int f, const Element& b,
                                 int g);

// Whether the real number y becomes the infinity `golden` in every kernel.
Verdict is_beyond(const Ball& y, std::uint64_t golden, const Format& dtype);

}  // namespace ropeproof::second_oracle
