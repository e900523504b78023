#include "conformance/explain/explain.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <tuple>

#include "conformance/explain/failures.h"
#include "conformance/explain/steps.h"
#include "conformance/explain/strikes.h"
#include "conformance/explain/where.h"

namespace ropeproof::conformance::explain {
namespace {

using Numbers = std::vector<std::size_t>;
using Kind = Place::Kind;

constexpr std::size_t kMostFaults = 4;  // more are no diagnosis
// Elements that two bugs at once are tried on: some 20,000 kernels.
constexpr std::int64_t kLargestPairTrial = 256;

class Diagnoser {
 public:
  explicit Diagnoser(const Evidence& evidence)
      : evidence_(evidence),
        failures_(evidence, hypotheses_),
        strikes_(evidence, failures_),
        lost_(evidence) {
    for (std::size_t i = 0; i < failures_.size(); ++i) left_.push_back(i);
  }

  Explanation find() {
    failures_.try_from(0, left_);
    add_changed_bits();
    while (!left_.empty() && found_.size() < kMostFaults &&
           (add_best() || add_numeric() || add_fitted() || add_two_at_once())) {
    }
    join_two();
    for (Found& one : found_) add_lost(one);
    add_lost_alone();
    add_unexplained(
        left_that([&](std::size_t i) {
          return failures_.at(i).trial->is_unwritten();
        }),
        {.what = "some elements not written",
         .bug = "shape/heads-miscounted",
         .advice = "look for an early return, a branch without a store"});
    add_seen_step();
    add_unexplained(left_, {});
    Explanation all{{}, {}, lost_.taken(), lost_.are_all_taken()};
    for (Found& one : found_) {
      all.faults.push_back(std::move(one.diagnosis));
      for (std::size_t& i : one.failures) i = failures_.number(i);
      all.wrong.push_back(std::move(one.failures));
    }
    return all;
  }

 private:
  // A fault, the failures that it explains, and its one or two bugs.
  struct Found {
    Diagnosis diagnosis;
    Numbers failures, bugs;
  };

  // Of the failures that are left.
  template <class Is>
  Numbers left_that(const Is& is) const {
    Numbers some;
    std::ranges::copy_if(left_, std::back_inserter(some), is);
    return some;
  }

  // Where every number is right, and what is copied has other bits.
  void add_changed_bits() {
    const Numbers failures = left_that(
        [&](std::size_t i) { return failures_.fit(i, 0).wrong == 0; });
    if (failures.empty()) return;
    take({.what = "NaNs copied with other bits",
          .bug = "value/special-mishandled",
          .equation = 5,
          .advice = "copy bits, not numbers, what is not rotated",
          .residual = 0},
         failures, {});
  }

  Numbers explained_by(std::size_t h, bool all) {
    return left_that([&](std::size_t i) {
      const Fit& one = failures_.fit(i, h);
      return all ? one.explains_all() : one.explains_wrong();
    });
  }

  // The hypothesis that explains most of what is left and strikes wherever it
  // can or by a rule; else one that is sure, of equals the least change. The
  // numbers of others may be a coincidence.
  bool add_best() {
    std::vector<std::tuple<std::size_t, std::size_t, std::size_t>> ranked;
    for (const std::size_t h : failures_.leads()) {
      const std::size_t some = explained_by(h, false).size();
      if (some > 0) ranked.emplace_back(some, explained_by(h, true).size(), h);
    }
    std::ranges::stable_sort(ranked, std::greater(), [](const auto& one) {
      return std::pair(std::get<0>(one), std::get<1>(one));
    });
    std::optional<std::pair<std::size_t, Rule>> sure;
    for (const auto& [some, all, h] : ranked) {
      const Numbers failures = explained_by(h, false);
      // A rule for a few is found by chance, too, and so is a bug for one, or
      // one that nobody has met.
      const wrong::Mutation& bug = hypotheses_[h];
      const bool are_few = 4 * failures.size() < left_.size();
      const std::size_t fewest = bug.source.empty() ? left_.size() : 3;
      const bool is_chance = are_few && (failures.size() < fewest ||
                                         strikes_.spares(bug, failures));
      if (is_chance || failures_.spares_pairs(h, failures)) continue;
      const Rule& where = strikes_.of_bug(bug, failures);
      if (!where.place.is_exact()) {
        const bool is_less = sure &&
                             explained_by(sure->first, false).size() == some &&
                             failures_.broken_by(h, failures) <
                                 failures_.broken_by(sure->first, failures);
        if ((!sure || is_less) && 4 * some >= 3 * left_.size() &&
            failures_.are_sure(failures, h)) {
          sure.emplace(h, where);
        }
      } else if (where.place.kind != Kind::kRule || !are_few) {
        take_whole(h, where);
        return true;
      }
    }
    if (sure) take_whole(sure->first, sure->second);
    return sure.has_value();
  }

  // Adds changes of numbers that no source reports.
  bool add_numeric() {
    const std::size_t known = wrong::mutations().size();
    if (hypotheses_.size() > known) return false;
    std::ranges::copy(wrong::numeric_mutations(),
                      std::back_inserter(hypotheses_));
    failures_.try_from(known, left_);
    return add_best();
  }

