// frequencies.h -- what a stranger rotates by: formed from base and scaling, or
// given.
#pragma once

#include <vector>

#include "conformance/selftest/strangers/faults_here.h"

namespace ropeproof::conformance::selftest::strangers {

// Scalings that a wide stranger computes by itself.
inline constexpr std::uint32_t kFormedScalings =
    ROPEPROOF_LINEAR | ROPEPROOF_NTK | ROPEPROOF_DYNAMIC_NTK | ROPEPROOF_YARN |
    ROPEPROOF_LONG_ROPE | ROPEPROOF_LLAMA3;

struct Frequencies {
  std::vector<float> of_pairs;  // radians per position
  float amplitude = 1;
};

// Formed in binary64, rounded once; of what no scaling changes the given ones
// are taken, or the base alone.
Frequencies frequencies_of(const ropeproof_problem& p, const Here& here,
                           bool takes_inv_freq);

}  // namespace ropeproof::conformance::selftest::strangers
