// engine_calls.h -- calls as engines make them, to see whether a fault matters:
// drawn from models' sizes, batches, lengths and positions, and from nothing
// that the suite asks.
#pragma once

#include <vector>

#include "conformance/cases/case.h"

namespace ropeproof::conformance::selftest::strangers {

// Prompts, single tokens and batches of them, forward and backward, with their
// goldens: `count` of them, of up to 2^20 elements of q and k, a
// few of up to 2^22.5. A narrow kernel
// gets f32, half-split and dense. Cost: some 20 ms a call.
std::vector<cases::Case> engine_calls(std::uint64_t seed, int count,
                                      bool is_wide);

}  // namespace ropeproof::conformance::selftest::strangers
