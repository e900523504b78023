// golden_values.h -- the goldens of millions of elements, at some 20 ns each.
#pragma once

#include <vector>

#include "conformance/cases/problem.h"

namespace ropeproof::conformance::assertion {

// Whether golden_values takes the problem: finite elements of 32 bits or less.
bool has_plain_goldens(const cases::Problem& problem);

// The goldens of q, then of k: the bits that cases::form_golden has. A few
// tokens at a time, whose intermediate numbers stay in a cache. Throws as that
// does.
std::vector<double> golden_values(const cases::Problem& problem);

}  // namespace ropeproof::conformance::assertion
