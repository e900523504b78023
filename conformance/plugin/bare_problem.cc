#include "conformance/plugin/bare_problem.h"

namespace ropeproof::conformance::plugin {

BareProblem::BareProblem(const ropeproof_problem& problem) : bare(problem) {
  ropeproof_problem& p = bare;
  p.q.in = p.k.in = nullptr;
  p.q.out = p.k.out = nullptr;
  p.positions = p.ids = nullptr;
  p.exponent_numerators = p.exponent_denominators = nullptr;
  p.axis_of_pair = nullptr;
  p.inv_freq = p.inv_freq_lo = p.pair_bases = p.real_positions = nullptr;
  p.axis_weights = p.pair_amplitude = nullptr;
  p.cos = p.sin = p.inv_freq_out = p.permute_out = nullptr;
  p.permute_in = nullptr;
  has_scaling = p.scaling != nullptr;
  if (has_scaling) scaling = *p.scaling;
  p.scaling = nullptr;
  scaling.short_factor = scaling.long_factor = nullptr;
}

ropeproof_problem BareProblem::problem() const {
  ropeproof_problem problem = bare;
  if (has_scaling) problem.scaling = &scaling;
  return problem;
}

}  // namespace ropeproof::conformance::plugin
