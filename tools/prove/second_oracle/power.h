// power.h -- base^exponent, kept exact where it is rational.
#pragma once

#include <optional>

#include "tools/prove/second_oracle/number.h"

namespace ropeproof::second_oracle {

// base^exponent for base > 0, if that is a rational number small enough to be
// written out. In lowest terms it is one only if numerator and denominator of
// base are perfect powers of the exponent's denominator.
std::optional<Rational> rational_power(const Rational& base,
                                       const Rational& exponent);

// base^exponent for base > 0.
Ball power(const Rational& base, const Rational& exponent, slong bits);

}  // namespace ropeproof::second_oracle
