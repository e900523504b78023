// facts.h -- what a case asks, as named values: what reports compare cases by.
#ifndef ROPEPROOF_CONFORMANCE_CHECK_FACTS_H_
#define ROPEPROOF_CONFORMANCE_CHECK_FACTS_H_

#include "conformance/cases/problem.h"
#include "conformance/explain/in_common.h"

namespace ropeproof::conformance::check {

using explain::Fact;
using explain::Facts;

// What a case says by the names of the ABI ("head_dim", "scaling", "truncate");
// beside them "memory", "lowest position", "highest position", and "order",
// "spacing", "rows" and "edge" of a storage.
Facts facts_of(const cases::Problem& p);

}  // namespace ropeproof::conformance::check

#endif  // ROPEPROOF_CONFORMANCE_CHECK_FACTS_H_
