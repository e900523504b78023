// full_families.h -- the full tier: what is too much to commit.
#ifndef ROPEPROOF_CONFORMANCE_CASES_FULL_FAMILIES_H_
#define ROPEPROOF_CONFORMANCE_CASES_FULL_FAMILIES_H_

#include <vector>

#include "conformance/cases/case.h"

namespace ropeproof::conformance::cases {

// 10,650 cases beside those of the core tier, 8 million values with them:
// every rotary_dim in every dtype and pairing, every power of two with its
// neighbours as a position, every core scaling in every pairing, 65537 rows,
// wider calls than core-wide has, and 8,000 cases of stress_case.h from one
// seed. Ids are permanent within a version of the generator; the bytes are the
// same everywhere, as core's are.
std::vector<Group> full_families();

}  // namespace ropeproof::conformance::cases

#endif  // ROPEPROOF_CONFORMANCE_CASES_FULL_FAMILIES_H_
