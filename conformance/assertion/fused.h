// fused.h -- one call of a fused kernel, judged: norm, rotation, type, cache.
#pragma once

#include <ropeproof_fused.h>

#include <string>

namespace ropeproof::conformance::assertion {

// "" where nothing is wrong, else what is, for people. Throws
// std::invalid_argument, one line, for what contradicts itself or cannot be
// judged.
std::string fused_failure(const ropeproof_problem& problem,
                          const ropeproof_fused& fused,
                          const ropeproof_claim& claim);

}  // namespace ropeproof::conformance::assertion
