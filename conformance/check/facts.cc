#include "conformance/check/facts.h"

#include <algorithm>
#include <type_traits>

#include "conformance/cases/words.h"
#include "conformance/plugin/fields.h"
#include "conformance/plugin/problem.h"
#include "conformance/text/words.h"

namespace ropeproof::conformance::check {
namespace {

// The words and numbers of a problem and its scaling; zeros say nothing, but of
// `truncate`.
Facts problem_facts(const ropeproof_problem& problem) {
  Facts facts;
  const auto add = [&](const std::string& name, const auto& value) {
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, std::string>) {
      if (!value.empty()) facts[name] = value;
    } else if constexpr (std::is_same_v<Value, double>) {
      if (value != 0) facts[name] = value;
    } else if constexpr (std::is_integral_v<Value>) {
      if (value != 0) facts[name] = std::int64_t{value};
    }
  };
  plugin::for_each_field(problem, add);
  facts.erase("operation");
  if (problem.scaling == nullptr) return facts;
  facts["scaling"] = text::word(plugin::kScalingWords, problem.scaling->kind);
  plugin::for_each_field(*problem.scaling, add);
  if (problem.scaling->kind == ROPEPROOF_YARN) {
    facts["truncate"] = std::int64_t{problem.scaling->truncate};
  }
  return facts;
}

}  // namespace

Facts facts_of(const cases::RopeCase& c) {
  ropeproof_problem problem =
      plugin::problem_of(ROPEPROOF_ROPE, c.spec, c.dtype, c.batch, c.seq);
  const ropeproof_scaling scaling =
      plugin::abi_scaling(c.spec.frequencies.scaling);
  problem.q.heads = c.q_heads;
  problem.k.heads = c.k_heads;
  problem.amplitude = c.amplitude;
  if (scaling.kind != 0) problem.scaling = &scaling;
  Facts facts = problem_facts(problem);
  facts["q_heads"] = c.q_heads;
  facts["k_heads"] = c.k_heads;
  facts["memory"] = text::word(cases::kStorageWords, c.nearest_storage());
  if (const cases::Storage& s = c.storage; s.edge) {
    facts["order"] = text::word(cases::kOrderWords, s.order);
    facts["spacing"] = text::word(cases::kSpacingWords, s.spacing);
    facts["rows"] = text::word(cases::kRowSpacingWords, s.rows);
    facts["place"] = text::word(cases::kInPlaceWords, s.in_place);
    facts["edge"] = text::word(cases::kEdgeWords, *s.edge);
  }
  if (!c.positions.empty()) {
    const auto [lowest, highest] = std::ranges::minmax(c.positions);
    facts["lowest position"] = lowest;
    facts["highest position"] = highest;
  }
  return facts;
}

Facts facts_of(const cases::PermuteCase& c) {
  reference::Spec spec;
  spec.layout = c.layout;
  ropeproof_problem problem =
      plugin::problem_of(ROPEPROOF_PERMUTE, spec, c.dtype, 0, 0);
  problem.permute_heads = c.heads;
  problem.permute_columns = c.columns;
  problem.amplitude = 0;
  return problem_facts(problem);
}

}  // namespace ropeproof::conformance::check
