#include "conformance/diagnosis/diagnose.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <tuple>

#include "conformance/diagnosis/contrast.h"
#include "conformance/diagnosis/failures.h"
#include "conformance/diagnosis/promises.h"
#include "conformance/diagnosis/where.h"

namespace ropeproof::conformance::diagnosis {
namespace {

using Numbers = std::vector<std::size_t>;

// More faults than these are no diagnosis.
constexpr std::size_t kMostFaults = 4;
// Elements of a failure that two bugs at once are tried on: some 20,000 kernels.
constexpr std::int64_t kLargestPairTrial = 256;

// Where rotation stops says more than that it does.
std::string bug_at(const std::string& bug, const std::string& where) {
  const auto says = [&](const char* word) {
    return where.find(word) != std::string::npos;
  };
  if (bug == "memory/strides-ignored" && says("order")) {
    return "shape/axes-confused";
  }
  if (bug != "rotation/sine-lost") return bug;
  if (says("seq is 1")) return "position/single-token-path";
  // By what the rule says first.
  constexpr std::pair<const char*, const char*> kBugs[] = {
      {"pair", "shape/simd-tail"},
      {"head", "shape/heads-miscounted"},
      {"token", "shape/32-bit-overflow"},
      {"batch", "shape/32-bit-overflow"}};
  std::size_t first = where.size();
  std::string found = bug;
  for (const auto& [word, of_word] : kBugs) {
    const std::size_t at = where.find(word);
    if (at >= first) continue;
    first = at;
    found = of_word;
  }
  return found;
}

class Diagnoser {
 public:
  Diagnoser(const check::Run& run, const cases::Corpus& corpus)
      : run_(run), corpus_(corpus), failures_(run, hypotheses_) {
    for (std::size_t i = 0; i < failures_.size(); ++i) left_.push_back(i);
  }

  std::vector<Diagnosis> find() {
    if (left_.empty()) return {};
    failures_.try_all();
    add_changed_bits();
    while (!left_.empty() && found_.size() < kMostFaults) {
      if (!add_best() && !add_two_at_once()) break;
    }
    if (!left_.empty()) add_unexplained();
    return std::move(found_);
  }

 private:
  // Where every number is right, and what is copied has other bits.
  void add_changed_bits() {
    Numbers failures;
    for (const std::size_t i : left_) {
      if (failures_.fit(i, 0).wrong == 0) failures.push_back(i);
    }
    if (failures.empty()) return;
    Diagnosis d;
    d.what = "NaNs copied with other bits";
    d.bug = "value/special-mishandled";
    d.equation = 5;
    d.advice = "copy bits, not numbers, what is not rotated";
    d.residual = 0;
    take(std::move(d), failures);
  }

  // Of the failures that are left, those that a hypothesis explains.
  Numbers explained_by(std::size_t h, bool all) {
    Numbers some;
    for (const std::size_t i : left_) {
      const Fit& fit = failures_.fit(i, h);
      if (all ? fit.explains_all() : fit.explains_wrong()) some.push_back(i);
    }
    return some;
  }

  // The hypothesis that explains most of what is left and either strikes wherever it
  // can or by a rule: else its numbers may be a coincidence.
  bool add_best() {
    std::vector<std::tuple<std::size_t, std::size_t, std::size_t>> ranked;
    for (const std::size_t h : failures_.leads()) {
      const std::size_t some = explained_by(h, false).size();
      if (some > 0) ranked.emplace_back(some, explained_by(h, true).size(), h);
    }
    std::ranges::stable_sort(ranked, [](const auto& a, const auto& b) {
      return std::pair(std::get<0>(a), std::get<1>(a)) >
             std::pair(std::get<0>(b), std::get<1>(b));
    });
    for (const auto& [some, all, h] : ranked) {
      Numbers failures = explained_by(h, false);
      const std::string where =
          where_of(hypotheses_[h].change, hypotheses_[h].rounds, failures);
      // A rule for a few is found by chance, too.
      const bool are_few = 4 * failures.size() < left_.size();
      if (where == "?" || (!where.empty() && are_few)) continue;
      Diagnosis d = named(h, failures);
      d.where = where;
      d.bug = bug_at(d.bug, where);
      add_rivals(d, h, failures);
      const bool is_sharp = std::ranges::any_of(failures, [&](std::size_t i) {
        return failures_.fit(i, h).sharp > 0;
      });
      for (const std::size_t i : left_) {
        if (is_sharp && failures_.fit(i, h).allows() &&
            std::ranges::find(failures, i) == failures.end()) {
          failures.push_back(i);
        }
      }
      take(std::move(d), failures);
      return true;
    }
    return false;
  }

