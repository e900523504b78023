// coverage.h -- what the cases of a corpus reach, counted from the cases.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "conformance/cases/case.h"

namespace ropeproof::conformance::cases {

inline constexpr int kCoveredPairs = 128;   // rotary_dim up to 256
inline constexpr int kCoveredBinades = 25;  // positions from 2^0 to 2^24

struct Coverage {
  // [j][k]: tokens that rotate pair j at positions p with 2^k <= |p| < 2^(k+1),
  // of cases with finite numbers only.
  std::array<std::array<std::int64_t, kCoveredBinades>, kCoveredPairs>
      rotations{};
  // Cases by what they are: "dtype and pairing: f32 half_split", "scaling:
  // yarn", "boundary: 65504", ...
  std::map<std::string, std::int64_t> cases;
};

Coverage coverage_of(const std::vector<Group>& groups);

// "pair 90, positions from 2^23": what no case reaches. Empty if all is well.
std::vector<std::string> empty_cells(const Coverage& coverage);

// A table for people: eight pairs to a row, the least of their counts.
std::string coverage_text(const Coverage& coverage);

}  // namespace ropeproof::conformance::cases
