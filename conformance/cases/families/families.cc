#include "conformance/cases/families/families.h"

namespace ropeproof::conformance::cases {

std::vector<Group> core_families() {
  std::vector<Group> groups = {permute_family(), contract_family(),
                               scaling_family(), position_family(),
                               layout_family()};
  for (const auto& family :
       {core_rich,     core_zero,    core_unit,       core_layouts,
        core_dims,     core_decode,  core_memory,     core_heads,
        core_sizes,    core_wide,    core_boundaries, core_far,
        core_coverage, core_axes,    core_scalings,   core_adjoint,
        core_values,   core_special, core_permute,    core_reject,
        core_lengths,  core_plain,   core_models,     core_calls}) {
    groups.push_back(family());
    groups.back().is_bulk = !groups.back().rope_cases.empty();
  }
  return groups;
}

}  // namespace ropeproof::conformance::cases
