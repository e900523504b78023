// test_values.h -- goldens of an encoding as doubles, and why one is refused.
#ifndef ROPEPROOF_REFERENCE_ENCODINGS_TEST_VALUES_H_
#define ROPEPROOF_REFERENCE_ENCODINGS_TEST_VALUES_H_

#include <string>
#include <vector>

#include "reference/encodings/encoding.h"
#include "reference/test_oracle.h"

namespace ropeproof::reference::encodings {

using Ints = std::vector<std::int64_t>;
using Doubles = std::vector<double>;

// To nearest.
inline Doubles values(const Encoding& encoding, const Ints& positions) {
  Doubles result;
  for (const Golden& golden : golden_encoding(
           best_oracle(), encoding, positions, Rounding::kNearestEven)) {
    result.push_back(value(golden.bits));
  }
  return result;
}

inline std::string refused(const Encoding& encoding, const Ints& positions) {
  return refusal([&] { validate(encoding, positions); });
}

}  // namespace ropeproof::reference::encodings

#endif  // ROPEPROOF_REFERENCE_ENCODINGS_TEST_VALUES_H_
