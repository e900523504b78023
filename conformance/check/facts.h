// facts.h -- what a case asks, as named values: what reports compare cases by.
#pragma once

#include "conformance/cases/problem.h"
#include "conformance/explain/in_common.h"
#include "conformance/plugin/features.h"

namespace ropeproof::conformance::check {

using explain::Fact;
using explain::Facts;

// What a case says by the names of the ABI ("head_dim", "scaling", "truncate");
// beside them "memory", "lowest position", "highest position", and "order",
// "spacing", "rows" and "edge" of a storage.
Facts facts_of(const cases::Problem& p);

// Returns what facts, of a report too, say that a description speaks of: dtype,
// pairing, axis map, scaling and the largest position. All else is left as it
// is in Needs().
plugin::Needs needs_of(const Facts& facts);

}  // namespace ropeproof::conformance::check
