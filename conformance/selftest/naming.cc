#include "conformance/selftest/naming.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <optional>
#include <set>

#include "conformance/call/cache.h"
#include "conformance/call/call.h"
#include "conformance/check/contract.h"
#include "conformance/check/diagnose.h"
#include "conformance/check/formed.h"
#include "conformance/check/offered.h"
#include "conformance/check/runner.h"
#include "conformance/cover/form.h"
#include "conformance/cover/recipes.h"
#include "conformance/cover/values.h"
#include "conformance/wrong/mutation.h"
#include "reference/parallel_for.h"

namespace ropeproof::conformance::selftest {
namespace {

using reference::at;
using wrong::PipelineKernel;

constexpr std::int64_t kLargest = std::int64_t{1} << 19;  // elements of q and k
constexpr std::size_t kCommon = 120, kTouched = 32;
// Elements of the cases that are looked at for one mutant.
constexpr std::int64_t kMostLookedAt = std::int64_t{1} << 22;
constexpr std::size_t kAtOnce = 64;  // candidates, on all cores

// Numbers for a case that has none, unlike their neighbours, so that a bug
// shows; batch rows that are to be one are alike.
void fill_numbers(cases::Case& c) {
  const auto fill = [](cases::Bits& numbers, double first) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = std::bit_cast<std::uint64_t>(
          first + 1 / (static_cast<double>(i) + 1.5));
    }
  };
  fill(c.golden.inv_freq_hi, 0);
  fill(c.golden.pair_amplitude, 1);
  const std::optional<reference::XPos>& xpos = c.problem.spec.frequencies.xpos;
  for (std::size_t i = 0; xpos && i < c.golden.pair_amplitude.size(); ++i) {
    // There the amplitude is 1.
    const auto token = static_cast<std::int64_t>(i) / c.problem.pairs();
    if (c.problem.position(0, token) == xpos->centre) {
      c.golden.pair_amplitude[i] = std::bit_cast<std::uint64_t>(1.0);
    }
  }
  for (const bool is_key : {false, true}) {
    cases::Bits& inputs = is_key ? c.problem.k : c.problem.q;
    const bool is_one = c.problem.storage.is_broadcast(is_key);
    const std::size_t rows =
        is_one ? static_cast<std::size_t>(c.problem.batch) : 1;
    const std::size_t row = std::max<std::size_t>(inputs.size() / rows, 1);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      inputs[i] =
          encode(c.problem.dtype, 1 + static_cast<double>(i % row % 31) / 32);
    }
  }
}

struct Ending {
  plugin::Outcome outcome;
  judge::Output output;
  bool operator==(const Ending&) const = default;
};

Ending ending(call::Call& call) {
  Ending ending;
  ending.outcome = call.run(ending.output).outcome;
  return ending;
}

cases::Corpus some_of(std::span<const cases::Group> groups,
                      const std::set<std::string>& ids) {
  const auto is_named = [&](const auto& c) { return ids.contains(c.id); };
  cases::Corpus corpus;
  for (const cases::Group& group : groups) {
    cases::Group& some = corpus.groups.emplace_back();
    some.tier = group.tier;
    some.name = group.name;
    std::ranges::copy_if(group.rope_cases, std::back_inserter(some.rope_cases),
                         is_named);
    std::ranges::copy_if(group.permute_cases,
                         std::back_inserter(some.permute_cases), is_named);
  }
  return corpus;
}

std::vector<explain::Diagnosis> diagnoses(plugin::Kernel& kernel,
                                          const cases::Corpus& corpus) {
  check::Selection selection;
  selection.values_only = true;
  // A diagnosis looks for itself.
  selection.wanted = check::Wanted::kAnswer;
  return check::diagnose(check::run_suite(kernel, corpus, selection), corpus);
}

}  // namespace

Naming::Naming(const cases::Corpus& corpus, const cover::Arrays& arrays)
    : corpus_(corpus),
      recipes_(cover::recipes_for(arrays, mutant_description(), true,
                                  cases::Tier::kCore, 0,
                                  [](const cover::Row&) { return true; })) {
  const auto add = [&](const cases::Case& c, bool is_formed) {
    if (c.problem.elements() <= kLargest) candidates_.push_back({c, is_formed});
  };
  for (const cases::Group& group : corpus.groups) {
    if (group.tier == cases::Tier::kFull) continue;
    for (const cases::Case& c : group.rope_cases) add(c, false);
  }
  const std::int64_t max_position = mutant_description().max_position;
  for (const cover::Recipe& recipe : recipes_) {
    cases::Case c;
    c.id = recipe.id;
    c.comment = recipe.text;
    c.problem = cover::outline(recipe, max_position);
    c.golden = call::numbered_tables(c.problem);
    fill_numbers(c);
    cover::mark_copies(c.problem, 1);
    add(c, true);
  }
  std::ranges::stable_sort(candidates_, {}, [](const Candidate& candidate) {
    return candidate.c.problem.elements();
  });
  for (std::size_t i = 0; i < kCommon; ++i) {
    common_.push_back(candidates_[i * candidates_.size() / kCommon].c.id);
  }
}

