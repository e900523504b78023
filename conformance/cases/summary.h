// summary.h -- a case in one line: dtype, pairing, shape, base, the scaling
// with all its parameters, the range of positions.
#pragma once

#include <string>

#include "conformance/cases/case.h"

namespace ropeproof::conformance::cases {

// "yarn, factor 4, original_length 32768, ...": the names are the ABI's.
std::string scaling_text(const reference::Scaling& scaling);

std::string type_text(const Problem& p);  // "bf16 half_split"
std::string shape_text(const Case& c);    // ", head_dim 64, rotary_dim 64, ..."
std::string summary(const Case& c);       // the one and the other
std::string summary(const RejectCase& c);
std::string summary(const SequenceCase& c);

}  // namespace ropeproof::conformance::cases
