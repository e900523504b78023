#include "conformance/check/diagnose.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "conformance/check/broken_promises.h"
#include "conformance/check/formed.h"
#include "conformance/check/promises.h"
#include "conformance/check/runner.h"
#include "conformance/check/varied.h"
#include "conformance/cover/recipe.h"
#include "conformance/explain/explain.h"
#include "conformance/judge/tolerance.h"

namespace ropeproof::conformance::check {
namespace {

constexpr std::size_t kMostPassing = 240;
constexpr std::int64_t kLargest = std::int64_t{1} << 13;  // elements

class Asked {
 public:
  // Both outlive it.
  Asked(const Run& run, const cases::Corpus& corpus)
      : run_(run), corpus_(corpus) {}

  // Null where there is none of this id.
  std::shared_ptr<const cases::Case> of(const Check& check) {
    const bool permutes = check.operation == ROPEPROOF_PERMUTE;
    for (const cases::Group& group : corpus_.groups) {
      const auto& list = permutes ? group.permute_cases : group.rope_cases;
      const auto found =
          std::ranges::find(list, check.case_id, &cases::Case::id);
      // The caller owns the corpus.
      if (found != list.end()) return {std::shared_ptr<void>{}, &*found};
    }
    const auto cases = form(check.case_id);
    if (cases == nullptr) return nullptr;
    const auto found = std::ranges::find_if(*cases, [&](const cases::Case& c) {
      return (c.problem.task == cases::Task::kPermute) == permutes;
    });
    if (found == cases->end()) return nullptr;
    return {cases, &*found};
  }

 private:
  // Formed once and kept: several operations ask it.
  FormedList form(const std::string& id) {
    auto& formed = formed_[id];
    const auto found = std::ranges::find(run_.recipes, id, &cover::Recipe::id);
    if (formed == nullptr && found != run_.recipes.end()) {
      formed = FormedCases({&*found}, run_.formed_for).next();
    }
    return formed;
  }

  const Run& run_;
  const cases::Corpus& corpus_;
  std::map<std::string, FormedList> formed_;
};

// Makes answers of the checks of a run; outlives them.
class Answers {
 public:
  Answers(const Run& run, const cases::Corpus& corpus)
      : run_(run), corpus_(corpus) {}

  // An answer to a check, with what the run says of it.
  explain::Answer of(const Check& check, explain::Answer answer) {
    answer.id = check.case_id;
    answer.equation = check.account.equation;
    const auto facts = run_.facts.find(check.case_id);
    // A formed case of the same id is one of rotations, too; a promise may be
    // asked of a part of it.
    const cases::Problem& p = answer.asked->problem;
    if (p.task == cases::Task::kPermute || !check.is_of_values()) {
      facts_.push_back(facts_of(p));
      answer.facts = &facts_.back();
    } else if (facts != run_.facts.end()) {
      answer.facts = &facts->second;
    }
    return answer;
  }

  // Right ones, evenly over the run; cases that were formed are formed again.
  // Cost: a second at most.
  std::vector<explain::Answer> right(
      const std::set<std::uint32_t>& operations) {
    std::vector<const Check*> passing;
    for (const Check& check : run_.checks) {
      if (check.verdict == Verdict::kPass && check.is_of_values() &&
          check.measurement && check.measurement->elements <= kLargest &&
          operations.contains(check.operation)) {
        passing.push_back(&check);
      }
    }
    Asked asked(run_, corpus_);
    std::vector<explain::Answer> answers;
    const std::size_t count = std::min(kMostPassing, passing.size());
    for (std::size_t i = 0; i < count; ++i) {
      const Check& check = *passing[i * passing.size() / count];
      auto c = asked.of(check);
      if (c == nullptr || c->problem.is_special) continue;
      const judge::Claim claim =
          judge::claim_of(run_.kernel, c->problem.dtype, check.operation);
      answers.push_back(of(
          check, explain::answer_of(
                     c, check.operation, claim,
                     explain::exact_output(*c, check.operation, claim.table))));
    }
    return answers;
  }

 private:
  const Run& run_;
  const cases::Corpus& corpus_;
  std::deque<Facts> facts_;  // of no case of the run
};

bool is_crash(const Check& check) {
  return check.verdict == Verdict::kCrash && check.is_of_values();
}

// Finds wrong answers that a fresh process gives right.
class CarriedOver {
 public:
  CarriedOver(const Run& run, const cases::Corpus& corpus,
              plugin::Kernel& kernel)
      : asked_(run, corpus), kernel_(kernel) {
    if (!kernel.shares_memory()) return;  // a start may take seconds
    find(run, false);
    // Values are asked where it is known that something is carried over.
    if (std::ranges::find(run.checks, Retry::kRightInFreshProcess,
                          &Check::retry) != run.checks.end()) {
      find(run, true);
    }
  }
  bool contains(const Check& check) const { return right_.contains(&check); }

 private:
  // Some are asked; where all of them are right, the others count as such.
  void find(const Run& run, bool are_values) {
    constexpr std::size_t kMost = 8;
    std::vector<const Check*> wrong;
    for (const Check& check : run.checks) {
      if (check.wrong != nullptr && check.wrong->output &&
          check.is_of_values() == are_values && !check.is_right_alone()) {
        wrong.push_back(&check);
      }
    }
    const std::size_t count = std::min(kMost, wrong.size());
    std::set<const Check*> found;
    for (std::size_t i = 0; i < count; ++i) {
      const Check& one = *wrong[i * wrong.size() / count];
      if (is_right(one)) found.insert(&one);
    }
    if (found.size() == count) found.insert(wrong.begin(), wrong.end());
    right_.merge(found);
  }

