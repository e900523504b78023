// double_double.h -- numbers of about 106 bits, as unevaluated sums of doubles.
//
// u = 2^-53; a DoubleDouble has |lo| <= u |hi|. The bounds hold while no
// product is near overflow or underflow. std::fma is exact by definition,
// whatever libm provides it.
//
// [JMP17] Joldes, Muller, Popescu, "Tight and rigorous error bounds for basic
//         building blocks of double-word arithmetic", ACM TOMS 44(2), 2017.
#pragma once

#include <cmath>

namespace ropeproof::fast {

struct DoubleDouble {
  double hi = 0, lo = 0;
};

// a + b exactly, where |a| >= |b| or a = 0 ([JMP17] algorithm 1).
inline DoubleDouble sum_of_ordered(double a, double b) {
  const double hi = a + b;
  return {hi, b - (hi - a)};
}

// a + b exactly ([JMP17] algorithm 2).
inline DoubleDouble sum_of(double a, double b) {
  const double hi = a + b, a_part = hi - b, b_part = hi - a_part;
  return {hi, (a - a_part) + (b - b_part)};
}

// a * b exactly ([JMP17] algorithm 3).
inline DoubleDouble product_of(double a, double b) {
  const double hi = a * b;
  return {hi, std::fma(a, b, -hi)};
}

// x + y within 3 u^2 + 13 u^3, relative ([JMP17] algorithm 6, theorem 3.1).
inline DoubleDouble operator+(DoubleDouble x, DoubleDouble y) {
  const DoubleDouble s = sum_of(x.hi, y.hi), t = sum_of(x.lo, y.lo);
  const DoubleDouble v = sum_of_ordered(s.hi, s.lo + t.hi);
  return sum_of_ordered(v.hi, t.lo + v.lo);
}

inline DoubleDouble operator-(DoubleDouble x) { return {-x.hi, -x.lo}; }

// x * y within 5 u^2, relative ([JMP17] algorithm 11, theorem 5.3).
inline DoubleDouble operator*(DoubleDouble x, DoubleDouble y) {
  const DoubleDouble p = product_of(x.hi, y.hi);
  const double cross = std::fma(x.lo, y.hi, x.hi * y.lo);
  return sum_of_ordered(p.hi, p.lo + cross);
}

// x / y within 3 u^2, relative ([JMP17] algorithm 15, theorem 6.1).
inline DoubleDouble operator/(DoubleDouble x, double y) {
  const double q = x.hi / y;
  const DoubleDouble p = product_of(q, y);
  const double remainder = ((x.hi - p.hi) - p.lo) + x.lo;
  return sum_of_ordered(q, remainder / y);
}

}  // namespace ropeproof::fast