void Naming::find_touched(std::span<const Mutant> mutants,
                          const std::vector<bool>& open,
                          const Candidate& candidate,
                          std::vector<bool>& finds) {
  const cases::Problem& p = candidate.c.problem;
  PipelineKernel exact(mutant_description(), wrong::exact_pipeline());
  const auto ask = [&](std::uint32_t operation, const cases::Case& asked) {
    const reference::Format table =
        judge::claim_of(exact.description(), asked.problem.dtype, operation)
            .table;
    call::Call call(exact, operation, asked, table);
    const ropeproof_problem problem = call.begin();
    std::optional<Ending> right;
    for (std::size_t m = 0; m < mutants.size(); ++m) {
      const Mutant& mutant = mutants[m];
      if (!open[m] || finds[m]) continue;
      if (mutant.where && !mutant.where(problem)) continue;
      if (!right) right = ending(call);
      MutantKernel wrong(mutant);
      call::Call other(wrong, operation, asked, table);
      finds[m] = ending(other) != *right;
    }
  };
  for (const std::uint32_t operation :
       check::offered_operations(exact.description(), p, true)) {
    ask(operation, candidate.c);
  }
  if (candidate.is_formed) {
    cases::Case permutation;
    permutation.problem = check::permutation_like(p, 1);
    ask(ROPEPROOF_PERMUTE, permutation);
  }
}

std::vector<std::set<std::string>> Naming::asked(
    std::span<const Mutant> mutants) const {
  struct Looks {
    std::size_t touched = 0;
    std::int64_t elements = 0;
    bool are_over() const {
      return touched == kTouched || elements > kMostLookedAt;
    }
  };
  std::vector<std::set<std::string>> asked(
      mutants.size(), std::set<std::string>(common_.begin(), common_.end()));
  std::vector<Looks> looks(mutants.size());
  for (std::size_t first = 0; first < candidates_.size(); first += kAtOnce) {
    std::vector<bool> open;
    for (const Looks& of : looks) open.push_back(!of.are_over());
    const std::span<const Candidate> some(
        &candidates_[first], std::min(kAtOnce, candidates_.size() - first));
    std::vector<std::vector<bool>> finds(some.size(),
                                         std::vector<bool>(mutants.size()));
    reference::parallel_for(
        std::ssize(some),
        [&](std::int64_t i) {
          find_touched(mutants, open, at(some, i), at(finds, i));
        },
        1);
    for (std::size_t i = 0; i < some.size(); ++i) {
      for (std::size_t m = 0; m < mutants.size(); ++m) {
        if (looks[m].are_over()) continue;
        if (!mutants[m].where) {
          looks[m].elements += some[i].c.problem.elements();
        }
        if (!finds[i][m]) continue;
        asked[m].insert(some[i].c.id);
        ++looks[m].touched;
      }
    }
  }
  return asked;
}

std::vector<std::vector<explain::Diagnosis>> Naming::of(
    std::span<const Mutant> mutants) const {
  const std::vector<std::set<std::string>> ids = asked(mutants);
  std::set<std::string> all;
  for (const std::set<std::string>& some : ids) {
    all.insert(some.begin(), some.end());
  }
  const std::vector<cases::Group> groups = proved(all);
  std::vector<std::vector<explain::Diagnosis>> found(mutants.size());
  reference::parallel_for(
      std::ssize(mutants),
      [&](std::int64_t m) {
        MutantKernel kernel(at(mutants, m));
        at(found, m) = diagnoses(kernel, some_of(groups, at(ids, m)));
      },
      1);
  return found;
}

std::vector<explain::Diagnosis> Naming::of(plugin::Kernel& kernel) const {
  return diagnoses(kernel,
                   some_of(corpus_.groups, {common_.begin(), common_.end()}));
}

std::vector<cases::Group> Naming::proved(
    const std::set<std::string>& ids) const {
  std::vector<cases::Group> groups = some_of(corpus_.groups, ids).groups;
  std::vector<const cover::Recipe*> recipes;
  for (const cover::Recipe& recipe : recipes_) {
    if (ids.contains(recipe.id)) recipes.push_back(&recipe);
  }
  check::FormedCases formed(recipes, mutant_description());
  for (std::size_t i = 0; i < recipes.size(); ++i) {
    cases::Group& group = groups.emplace_back();
    group.tier = cases::Tier::kCore;
    const check::FormedList list = formed.next();
    for (const cases::Case& c : *list) {
      (c.problem.task == cases::Task::kPermute ? group.permute_cases
                                               : group.rope_cases)
          .push_back(c);
    }
  }
  return groups;
}

bool names(const std::vector<explain::Diagnosis>& diagnoses, cases::Bug bug) {
  return std::ranges::any_of(diagnoses, [&](const explain::Diagnosis& d) {
    if (d.bug == bug) return true;
    return std::ranges::any_of(
        wrong::mutations(), [&](const wrong::Mutation& h) {
          return h.bug == bug &&
                 std::ranges::find(d.aliases, h.name) != d.aliases.end();
        });
  });
}

}  // namespace ropeproof::conformance::selftest
