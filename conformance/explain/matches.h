// matches.h -- what stands in place of wrong elements, found by value: the
// result of another head, zeros, the input as it was, the right result times a
// number. No hypothesis is needed.
#pragma once

#include <string>
#include <vector>

#include "conformance/explain/answer.h"

namespace ropeproof::conformance::explain {

// Sentences, each true of every element that it speaks of; none where nothing
// matches, for an output that is no q and k, or of more than 2^22 elements. Two
// values match within twice the bound of the golden, inputs by their bits; what
// a chance of one in 1000 would explain is no match. Cost: some 0.1 us an
// element, more where single channels are wrong: their number squared times
// rows.
std::vector<std::string> matches_of(const Answer& answer);

}  // namespace ropeproof::conformance::explain
