// angle_cause.h -- why angles are off: by the position of a token or by the
// frequency of a pair; and the base, the exponents or the factor that explain
// such frequencies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "conformance/explain/answer.h"
#include "conformance/wrong/mutation.h"

namespace ropeproof::conformance::explain {

enum class AngleCause { kUnknown, kPosition, kFrequency };

// A pair of one token, of whose rows some are wrong.
struct TurnedPair {
  std::size_t answer = 0;  // its index
  std::int64_t token = 0, pair = 0;
  double position = 0;  // on the pair's axis
  double off = 0;       // of the angle as it turns, in (-pi, pi]
  double weight = 0;    // what it tells: a few large errors no more than others
  double certainty = 0;  // the inverse of its square error
  double factor = 1;     // of the results, if they are off by one
  double rows = 1;       // that are wrong
};

// The one of both that explains the angles of wrong pairs, of kernels that form
// them. Where neither does, or both do, it is unknown.
AngleCause angle_cause(const std::vector<const Answer*>& answers,
                       const std::vector<TurnedPair>& pairs);

// The one factor of all angles that explains most of what they are off by.
double factor_of_angles(const std::vector<const Answer*>& answers,
                        const std::vector<TurnedPair>& pairs);

// A mutation for each kind of change with the number that fits best, for others
// to try: another base, always or as a multiple of the due one; exponents times
// a number or of another width; frequencies times a number, which is `bug`.
// None where angles show none.
std::vector<wrong::Mutation> fitted_frequencies(
    const std::vector<const Answer*>& answers,
    const std::vector<TurnedPair>& pairs, cases::Bug bug);

// The bug of frequencies that are off: the scaling's, where the kernel forms
// one for every answer, unless a linear one leaves pair 0 right.
cases::Bug bug_of_frequencies(const std::vector<const Answer*>& answers,
                              const std::vector<TurnedPair>& pairs,
                              const plugin::Description& kernel);

}  // namespace ropeproof::conformance::explain
