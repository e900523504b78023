// declarations.h -- what kernels of engines offer, about: thirty declarations,
// from everything to one call. Whether each is asked every pair of classes that
// it offers is measured for all of them (`ropeproof list coverage`).
#pragma once

#include <vector>

#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::check {

// Returns them with a name in words each; the first offers everything.
std::vector<plugin::Description> typical_declarations();

}  // namespace ropeproof::conformance::check
