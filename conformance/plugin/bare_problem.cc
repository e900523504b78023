#include "conformance/plugin/bare_problem.h"

#include "conformance/plugin/fields.h"

namespace ropeproof::conformance::plugin {

BareProblem::BareProblem(const ropeproof_problem& problem) : bare(problem) {
  for_each_buffer(bare, [](auto& pointer) { pointer = nullptr; });
  has_scaling = bare.scaling != nullptr;
  if (has_scaling) scaling = *bare.scaling;
  bare.scaling = nullptr;
  scaling.short_factor = scaling.long_factor = nullptr;
}

ropeproof_problem BareProblem::problem() const {
  ropeproof_problem problem = bare;
  if (has_scaling) problem.scaling = &scaling;
  return problem;
}

}  // namespace ropeproof::conformance::plugin
