// rounding.h -- the rounding test: a rounded number, or nothing.
//
// A real number y is known as hi + lo, normalized, within `margin`. All numbers
// in [hi + lo - margin, hi + lo + margin] round alike, or the test says that it
// does not know.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>

#include "reference/sweep/double_double.h"

namespace ropeproof::reference::sweep {

// y rounded to odd into binary64 (reference/format.h): a golden.
//
// If |lo| > margin, y lies strictly between hi and hi's neighbour on the side
// of lo: hi = RN(hi + lo) puts hi + lo no farther than half-way to it, and the
// margin is less than that half. Of the two, one is odd. A y that is a binary64
// number itself has lo = 0, which is never decided.
inline std::optional<double> round_to_odd(DoubleDouble y, double margin) {
  if (!(std::abs(y.lo) > margin)) return std::nullopt;
  const auto bits = std::bit_cast<std::uint64_t>(y.hi);
  if ((bits & 1) != 0) return y.hi;
  const bool outward = std::signbit(y.hi) == std::signbit(y.lo);
  return std::bit_cast<double>(outward ? bits + 1 : bits - 1);
}

// y rounded to nearest into binary64. Rounding is monotone, so what both ends
// round to, y does. The ends' own low words are rounded, by at most
//     u |lo -+ margin| <= u^2 |hi|:
// the margin has to pay for that as well.
inline std::optional<double> round_to_nearest(DoubleDouble y, double margin) {
  const double low = y.hi + (y.lo - margin), high = y.hi + (y.lo + margin);
  if (!(low == high) || low == 0) return std::nullopt;
  return low;
}

}  // namespace ropeproof::reference::sweep
