// explain.h -- explains wrong answers of a kernel.
//
// Rotation is linear and every operation has few steps, so a kernel with a
// known bug is predictable to the last bit: wrong/mutation.h has the bugs,
// trial.h compares. A bug is named where its answers are the kernel's, for
// every element of a check; where it explains all wrong elements and spoils
// right ones, too, what the wrong ones have in common (in_common.h) says where
// it strikes. What nothing explains is said to be so.
#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "conformance/explain/answer.h"
#include "conformance/explain/diagnosis.h"

namespace ropeproof::conformance::explain {

struct Explanation {
  std::vector<Diagnosis> faults;  // the one that explains most answers first
  // The wrong answers of each fault, by their numbers in the evidence.
  std::vector<std::vector<std::size_t>> wrong;
  // Crashes that they explain, by their numbers in the evidence; and whether it
  // is all.
  std::set<std::size_t> lost;
  bool explains_crashes = false;
};

// Cost: some seconds for a core run that fails throughout.
Explanation explain(const Evidence& evidence);

}  // namespace ropeproof::conformance::explain
