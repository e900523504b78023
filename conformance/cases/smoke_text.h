// smoke_text.h -- the smoke cases for a consumer without JSON: one line each.
#pragma once

#include <span>
#include <string>

#include "conformance/cases/case.h"

namespace ropeproof::conformance::cases {

inline constexpr const char* kSmokeText = "smoke.txt";

// Header lines that begin with #, which explain the columns, and a line for
// every rope case of the groups of tier smoke. A column never holds a space, so
// that fscanf("%s") reads it; a list is its length, then its elements, one
// column each. Throws std::logic_error for a case that the columns do not
// cover: a scaling, an axis, a pairing with parameters, special values.
std::string smoke_text(std::span<const Group> groups);

}  // namespace ropeproof::conformance::cases
