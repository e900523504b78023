// others.h -- the tensors that no pairing concerns: experts, feed-forward,
// embeddings, norms. A right converter gives them other names and nothing else.
#pragma once

#include <functional>
#include <vector>

#include "conformance/weights/compare.h"

namespace ropeproof::conformance::weights {

// Returns a finding for each such tensor of B: found in A by its name, else by
// its rows in any order. Experts that are one tensor each and those in one
// tensor are the same. Reads all of both, twice. Throws CheckpointError.
std::vector<Finding> compare_others(
    const Checkpoint& a, const Checkpoint& b, const RoleTable& table,
    const std::function<void(std::size_t, std::size_t)>& progress);

}  // namespace ropeproof::conformance::weights
