// levels.h -- results of few levels: whole multiples of a step, as numbers of 8
// bits are.
#pragma once

#include <string>
#include <vector>

#include "conformance/explain/answer.h"

namespace ropeproof::conformance::explain {

// Says what all results of a rotation are, or all results in heads with a wrong
// one, in each of these answers: "whole multiples of 1/127 of the largest of
// their row", "whole multiples of 0.25"; empty where they are not, or may be by
// chance.
std::string levels_text(const std::vector<const Answer*>& answers);

}  // namespace ropeproof::conformance::explain
