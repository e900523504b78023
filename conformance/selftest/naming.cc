#include "conformance/selftest/naming.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <set>

#include "conformance/check/call.h"
#include "conformance/check/contract.h"
#include "conformance/check/features.h"
#include "conformance/check/formed.h"
#include "conformance/check/runner.h"
#include "conformance/cover/formed.h"
#include "conformance/diagnosis/diagnose.h"
#include "conformance/diagnosis/hypotheses.h"

namespace ropeproof::conformance::selftest {
namespace {

using diagnosis::KnobKernel;

constexpr std::int64_t kLargest = std::int64_t{1} << 18;  // elements of q and k
constexpr std::size_t kCommon = 60, kTouched = 16;
// Elements of the cases that are looked at for one mutant.
constexpr std::int64_t kMostLookedAt = std::int64_t{1} << 22;
constexpr std::size_t kAtOnce = 64;  // candidates, on all cores

std::int64_t elements_of(const cases::RopeCase& c) {
  return c.tokens() * (c.q_heads + c.k_heads) * c.spec.layout.head_dim;
}

// Numbers for a case that has none, unlike their neighbours, so that a bug shows.
void fill_numbers(cases::RopeCase& c) {
  const auto fill = [](cases::Bits& numbers, double first) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = std::bit_cast<std::uint64_t>(
          first + 1 / (static_cast<double>(i) + 1.5));
    }
  };
  fill(c.inv_freq_hi, 0);
  fill(c.pair_amplitude, 1);
  const std::optional<reference::XPos>& xpos = c.spec.frequencies.xpos;
  for (std::size_t i = 0; xpos && i < c.pair_amplitude.size(); ++i) {
    // There the amplitude is 1.
    const auto token = static_cast<std::int64_t>(i) / c.pairs();
    if (c.position(0, token) == xpos->centre) {
      c.pair_amplitude[i] = std::bit_cast<std::uint64_t>(1.0);
    }
  }
  for (cases::Bits* inputs : {&c.q, &c.k}) {
    for (std::size_t i = 0; i < inputs->size(); ++i) {
      (*inputs)[i] = encode(c.dtype, 1 + static_cast<double>(i % 31) / 32);
    }
  }
}

// Of a call, and how it ended.
struct Ending {
  plugin::Outcome outcome;
  judge::Output output;
  bool operator==(const Ending&) const = default;
};

Ending ending(check::Call& call) {
  Ending ending;
  ending.outcome = call.run(ending.output).outcome;
  return ending;
}

// Marks in `finds` the mutants of `open` that answer some call of the case as no
// exact kernel does.
void find_touched(std::span<const Mutant> mutants,
                  const std::vector<bool>& open, const cases::RopeCase& c,
                  std::vector<bool>& finds) {
  KnobKernel exact(mutant_description(), diagnosis::exact_knobs());
  const auto ask = [&](const auto&... asked) {
    check::Call call(exact, asked...);
    const ropeproof_problem problem = call.begin();
    const Ending right = ending(call);
    for (std::size_t m = 0; m < mutants.size(); ++m) {
      const Mutant& mutant = mutants[m];
      if (!open[m] || finds[m]) continue;
      if (mutant.where && !mutant.where(problem)) continue;
      MutantKernel wrong(mutant);
      check::Call other(wrong, asked...);
      finds[m] = ending(other) != right;
    }
  };
  for (const std::uint32_t operation : check::kRopeOperations) {
    if (!check::missing_feature(exact.description(), operation, c, true)
             .empty()) {
      continue;
    }
    ask(operation, c, check::subject_of(exact, c, operation).claim.table);
  }
  if (check::is_formed(c.id)) ask(check::permute_of(c, 1));
}

}  // namespace

Naming::Naming(const cases::Corpus& corpus,
               std::shared_ptr<const cover::Arrays> arrays)
    : corpus_(corpus), arrays_(std::move(arrays)) {
  const auto add = [&](const cases::RopeCase& c) {
    if (elements_of(c) <= kLargest) candidates_.push_back({c.id, c});
  };
  for (const cases::Group& group : corpus.groups) {
    if (group.tier == "full") continue;
    for (const cases::RopeCase& c : group.rope_cases) add(c);
  }
  const plugin::Description description = mutant_description();
  for (const cover::FormedCase& one :
       cover::formed_cases(*arrays_, description, true, false, 0,
                           [](const cover::Row&) { return true; })) {
    if (one.tier != "core") continue;
    cases::RopeCase c = cover::outline(one, description.max_position);
    check::fill_stand_ins(c);
    fill_numbers(c);
    c.id = one.id;
    add(c);
  }
  std::ranges::stable_sort(
      candidates_, {}, [](const Candidate& one) { return elements_of(one.c); });
  for (std::size_t i = 0; i < kCommon; ++i) {
    common_.push_back(candidates_[i * candidates_.size() / kCommon].id);
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
#pragma omp parallel for schedule(dynamic)
    for (std::size_t i = 0; i < some.size(); ++i) {
      find_touched(mutants, open, some[i].c, finds[i]);
    }
    for (std::size_t i = 0; i < some.size(); ++i) {
      for (std::size_t m = 0; m < mutants.size(); ++m) {
        if (looks[m].are_over()) continue;
        if (!mutants[m].where) looks[m].elements += elements_of(some[i].c);
        if (!finds[i][m]) continue;
        asked[m].insert(some[i].id);
        ++looks[m].touched;
      }
    }
  }
  return asked;
}

std::vector<std::vector<diagnosis::Diagnosis>> Naming::of(
    std::span<const Mutant> mutants) const {
  const std::vector<std::set<std::string>> ids = asked(mutants);
  std::vector<std::vector<diagnosis::Diagnosis>> found(mutants.size());
#pragma omp parallel for schedule(dynamic)
  for (std::size_t m = 0; m < mutants.size(); ++m) {
    MutantKernel kernel(mutants[m]);
    found[m] = diagnoses(kernel, ids[m]);
  }
  return found;
}

std::vector<diagnosis::Diagnosis> Naming::of(plugin::Kernel& kernel) const {
  std::set<std::string> ids;
  for (const std::string& id : common_) {
    if (!check::is_formed(id)) ids.insert(id);
  }
  return diagnoses(kernel, ids);
}

std::vector<diagnosis::Diagnosis> Naming::diagnoses(
    plugin::Kernel& kernel, const std::set<std::string>& ids) const {
  check::Selection selection;
  selection.cases.assign(ids.begin(), ids.end());
  selection.arrays = arrays_;
  selection.values_only = true;
  return diagnosis::diagnose(check::run_suite(kernel, corpus_, selection),
                             corpus_);
}

bool names(const std::vector<diagnosis::Diagnosis>& diagnoses,
           const std::string& bug) {
  return std::ranges::any_of(diagnoses, [&](const diagnosis::Diagnosis& d) {
    if (d.bug == bug) return true;
    return std::ranges::any_of(
        diagnosis::hypotheses(), [&](const diagnosis::Hypothesis& h) {
          return h.bug == bug &&
                 std::ranges::find(d.aliases, h.name) != d.aliases.end();
        });
  });
}

}  // namespace ropeproof::conformance::selftest