  Diagnosis named(std::size_t h, const Numbers& failures) {
    const Hypothesis& hypothesis = hypotheses_[h];
    Diagnosis d;
    d.what = hypothesis.name;
    d.bug = hypothesis.bug;
    d.equation = hypothesis.equation;
    d.advice = hypothesis.advice;
    d.residual = 0;
    for (const std::size_t i : failures) {
      d.residual = std::max(d.residual, failures_.fit(i, h).residual);
    }
    return d;
  }

  // Aliases, which explain as much as `best`; and the best of the others.
  void add_rivals(Diagnosis& d, std::size_t best, const Numbers& failures) {
    std::optional<std::pair<std::int64_t, double>> least;
    for (const std::size_t h : failures_.leads()) {
      if (h == best) continue;
      std::int64_t missed = 0;
      bool is_alias = true;
      double residual = 0;
      for (const std::size_t i : failures) {
        const Fit& fit = failures_.fit(i, h);
        missed += fit.explains_wrong() ? 0 : 1;
        is_alias = is_alias && fit.explains_wrong() &&
                   fit.explains_all() == failures_.fit(i, best).explains_all();
        residual = std::max(residual, fit.residual);
      }
      if (is_alias) {
        d.aliases.push_back(hypotheses_[h].name);
      } else if (!least || std::pair(missed, residual) < *least) {
        least = {missed, residual};
        d.next = hypotheses_[h].name;
        d.next_residual = residual;
      }
    }
  }

  // Where the bug strikes, from elements that it explains and right ones that it
  // would have spoilt.
  std::string where_of(const std::function<void(Knobs&)>& change, bool rounds,
                       const Numbers& failures) {
    Where where(run_);
    std::vector<Mark> marks;
    std::set<std::uint32_t> operations;
    for (const std::size_t i : failures) {
      const check::Check& check = failures_.check_of(i);
      operations.insert(check.operation);
      failures_.at(i).trial->fit(change, rounds, &marks);
      where.add(check, *failures_.at(i).trial, marks);
    }
    for (const RightAnswer& right : contrast(operations)) {
      if (right.trial == nullptr ||
          !operations.contains(right.check->operation))
        continue;
      right.trial->fit(change, rounds, &marks);
      where.add(*right.check, *right.trial, marks);
    }
    return where.text();
  }

  const std::vector<RightAnswer>& contrast(
      const std::set<std::uint32_t>& operations) {
    if (!std::ranges::includes(contrasted_, operations)) {
      contrasted_.insert(operations.begin(), operations.end());
      contrast_ = right_answers(run_, corpus_, contrasted_);
    }
    return contrast_;
  }

  // Those that change the answer of a trial, each in its own way.
  Numbers unlike(const Trial& trial) const {
    Numbers some;
    std::set<std::vector<double>> known;
    known.insert(trial.predict([](Knobs&) {}));
    for (std::size_t h = 0; h < hypotheses_.size(); ++h) {
      if (hypotheses_[h].rounds) continue;
      std::vector<double> answer = trial.predict(hypotheses_[h].change);
      const bool is_plain =
          !answer.empty() &&
          !std::ranges::any_of(answer, [](double x) { return std::isnan(x); });
      if (is_plain && known.insert(std::move(answer)).second) some.push_back(h);
    }
    return some;
  }

