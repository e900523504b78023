// rows.h -- double-double arithmetic on one row of pairs, compiled for the
// processor at hand.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "reference/sweep/double_double.h"

namespace ropeproof::reference::sweep {

// How far the components of an entry may be from the real numbers. Both are 0
// where the angle is zero and m is a binary64 number: there sin is 0 and cos m.
struct CosSinError {
  double c = 0, s = 0;
  bool is_exact() const { return c == 0 && s == 0; }
};

// A rotated pair: y_u = x_u c - x_v s is off by
//     |x_u| e_c + |x_v| e_s + kPairError (|x_u c| + |x_v s|) + kPairUnderflow
// with e_c and e_s of the table. kPairError: the two products (kScaledError)
// and their sum (kSumError), 4.502 u^2; u^2 for the ends of the rounding test;
// and the roundings of this bound itself. Relative to what is summed, not to
// |m|: a pair with one zero has results as small as its sine, and is decided.
inline constexpr double kPairError = 5.6 * kU2;
// Eight operations of the two products lose 2^-1075 each where they underflow.
inline constexpr double kPairUnderflow = 0x1p-1070;
// The sum of two numbers below kHuge does not overflow.
inline constexpr double kHuge = 0x1p1000;

// |x_u c| + |x_v s|, and the margin of a pair of which neither is exact.
[[gnu::always_inline]] inline double pair_size(double x_u, double x_v,
                                               const CosSin& t) {
  return std::abs(x_u) * std::abs(t.c.hi) + std::abs(x_v) * std::abs(t.s.hi);
}
[[gnu::always_inline]] inline double pair_margin(double x_u, double x_v,
                                                 double size,
                                                 const CosSinError& error) {
  return std::abs(x_u) * error.c + std::abs(x_v) * error.s + kPairError * size +
         kPairUnderflow;
}

// row[j] = row[j] * factor[j].
void multiply_row(std::span<CosSin> row, const CosSin* factor);

// The unrounded rotations: y_u = x_u c - x_v s, y_v = x_u s + x_v c.
void rotate_row(std::span<const CosSin> row, const double* x_u,
                const double* x_v, DoubleDouble* y_u, DoubleDouble* y_v);

// Rotates a row and rounds to odd (rounding.h): false where some component is
// not decided by its pair_margin, and y has no meaning. That margin is wider
// than 0, so a pair that is exact may be undecided, and never wrong. Cost: some
// 5 ns an element.
bool rotate_row_to_odd(std::span<const CosSin> row, const CosSinError* errors,
                       const double* x_u, const double* x_v, std::uint64_t* y_u,
                       std::uint64_t* y_v);

}  // namespace ropeproof::reference::sweep
