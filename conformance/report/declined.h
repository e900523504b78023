// declined.h -- what the cases that a kernel declined have in common.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/check/run.h"

namespace ropeproof::conformance::report {

struct DeclinedCases {
  std::int64_t cases = 0;
  std::string words;  // "head_dim is odd"
};

// Returns conditions that hold for the declined cases and for no case that was
// judged under the same operations; where there is none, the ids of the
// declined cases.
std::vector<DeclinedCases> declined_cases(const check::Run& run);

}  // namespace ropeproof::conformance::report
