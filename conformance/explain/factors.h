// factors.h -- one factor of all results, cosines or sines.
#pragma once

#include <cstdint>
#include <vector>

#include "conformance/explain/angle_cause.h"
#include "conformance/wrong/mutation.h"

namespace ropeproof::conformance::explain {

enum class Factored : std::uint8_t { kResults, kCosines, kSines };

// Squared errors are those of (factor - 1) times what is added here.
struct Factor {
  double products = 0, squares = 0;

  void add(double share, double product, double square) {
    products += share * product, squares += share * square;
  }
  double best() const { return squares > 0 ? 1 + products / squares : 1; }
  // The part of all squared errors that a factor leaves.
  double part(double factor, double errors) const {
    const double more = factor - 1;
    return 1 - more * (2 * products - more * squares) / errors;
  }
};

// The middle of their factors, each by its certainty.
double middle_factor(std::vector<TurnedPair> pairs);

// Whether one factor of all results is that of nearly every pair.
bool have_factor(const std::vector<TurnedPair>& pairs, double factor);

// "results times 0.75", which is `of_results`.
wrong::Mutation times(Factored what, double factor, cases::Bug of_results);

}  // namespace ropeproof::conformance::explain
