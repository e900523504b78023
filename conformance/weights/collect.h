// collect.h -- the parts of an attention in two checkpoints, read: q, k, v of
// each layer, fused or not, side by side.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "conformance/weights/compare.h"
#include "conformance/weights/faults.h"

namespace ropeproof::conformance::weights {

struct Entry {
  Finding finding;
  Compared compared;  // without heads
};

struct Collected {
  std::vector<Entry> entries;
  // What one checkpoint lacks, or cannot be compared.
  std::vector<Finding> findings;
  std::string names;  // how tensors of unknown names were matched; or empty
};

// Reads each tensor once, A in the types of B; where one checkpoint has no name
// that is known, tensors of the same shape besides. Throws CheckpointError.
Collected collect(
    const Checkpoint& a, const Checkpoint& b, const RoleTable& table,
    const Attention& attention,
    const std::function<void(std::size_t, std::size_t)>& progress);

}  // namespace ropeproof::conformance::weights
