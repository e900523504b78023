#include "conformance/check/call_coverage.h"

#include <bit>
#include <map>

#include "conformance/call/call.h"
#include "conformance/check/formed.h"
#include "conformance/check/offered.h"
#include "conformance/check/paper_kernel.h"
#include "conformance/cover/choose.h"
#include "conformance/cover/form.h"
#include "conformance/cover/offer.h"
#include "conformance/cover/recipes.h"
#include "conformance/plugin/abi_words.h"

namespace ropeproof::conformance::check {
namespace {

constexpr std::size_t kMissingShown = 5;

struct Seen {
  Seen(const cover::Model& model) : pairs(model, 2), triples(model, 3) {}
  std::size_t calls = 0;
  cover::Combinations pairs, triples;
};

// `seen_by`: the offered classes of the dimensions that the operation sees.
Share share_of(const cover::Model& model, const cover::Masks& offered,
               const cover::Masks& seen_by, int strength,
               const cover::Combinations& seen,
               std::vector<std::string>& missing) {
  Share share;
  const auto count = [&](const cover::Row& part) {
    const bool is_met = seen.has(part);
    if (!is_met && !model.complete(part, offered)) return;
    ++share.possible;
    if (is_met) ++share.met;
    if (!is_met && missing.size() < kMissingShown) {
      missing.push_back(model.words(part));
    }
  };
  cover::for_each_combination(model, seen_by, strength, count);
  return share;
}

// Calls visit(problem, row) for each call of the formed cases.
template <class Visit>
void for_each_call(const plugin::Description& description,
                   const cover::Arrays& arrays, cases::Tier tier,
                   const cases::Problem* like, const Visit& visit) {
  PaperKernel lender(description, true, {});  // of memory: no call is made
  for (const cover::Recipe& recipe : cover::recipes_for(
           arrays, description, true, tier, 0,
           [](const cover::Row&) { return true; }, like)) {
    if (recipe.source == cover::Source::kShapes) continue;
    const auto ask = [&](std::uint32_t operation, const cases::Problem& p,
                         const std::string& id) {
      const call::Call call(lender, operation, p, id, reference::Format::kF32,
                            call::Contents::kWritten);
      visit(call.questions().front(), recipe.row);
    };
    const cases::Problem p = cover::outline(recipe, description.max_position);
    for (const std::uint32_t operation :
         offered_operations(description, p, true)) {
      ask(operation, p, recipe.id);
    }
    if ((description.operations & ROPEPROOF_PERMUTE) != 0) {
      ask(ROPEPROOF_PERMUTE, permutation_like(p, recipe.seed), "");
    }
  }
}

}  // namespace

std::vector<OperationCoverage> call_coverage(
    const plugin::Description& description, const cover::Arrays& arrays,
    cases::Tier tier, const cases::Problem* like) {
  const cover::Model& model = arrays.model;
  cover::Masks offered = cover::offered(model, description, true);
  if (like != nullptr) offered = cover::fixed(model, offered, like->pairs());
  std::map<std::uint32_t, Seen> seen;
  for_each_call(
      description, arrays, tier, like,
      [&](const ropeproof_problem& problem, const cover::Row& row) {
        cover::Row classes = cover::classes_of(model, problem, row);
        const cover::Masks sees = cover::seen_by(model, problem.operation);
        for (std::size_t d = 0; like != nullptr && d < model.size(); ++d) {
          const bool is_fixed = sees[d] != 0 && std::has_single_bit(offered[d]);
          if (is_fixed) classes[d] = row[d];  // a profile has no other
        }
        Seen& of = seen.try_emplace(problem.operation, model).first->second;
        ++of.calls;
        of.pairs.add(classes);
        of.triples.add(classes);
      });
  std::vector<OperationCoverage> coverage;
  for (const auto& [operation, word] : plugin::kOperationWords) {
    if ((description.operations & operation) == 0) continue;
    const Seen& of = seen.try_emplace(operation, model).first->second;
    cover::Masks masks = cover::seen_by(model, operation);
    for (std::size_t d = 0; d < model.size(); ++d) masks[d] &= offered[d];
    OperationCoverage one{operation, of.calls, {}, {}, {}};
    one.pairs = share_of(model, offered, masks, 2, of.pairs, one.missing);
    one.triples =
        tier == cases::Tier::kFull
            ? share_of(model, offered, masks, 3, of.triples, one.missing)
            : Share{};
    coverage.push_back(std::move(one));
  }
  return coverage;
}

}  // namespace ropeproof::conformance::check