  // A promise may be broken for other reasons than the call before: its answer
  // must be wrong behind the call of its case.
  bool is_right(const Check& check) {
    const cases::Case& c = *check.wrong->asked;
    if (!kernel_.restart(0)) return false;
    if (check.is_of_values()) return passes(check, c);
    const auto before = asked_.of(check);
    return before != nullptr && passes(check, *before) && !passes(check, c) &&
           kernel_.restart(0) && passes(check, c);
  }
  bool passes(const Check& check, const cases::Case& c) {
    return check_values(kernel_, check.operation, c,
                        {.wanted = Wanted::kVerdict})
        .passes();
  }

  Asked asked_;
  plugin::Kernel& kernel_;
  std::set<const Check*> right_;
};

// What the kernel carries over from one call to another; adds to `explained`.
explain::Diagnosis carried_over(const Run& run, const CarriedOver& carried,
                                std::set<std::size_t>& explained) {
  explain::Diagnosis kept{
      .what = kStale.what, .bug = kStale.bug, .advice = kStale.advice};
  for (std::size_t i = 0; i < run.checks.size(); ++i) {
    const Check& check = run.checks[i];
    if (!carried.contains(check) || check.is_of_values()) continue;
    explained.insert(i);
    if (++kept.checks == 1) kept.example = check.case_id;
  }
  kept.tried = kept.checks;
  return kept;
}

// The faults of the numbers, without those that a promise alone shows and that
// have no name, which are told as broken promises; adds to `explained`.
std::vector<explain::Diagnosis> faults_of_values(
    const Run& run, explain::Explanation found,
    const std::vector<std::size_t>& asked_wrong,
    std::set<std::size_t>& explained) {
  std::vector<explain::Diagnosis> all;
  for (std::size_t fault = 0; fault < found.faults.size(); ++fault) {
    explain::Diagnosis& d = found.faults[fault];
    const std::vector<std::size_t>& wrong = found.wrong[fault];
    const bool is_of_values = std::ranges::any_of(wrong, [&](std::size_t i) {
      return run.checks[asked_wrong[i]].is_of_values();
    });
    if (d.what.empty() && !is_of_values && !wrong.empty()) continue;
    for (const std::size_t i : wrong) {
      if (!d.what.empty()) explained.insert(asked_wrong[i]);
    }
    all.push_back(std::move(d));
  }
  return all;
}

}  // namespace

std::vector<explain::Diagnosis> diagnose(const Run& run,
                                         const cases::Corpus& corpus,
                                         plugin::Kernel* kernel) {
  Answers answers(run, corpus);
  explain::Evidence evidence;
  evidence.kernel = run.kernel;
  evidence.crashes =
      static_cast<std::size_t>(std::ranges::count_if(run.checks, is_crash));
  std::optional<CarriedOver> carried;
  if (kernel != nullptr) carried.emplace(run, corpus, *kernel);
  std::vector<std::size_t> asked_wrong, asked_lost;  // checks of these
  for (std::size_t i = 0; i < run.checks.size(); ++i) {
    const Check& check = run.checks[i];
    if (check.wrong == nullptr || check.is_right_alone() ||
        (carried && carried->contains(check))) {
      continue;
    }
    const bool is_lost = check.wrong->output == nullptr;
    (is_lost ? asked_lost : asked_wrong).push_back(i);
    (is_lost ? evidence.lost : evidence.wrong)
        .push_back(answers.of(check, *check.wrong));
  }
  evidence.right = [&](const std::set<std::uint32_t>& operations) {
    return answers.right(operations);
  };
  if (kernel != nullptr) {
    evidence.again = [&](const explain::Answer& like, explain::Again again,
                         int round) {
      return answers_again(*kernel, run, like, again, round);
    };
  }
  explain::Explanation found = explain::explain(evidence);
  std::set<std::size_t> explained;
  for (const std::size_t i : found.lost) explained.insert(asked_lost[i]);
  for (std::size_t i = 0; i < run.checks.size(); ++i) {
    if (found.explains_crashes && is_crash(run.checks[i])) explained.insert(i);
  }
  std::vector<explain::Diagnosis> all =
      faults_of_values(run, std::move(found), asked_wrong, explained);
  if (carried) {
    explain::Diagnosis kept = carried_over(run, *carried, explained);
    if (kept.checks > 0) all.push_back(std::move(kept));
  }
  Asked asked(run, corpus);
  const auto seen = [&](const Check& check, int round) {
    explain::Seen some;
    auto c = kernel == nullptr ? nullptr : asked.of(check);
    if (c == nullptr || !check.is_of_values()) return some;
    const explain::Answer like = answers.of(
        check, {.operation = check.operation, .asked = std::move(c)});
    for (const explain::Answer& answer :
         answers_again(*kernel, run, like, explain::Again::kNear, round)) {
      auto& list = answer.output == nullptr ? some.struck : some.spared;
      list.push_back({*answer.facts, some.struck.size() + some.spared.size()});
    }
    return some;
  };
  std::ranges::move(broken_promises(run, explained, seen),
                    std::back_inserter(all));
  std::ranges::stable_partition(
      all, [](const explain::Diagnosis& d) { return !d.what.empty(); });
  return all;
}

}  // namespace ropeproof::conformance::check
