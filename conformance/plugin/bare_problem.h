// bare_problem.h -- a problem without its data: all that ropeproof_supports may look
// at.
#ifndef ROPEPROOF_CONFORMANCE_PLUGIN_BARE_PROBLEM_H_
#define ROPEPROOF_CONFORMANCE_PLUGIN_BARE_PROBLEM_H_

#include <ropeproof_kernel.h>

namespace ropeproof::conformance::plugin {

struct BareProblem {
  BareProblem() = default;
  explicit BareProblem(const ropeproof_problem& problem);

  // With the scaling in its place; valid as long as this.
  ropeproof_problem problem() const;

  bool has_scaling = false;
  ropeproof_problem bare{};     // every pointer is null
  ropeproof_scaling scaling{};  // the same
};

}  // namespace ropeproof::conformance::plugin

#endif  // ROPEPROOF_CONFORMANCE_PLUGIN_BARE_PROBLEM_H_
