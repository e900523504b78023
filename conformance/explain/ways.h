// ways.h -- the ways in which the rotation of pairs may be off, and what each
// leaves of their errors.
#pragma once

#include <cmath>

namespace ropeproof::conformance::explain {

// Each way is one number or two for all rows of a pair and token; a sign needs
// none.
enum Way { kCosine, kSine, kScale, kAngle, kTurn, kSign, kWays };

// Squared errors, over the squares of the bounds, and what is left of them once
// a way explains them, by so many unknowns.
struct Left {
  double errors = 0, equations = 0, squares = 0, unknowns = 0;
  double largest = 0;  // what is left of one pair, over its bound

  double part() const { return errors > 0 ? squares / errors : 1; }
  // How likely a way that has nothing to do with the errors leaves as little.
  double chance() const {
    const double excess = equations - unknowns;
    return excess < 1 ? 1 : std::pow(part(), excess / 2);
  }
};

}  // namespace ropeproof::conformance::explain
