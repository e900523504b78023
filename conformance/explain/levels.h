// levels.h -- results of few levels: whole multiples of a step, as numbers of 8
// bits are.
#pragma once

#include <string>

#include "conformance/explain/answer.h"

namespace ropeproof::conformance::explain {

// "whole multiples of 1/127 of the largest of their row", or "whole multiples
// of 0.25", where all results of a rotation are, or those of heads with a wrong
// one, and not by chance; else empty.
std::string levels_text(const Answer& answer);

}  // namespace ropeproof::conformance::explain
