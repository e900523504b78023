// log_bound.h -- |ln x| from above, without the host's libm, so that a bound is
// the same number on every machine.
#pragma once

#include <algorithm>
#include <cmath>

namespace ropeproof::reference::bound {

// For 1 <= f < 2 the line f - 1 is below log2(f), by at most 0.0861. The result
// exceeds |ln x| by less than 0.06 and 2^-20 of itself; it is 0 for x = 0.
inline double abs_ln_bound(double x) {
  if (x == 0) return 0;
  int exponent = 0;
  const double f = 2 * std::frexp(std::abs(x), &exponent);
  const double low = (exponent - 1) + (f - 1);
  constexpr double kLn2 = 0.6931471805599454;  // rounded up
  constexpr double kUp = 1 + 0x1p-20;          // pays for these roundings
  return kUp * kLn2 * std::max(std::abs(low), std::abs(low + 0.0861));
}

}  // namespace ropeproof::reference::bound
