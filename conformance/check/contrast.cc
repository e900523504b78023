#include "conformance/check/contrast.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/check/choices.h"
#include "conformance/check/facts.h"
#include "conformance/check/offered.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::check {
namespace {

// Hundreds of rounds of them are due.
constexpr std::int64_t kMaxElements = 4096;

bool is_small(const cases::Problem& problem) {
  return problem.elements() > 0 && problem.elements() <= kMaxElements &&
         !problem.is_special;
}

using Trait = std::pair<std::string, Fact>;  // the operation, or a fact

// Returns how much a new trait counts. Words count more than numbers: most
// numbers are new in every case, and words say which path a kernel takes.
int weight_of(const Trait& trait) {
  return std::holds_alternative<std::string>(trait.second) ? 8 : 1;
}

struct Candidate {
  const cases::Case* c;
  std::uint32_t operation;
  std::vector<int*> traits;  // their weights, 0 once they are known
};

}  // namespace

std::vector<Subject> contrasting_subjects(
    plugin::Kernel& kernel,
    const std::map<std::string, const cases::Case*>& cases_by_id,
    std::size_t count) {
  std::map<Trait, int> weights;
  const auto candidate_of = [&](const cases::Case& c, std::uint32_t operation) {
    Candidate candidate{&c, operation, {}};
    Facts facts = facts_of(c.problem);
    facts["operation"] = text::word(plugin::kOperationWords, operation);
    facts["direction"] =
        text::word(text::kDirectionWords, c.problem.spec.direction);
    for (const auto& [name, fact] : facts) {
      const Trait trait(name, fact);
      int& weight = weights.try_emplace(trait, weight_of(trait)).first->second;
      candidate.traits.push_back(&weight);
    }
    return candidate;
  };
  std::vector<Candidate> left;
  for (const auto& [id, c] : cases_by_id) {
    if (!is_small(c->problem)) continue;
    for (const std::uint32_t operation : offered_operations(
             kernel.description(), c->problem, kernel.shares_memory())) {
      if (operation == ROPEPROOF_FREQUENCIES) continue;
      left.push_back(candidate_of(*c, operation));
    }
  }
  std::vector<Subject> chosen;
  const auto news = [](const Candidate& candidate) {
    int sum = 0;
    for (const int* weight : candidate.traits) sum += *weight;
    return sum;
  };
  while (chosen.size() < count && !left.empty()) {
    const auto best = std::ranges::max_element(left, {}, news);
    const Candidate candidate = std::move(*best);
    left.erase(best);
    if (declines(kernel, candidate.operation, *candidate.c)) continue;
    chosen.push_back({*candidate.c, candidate.operation});
    for (int* weight : candidate.traits) *weight = 0;
  }
  return chosen;
}

}  // namespace ropeproof::conformance::check
