// double_double.h -- numbers of about 106 bits, as unevaluated sums of doubles.
//
// Used at plan time only. u = 2^-53; a DoubleDouble has |lo| <= u |hi|. The
// bounds hold while no product is near overflow or underflow.
//
// [JMP17] Joldes, Muller, Popescu, "Tight and rigorous error bounds for basic
//         building blocks of double-word arithmetic", ACM TOMS 44(2), 2017.
#ifndef ROPEPROOF_FAST_DOUBLE_DOUBLE_H_
#define ROPEPROOF_FAST_DOUBLE_DOUBLE_H_

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

// x * y within 5 u^2, relative ([JMP17] algorithm 11, theorem 5.3). std::fma is
// exact by definition, whatever libm provides it.
inline DoubleDouble operator*(DoubleDouble x, DoubleDouble y) {
  const double hi = x.hi * y.hi;
  const double error = std::fma(x.hi, y.hi, -hi);
  const double cross = std::fma(x.lo, y.hi, x.hi * y.lo);
  return sum_of_ordered(hi, error + cross);
}

}  // namespace ropeproof::fast

#endif  // ROPEPROOF_FAST_DOUBLE_DOUBLE_H_
