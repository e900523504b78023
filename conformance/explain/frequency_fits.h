// frequency_fits.h -- the base, the exponents or the factor that explain the
// frequencies which wrong angles show.
#pragma once

#include <vector>

#include "conformance/explain/angle_cause.h"
#include "conformance/explain/answer.h"
#include "conformance/wrong/mutation.h"

namespace ropeproof::conformance::explain {

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
