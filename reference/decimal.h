// decimal.h -- exact decimals, for judging what documents print.
#ifndef ROPEPROOF_REFERENCE_DECIMAL_H_
#define ROPEPROOF_REFERENCE_DECIMAL_H_

#include <string>

namespace ropeproof::reference {

// `x` rounded to `digits` decimals after the point, ties to even, with
// arithmetic in integers: "-215.0415". `x` is finite, 1 <= digits <= 18. Of a
// golden (a real number rounded to odd) it is the rounded real number, unless a
// tie lies within an ulp of it.
std::string to_decimal(double x, int digits);

}  // namespace ropeproof::reference

#endif  // ROPEPROOF_REFERENCE_DECIMAL_H_
