// frequency.h -- how fast each pair rotates, and how much it stretches: the
// formulas of reference/ (R1), (R7)-(R16), written down again from the
// papers and engines that define them, in exact rationals as far as they reach.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tools/prove/second_oracle/number.h"
#include "tools/prove/second_oracle/vectors.h"

namespace ropeproof::second_oracle {

// A pair's frequency: coefficient * product of base^exponent * blend *
// factor.
struct Frequency {
  Rational coefficient = 1;  // 0: the pair stands still
  std::vector<std::pair<Rational, Rational>> powers;  // irrational ones

  // llama3 between its bands: theta (1 - sigma)/s + theta sigma, where sigma =
  // (circles_per_theta theta - low) / (high - low).
  struct Blend {
    Rational circles_per_theta, low, high, factor;
  };
  std::optional<Blend> blend;
  Rational factor = 1;  // of the pair alone, whatever comes before

  bool is_zero() const { return coefficient.sign() == 0; }
  // Radians per position. Exact if it is a number of `bits` bits.
  Ball enclose(slong bits) const;
};

// What the scaling makes of pair j. Throws std::runtime_error for parameters
// that do not make sense or a branch that stays undecided.
Frequency frequency(const Case& c, std::int64_t j);

// m, a binary64: the scaling's, its real value rounded to nearest, or the
// case's own.
Rational amplitude(const Case& c);

// (R15): xPos stretches pair j at a position by zeta^exponent, keys by the
// reciprocal.
struct Stretch {
  Rational zeta, exponent;
};
Stretch stretch(const Case& c, std::int64_t j, const Rational& position);

}  // namespace ropeproof::second_oracle
