// fused_readings.h -- which other norm or other type a wrong result of a fused
// kernel is right for.
#pragma once

#include <cstdint>
#include <string>

#include "conformance/assertion/fused_parts.h"
#include "conformance/judge/tolerance.h"

namespace ropeproof::conformance::assertion {

// "x is rotated without its norm"; "" where no other one fits. `token`: a wrong
// one, around which some 2^14 elements are judged at most. Cost: a judgement of
// each reading.
std::string other_reading(const FusedParts& parts, std::int64_t token,
                          const judge::Claim& of_rotation);

}  // namespace ropeproof::conformance::assertion
