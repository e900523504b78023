// test_oracle.h -- what tests of goldens and refusals share.
#pragma once

#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cstdint>
#include <functional>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "reference/golden.h"

namespace ropeproof::reference {

// Runs the test once with each.
inline Oracle any_oracle() {
  const Oracle oracle = GENERATE(Oracle::kMpfi, Oracle::kBinFloat);
  if (!available(oracle)) SKIP("built without MPFI");
  return oracle;
}

inline std::uint64_t bits_of(double x) {
  return std::bit_cast<std::uint64_t>(x);
}
inline double value(std::uint64_t bits) { return std::bit_cast<double>(bits); }

// The rotated [tokens, heads, head_dim] of x, at positions that are given as
// any numbers.
template <class Positions>
std::vector<Golden> rope_of(Oracle oracle, const Spec& spec, std::int64_t heads,
                            const Positions& positions,
                            std::span<const double> x) {
  const std::vector<double> exact(std::begin(positions), std::end(positions));
  return Goldens(oracle, spec, exact).rope(heads, x);
}

// Why `action` is refused, or "accepted".
inline std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace ropeproof::reference
