// steps.h -- which step of a rotation went wrong, seen from numbers alone, for
// answers that no known bug gives.
#pragma once

#include <string>
#include <vector>

#include "conformance/cases/bug_class.h"
#include "conformance/explain/answer.h"
#include "conformance/wrong/mutation.h"

namespace ropeproof::conformance::explain {

// What is common to wrong answers. `what` is empty where they show no one step.
struct Step {
  std::string what;
  cases::Bug bug;
  int equation = 0;  // of equation.h
  const char* advice = "";
  // The largest error over its bound that remains once the step is undone.
  double residual = 0;
  // The step with the number that fits best, for others to try; of frequencies
  // one of each kind.
  std::vector<wrong::Mutation> fitted = {};
};

// The step of wrong answers of rotations to problems that are not `is_special`;
// others count as answers that show none. A step is named where it leaves
// little of all errors together, and where no other leaves as little. Cost:
// some 0.2 us an element, of at most 2^16 elements.
Step step_of(const std::vector<const Answer*>& wrong,
             const plugin::Description& kernel);

}  // namespace ropeproof::conformance::explain