  // Two bugs in one kernel: every two, on the smallest failure that is left.
  bool add_two_at_once() {
    const Trial& trial = *failures_.at(left_.front()).trial;
    if (trial.elements() > kLargestPairTrial) return false;
    std::optional<std::pair<std::size_t, std::size_t>> best;
    Numbers of_best;
    const Numbers some = unlike(trial);
    for (const std::size_t a : some) {
      for (const std::size_t b : some) {
        if (a == b || !trial.fit(both(a, b), false).explains_all()) continue;
        Numbers failures;
        for (const std::size_t i : left_) {
          const Fit fit = failures_.at(i).trial->fit(both(a, b), false);
          if (fit.explains_all()) failures.push_back(i);
        }
        if (failures.size() <= of_best.size()) continue;
        best = {a, b};
        of_best = failures;
      }
    }
    if (!best) return false;
    const auto change = both(best->first, best->second);
    if (!where_of(change, false, of_best).empty()) return false;
    Diagnosis d = named(best->first, {});
    const Hypothesis& second = hypotheses_[best->second];
    d.what += "; and " + second.name;
    d.advice += std::string("; ") + second.advice;
    for (const std::size_t i : of_best) {
      d.residual = std::max(d.residual,
                            failures_.at(i).trial->fit(change, false).residual);
    }
    take(std::move(d), of_best);
    return true;
  }

  std::function<void(Knobs&)> both(std::size_t a, std::size_t b) const {
    return [this, a, b](Knobs& knobs) {
      hypotheses_[a].change(knobs);
      hypotheses_[b].change(knobs);
    };
  }

  void add_unexplained() {
    Diagnosis d;
    d.residual = 0;
    Where where(run_);
    std::set<std::uint32_t> operations;
    std::vector<Mark> marks;
    for (const std::size_t i : left_) {
      const check::Check& check = failures_.check_of(i);
      operations.insert(check.operation);
      const Trial& trial = *failures_.at(i).trial;
      trial.fit([](Knobs&) {}, false, &marks);
      for (Mark& mark : marks) {
        mark = mark == Mark::kUnmoved ? Mark::kBroken : Mark::kExplained;
      }
      where.add(check, trial, marks);
    }
    for (const RightAnswer& right : contrast(operations)) {
      if (right.trial == nullptr) continue;
      marks.assign(static_cast<std::size_t>(right.trial->elements()),
                   Mark::kBroken);
      where.add(*right.check, *right.trial, marks);
    }
    d.where = where.text();
    d.equation = run_.checks[failures_.at(left_.front()).answer->check]
                     .measurement->equation;
    take(std::move(d), left_);
  }

  void take(Diagnosis d, Numbers failures) {
    d.checks = static_cast<std::int64_t>(failures.size());
    d.tried = static_cast<std::int64_t>(failures_.size());
    d.example = failures_.check_of(failures.front()).case_id;
    std::erase_if(left_, [&](std::size_t i) {
      return std::ranges::find(failures, i) != failures.end();
    });
    found_.push_back(std::move(d));
  }

  const check::Run& run_;
  const cases::Corpus& corpus_;
  const std::vector<Hypothesis>& hypotheses_ = hypotheses();
  Failures failures_;
  Numbers left_;
  std::vector<Diagnosis> found_;
  std::set<std::uint32_t> contrasted_;
  std::vector<RightAnswer> contrast_;
};

}  // namespace

std::vector<Diagnosis> diagnose(const check::Run& run,
                                const cases::Corpus& corpus) {
  std::vector<Diagnosis> all = Diagnoser(run, corpus).find();
  const bool is_named = std::ranges::any_of(
      all, [](const Diagnosis& d) { return !d.what.empty(); });
  for (Diagnosis& d : broken_promises(run, is_named))
    all.push_back(std::move(d));
  std::ranges::stable_partition(
      all, [](const Diagnosis& d) { return !d.what.empty(); });
  return all;
}

}  // namespace ropeproof::conformance::diagnosis
