// summary.h -- a case in one line: dtype, pairing, shape, base, the scaling
// with all its parameters, the range of positions.
#pragma once

#include <string>

#include "conformance/cases/case.h"

namespace ropeproof::conformance::cases {

// "yarn, factor 4, original_length 32768, ...": the names are the ABI's.
std::string scaling_text(const reference::Scaling& scaling);

std::string summary(const Case& c);
std::string summary(const RejectCase& c);
std::string summary(const SequenceCase& c);

}  // namespace ropeproof::conformance::cases