  // Adds the step that numbers show, fitted: then it is known where it strikes.
  bool add_fitted() {
    const std::size_t known = hypotheses_.size();
    for (const wrong::Mutation& one : seen_step().fitted) {
      const auto is_it = [&](const auto& h) { return h.name == one.name; };
      if (std::ranges::none_of(hypotheses_, is_it)) hypotheses_.push_back(one);
    }
    if (hypotheses_.size() > known) failures_.try_from(known, left_);
    return hypotheses_.size() > known && add_best();
  }

  // Of "not rotated" and "not written", one in place, the latter where answers
  // out of place are right: no code skips a rotation in place alone. It is the
  // latter, too, where a bug that writes elsewhere would do.
  std::size_t of_equals(std::size_t h, const Numbers& failures) {
    constexpr cases::Bug kNotWritten = "shape/heads-miscounted";
    const auto is_out = [](const Failure& one) {
      const cases::Problem& p = one.answer->asked->problem;
      return !p.storage.any_in_place(p.k_heads);
    };
    const bool is_skipped =
        hypotheses_[h].ends_early &&
        std::ranges::none_of(
            failures, [&](std::size_t i) { return is_out(failures_.at(i)); }) &&
        std::ranges::any_of(
            strikes_.contrast({failures_.answer(failures[0]).operation}),
            is_out);
    if (!is_skipped && !failures_.are_unwritten(failures, h)) return h;
    for (const std::size_t other : failures_.leads()) {
      if (hypotheses_[other].bug == kNotWritten &&
          explained_by(other, false) == failures) {
        return other;
      }
    }
    return h;
  }

  // A bug by a place is part of another one where that one's place is about no
  // more facts: "only batch row 0 written", where?, is "not written".
  void take_whole(std::size_t h, Rule where) {
    if (where.place == Place{}) return take_one(h, where);
    const Numbers failures = explained_by(h, false);
    const bool has_rule = where.place.kind == Kind::kRule;
    const auto whole = failures_.whole_of(h, failures, has_rule);
    if (!whole) return take_one(h, where);
    const Rule& of_whole = strikes_.of_bug(hypotheses_[*whole], failures);
    // A rule by places says all that the places of the bug itself do.
    if (has_rule && !of_whole.place.is_exact() && is_by_place(where)) {
      where.place.kind = Kind::kWithin;
      return take_one(*whole, where);
    }
    const bool is_as_short =
        !has_rule || (of_whole.place.kind == Kind::kRule &&
                      of_whole.place.facts.size() <= where.place.facts.size());
    take_one(is_as_short ? *whole : h, is_as_short ? of_whole : where);
  }

  void take_one(std::size_t h, const Rule& where) {
    Numbers failures = explained_by(h, false);
    h = of_equals(h, failures);
    Diagnosis d = named({h}, failures);
    d.where = where.place;
    d.bug = bug_at(hypotheses_[h], where);
    failures_.add_rivals(d, h, failures);
    const bool is_sharp = std::ranges::any_of(
        failures, [&](std::size_t i) { return failures_.fit(i, h).sharp > 0; });
    for (const std::size_t i : is_sharp ? left_ : Numbers()) {
      if (failures_.fit(i, h).allows(where.place.has_rule()) &&
          std::ranges::find(failures, i) == failures.end()) {
        failures.push_back(i);
      }
    }
    take(std::move(d), failures, {h});
  }

  Diagnosis named(const Numbers& bugs, const Numbers& failures) {
    Diagnosis d;
    for (const std::size_t h : bugs) {
      const wrong::Mutation& one = hypotheses_[h];
      d.what += (h == bugs.front() ? "" : "; and ") + one.name;
      d.advice += (h == bugs.front() ? "" : "; ") + std::string(one.advice);
    }
    d.bug = hypotheses_[bugs[0]].bug;
    d.equation = hypotheses_[bugs[0]].equation;
    d.residual = 0;
    for (const std::size_t i : failures) {
      const Fit fit = bugs.size() == 1 ? failures_.fit(i, bugs[0])
                                       : fit_of_two(i, bugs[0], bugs[1]);
      d.residual = std::max(*d.residual, fit.residual);
    }
    return d;
  }

  Fit fit_of_two(std::size_t failure, std::size_t a, std::size_t b) const {
    return failures_.at(failure).trial->fit(at_once({a, b}), false);
  }

  // Two bugs in one kernel, on the smallest failure that is left: one that was
  // found with every other; where the failure is small, every two.
  bool add_two_at_once() {
    const Trial& trial = *failures_.at(left_.front()).trial;
    const Numbers known = bugs_found();
    Numbers all;
    const bool is_small = trial.elements() <= kLargestPairTrial;
    if (is_small || !known.empty()) all = failures_.unlike(trial);
    return add_two_of(known, all) || (is_small && add_two_of(all, all));
  }

  Numbers bugs_found() const {
    Numbers bugs;
    for (const Found& one : found_)
      bugs.insert(bugs.end(), one.bugs.begin(), one.bugs.end());
    return bugs;
  }

