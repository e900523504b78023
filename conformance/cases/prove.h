// prove.h -- fills in the goldens of a group.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "conformance/cases/case.h"
#include "reference/golden.h"

namespace ropeproof::conformance::cases {

// Computes every expected value of the groups' cases, and the errata of what is
// printed beside them. A pair with a NaN or an infinity among its inputs has no
// real result; it is left to the rules of special values. Cases are divided
// among all cores; no result depends on their number. Throws what
// reference/golden.h throws.
void prove(reference::Oracle oracle, std::span<Group> groups);
void prove(reference::Oracle oracle, Group& group);

// A printed decimal that misses the exact value by more than the tolerance it
// claims: one line each. Empty for a sound document.
std::vector<std::string> beyond_tolerance(const Case& c);

}  // namespace ropeproof::conformance::cases
