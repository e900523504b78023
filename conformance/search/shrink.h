// shrink.h -- the smallest case that still fails.
#pragma once

#include <cstdint>
#include <functional>

#include "conformance/cases/problem.h"

namespace ropeproof::conformance::search {

using StillFails = std::function<bool(const cases::Problem&)>;

struct Shrunk {
  cases::Problem problem;
  std::int64_t tries = 0;  // calls of `fails`
};

// The budget of calls of `fails`; what has been reached by then stands.
inline constexpr std::int64_t kMaxTries = 20000;

// Removes what the failure does not need, until it survives no further step:
// tokens, heads, features, pairs, channels, axes; then makes positions small
// and elements 0 or 1. Only valid specifications are tried. The same problem
// and the same answers give the same result.
Shrunk shrink(const cases::Problem& problem, const StillFails& fails);

}  // namespace ropeproof::conformance::search
