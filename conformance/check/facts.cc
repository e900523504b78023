#include "conformance/check/facts.h"

#include <algorithm>
#include <type_traits>

#include "conformance/cases/case_words.h"
#include "conformance/cases/form_golden.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/fields.h"
#include "conformance/plugin/problem.h"
#include "conformance/plugin/scalings.h"
#include "conformance/text/word_tables.h"

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

Facts permutation_facts(const cases::Problem& p) {
  ropeproof_problem problem = plugin::problem_of(
      ROPEPROOF_PERMUTE, {.layout = p.spec.layout, .frequencies = {}}, p.dtype,
      0, 0);
  problem.permute_heads = p.q_heads;
  problem.permute_columns = p.seq;
  problem.amplitude = 0;
  return problem_facts(problem);
}

// A word or a number; "" or 0 where there is none.
template <class Value>
Value fact_of(const Facts& facts, const char* name) {
  const auto found = facts.find(name);
  const auto* fact =
      found == facts.end() ? nullptr : std::get_if<Value>(&found->second);
  return fact == nullptr ? Value() : *fact;
}

}  // namespace

plugin::Needs needs_of(const Facts& facts) {
  const auto bit = [&](const char* name, const auto& words) {
    return text::find_word(words, fact_of<std::string>(facts, name))
        .value_or(0);
  };
  plugin::Needs needs;
  needs.dtype = bit("dtype", plugin::kDtypeWords);
  needs.pairing = bit("pairing", plugin::kAbiPairingWords);
  needs.scaling = bit("scaling", plugin::kScalingWords);
  needs.axis_map = bit("axis_map", plugin::kAxisMapWords);
  needs.largest_position = std::max(fact_of<double>(facts, "highest position"),
                                    -fact_of<double>(facts, "lowest position"));
  return needs;
}

Facts facts_of(const cases::Problem& p) {
  if (p.task == cases::Task::kPermute) return permutation_facts(p);
  ropeproof_problem problem =
      plugin::problem_of(ROPEPROOF_ROPE, p.spec, p.dtype, p.batch, p.seq);
  const ropeproof_scaling scaling =
      plugin::abi_scaling(p.spec.frequencies.scaling);
  problem.q.heads = p.q_heads;
  problem.k.heads = p.k_heads;
  problem.amplitude = cases::amplitude_of(p);
  if (scaling.kind != 0) problem.scaling = &scaling;
  Facts facts = problem_facts(problem);
  facts["q_heads"] = p.q_heads;
  facts["k_heads"] = p.k_heads;
  facts["memory"] = text::word(cases::kStorageWords, p.nearest_storage());
  if (const cases::Storage& s = p.storage; s.edge) {
    facts["order"] = text::word(cases::kOrderWords, s.order);
    facts["spacing"] = text::word(cases::kSpacingWords, s.spacing);
    facts["rows"] = text::word(cases::kRowSpacingWords, s.rows);
    facts["place"] = text::word(cases::kInPlaceWords, s.in_place);
    facts["edge"] = text::word(cases::kEdgeWords, *s.edge);
  }
  if (!p.positions.empty()) {
    const auto [lowest, highest] = std::ranges::minmax(p.positions);
    facts["lowest position"] = lowest;
    facts["highest position"] = highest;
  }
  return facts;
}

}  // namespace ropeproof::conformance::check