  bool add_two_of(const Numbers& firsts, const Numbers& seconds) {
    Numbers bugs, of_bugs;
    for (const std::size_t a : firsts) {
      for (const std::size_t b : seconds) {
        if (a == b || !fit_of_two(left_.front(), a, b).explains_all()) continue;
        const Numbers failures = left_that(
            [&](std::size_t i) { return fit_of_two(i, a, b).explains_all(); });
        if (failures.size() <= of_bugs.size()) continue;
        bugs = {a, b};
        of_bugs = failures;
      }
    }
    if (bugs.empty() || 2 * of_bugs.size() < left_.size() ||
        strikes_.of_change(at_once(bugs), false, of_bugs).place != Place{}) {
      return false;
    }
    take(named(bugs, of_bugs), of_bugs, bugs);
    return true;
  }

  // Where one bug hides the other in some cases, several faults are these two.
  void join_two() {
    const Numbers bugs = bugs_found();
    for (const std::size_t a : bugs) {
      for (const std::size_t b : bugs) {
        if (a != b && join(a, b)) return;
      }
    }
  }

  bool join(std::size_t a, std::size_t b) {
    const auto is_of_these = [&](const Found& one) {
      return !one.bugs.empty() &&
             std::ranges::all_of(one.bugs, [&](std::size_t bug) {
               return bug == a || bug == b;
             });
    };
    Numbers failures;
    for (const Found& one : found_) {
      if (!is_of_these(one)) continue;
      failures.insert(failures.end(), one.failures.begin(), one.failures.end());
    }
    if (std::ranges::count_if(found_, is_of_these) < 2 ||
        !std::ranges::all_of(failures, [&](std::size_t i) {
          const Fit fit = fit_of_two(i, a, b);
          return fit.explains_all() || fit.allows();
        })) {
      return false;
    }
    std::erase_if(found_, is_of_these);
    std::ranges::sort(failures);
    take(named({a, b}, failures), failures, {a, b});
    return true;
  }

  // Crashes in which what is found leaves its memory.
  void add_lost(Found& one) {
    if (one.bugs.empty() || lost_.left() == 0) return;
    const auto count = static_cast<std::int64_t>(lost_.take(at_once(one.bugs)));
    one.diagnosis.checks += count, one.diagnosis.tried += count;
  }

  // A bug that leaves its memory in all calls that crashed, and spoils nothing.
  void add_lost_alone() {
    if (lost_.left() < 3) return;  // a bug for two is found by chance
    const Numbers bugs =
        lost_.bugs_of_all(hypotheses_, strikes_.contrast(lost_.operations()));
    if (bugs.empty()) return;
    Found one{named({bugs.front()}, {}), {}, {bugs.front()}};
    for (std::size_t i = 1; i < bugs.size(); ++i) {
      one.diagnosis.aliases.push_back(hypotheses_[bugs[i]].name);
    }
    one.diagnosis.residual.reset();
    one.diagnosis.example = evidence_.lost.front().id;
    add_lost(one);
    found_.push_back(std::move(one));
  }

  wrong::Change at_once(Numbers bugs) const {
    return [this, bugs = std::move(bugs)](wrong::Pipeline& pipeline) {
      for (const std::size_t h : bugs) hypotheses_[h].change(pipeline);
    };
  }

  Step seen_step() const {
    std::vector<const Answer*> wrong;
    for (const std::size_t i : left_) wrong.push_back(&failures_.answer(i));
    return step_of(wrong, evidence_.kernel);
  }

  // By no known bug: the step that is wrong.
  void add_seen_step() {
    const Step step = seen_step();
    if (step.what.empty()) return;
    add_unexplained(left_, {.what = step.what,
                            .bug = step.bug,
                            .equation = step.equation,
                            .advice = step.advice,
                            .residual = step.residual});
  }

  // By no number: where they are wrong is all there is to say.
  void add_unexplained(const Numbers& failures, Diagnosis d) {
    if (failures.empty()) return;
    if (!d.residual) d.residual = 0;
    d.where = strikes_.of_wrong(failures).place;
    if (d.equation == 0) {
      d.equation = failures_.answer(failures.front()).equation;
    }
    take(std::move(d), failures, {});
  }

  void take(Diagnosis d, Numbers failures, Numbers bugs) {
    d.checks = static_cast<std::int64_t>(failures.size());
    d.tried = static_cast<std::int64_t>(failures_.size());
    d.example = failures_.answer(failures.front()).id;
    std::erase_if(left_, [&](std::size_t i) {
      return std::ranges::find(failures, i) != failures.end();
    });
    found_.push_back({std::move(d), std::move(failures), std::move(bugs)});
  }

  const Evidence& evidence_;
  std::vector<wrong::Mutation> hypotheses_ = wrong::mutations();
  Failures failures_;
  Strikes strikes_;
  Numbers left_;
  LostAnswers lost_;
  std::vector<Found> found_;
};

}  // namespace

Explanation explain(const Evidence& evidence) {
  return Diagnoser(evidence).find();
}

}  // namespace ropeproof::conformance::explain
