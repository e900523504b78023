// given_table.h -- the exact rotation by cos and sin that a kernel was given.
#pragma once

#include <cstdint>
#include <vector>

#include "conformance/cases/golden.h"
#include "conformance/cases/problem.h"

namespace ropeproof::conformance::assertion {

// y_u = x_u cos_u - x_v sin_u and y_v = x_u sin_v + x_v cos_v, with a cosine
// and a sine for each channel: what rotate_half and its kin compute. In most
// tables both channels of a pair have the same.
struct GivenTable {
  std::int64_t pairs = 0;
  std::vector<double> cos_u, sin_u, cos_v, sin_v;  // [tokens, pairs]

  // The factors of a pair at a token: y_u = x_u uu + x_v uv and
  // y_v = x_u vu + x_v vv, forward or, transposed, the adjoint.
  struct Factors {
    double uu, uv, vu, vv;
  };
  Factors factors(std::int64_t entry, reference::Direction direction) const {
    const auto i = static_cast<std::size_t>(entry);
    if (direction == reference::Direction::kForward) {
      return {cos_u[i], -sin_u[i], sin_v[i], cos_v[i]};
    }
    return {cos_u[i], sin_v[i], -sin_u[i], cos_v[i]};
  }
};

// What a golden has beside q and k: cos and sin of the first channels, and as
// the amplitude of a pair the larger length of its (cos, sin).
cases::Golden golden_of(const GivenTable& table, const cases::Problem& problem);

// Fills in q and k: each sum of two products, rounded to odd, or a pair of
// doubles where the tensors are f64.
void rotate(const GivenTable& table, const cases::Problem& problem,
            cases::Golden& golden);

}  // namespace ropeproof::conformance::assertion
