#include "conformance/explain/strikes.h"

#include <algorithm>
#include <memory>

namespace ropeproof::conformance::explain {

const Rule& Strikes::of_bug(const wrong::Mutation& bug,
                            const std::vector<std::size_t>& failures) {
  const auto [found, is_new] = known_.try_emplace({bug.name, failures});
  if (is_new) found->second = of_change(bug.change, bug.rounds, failures);
  return found->second;
}

Rule Strikes::of_change(const wrong::Change& change, bool rounds,
                        const std::vector<std::size_t>& failures) {
  return confirmed(failures, [&](const Failure& one, std::vector<Mark>& marks) {
    one.trial->fit(change, rounds, &marks);
    // A right answer stands in for the kernel's own as the golden, rounded;
    // NaNs that are copied may have other bits there.
    if (!one.answer->is_failure()) {
      std::ranges::replace(marks, Mark::kExplained, Mark::kUnmoved);
    }
  });
}

Rule Strikes::of_wrong(const std::vector<std::size_t>& failures) {
  std::vector<double> errors;
  for (const std::size_t i : failures) {
    const double error = failures_.at(i).trial->relative_error();
    if (error > 0) errors.push_back(error);
  }
  const auto middle = errors.begin() + std::ssize(errors) / 2;
  std::ranges::nth_element(errors, middle);
  const double relative = errors.empty() ? 2 : *middle;
  return confirmed(failures, [=](const Failure& one, std::vector<Mark>& marks) {
    const bool is_right = !one.answer->is_failure();
    if (is_right) {
      marks.assign(static_cast<std::size_t>(one.trial->elements()),
                   Mark::kUnmoved);
    } else {
      one.trial->fit([](wrong::Pipeline&) {}, false, &marks);
    }
    for (std::size_t i = 0; i < marks.size(); ++i) {
      if (marks[i] == Mark::kUnseen) continue;
      if (marks[i] != Mark::kUnmoved) {
        marks[i] = Mark::kExplained;
      } else if (one.trial->would_show(i, relative)) {
        marks[i] = Mark::kBroken;
      }
    }
  });
}

Rule Strikes::confirmed(
    const std::vector<std::size_t>& failures,
    const std::function<void(const Failure&, std::vector<Mark>&)>& mark) {
  const auto add = [&](Where& to, const Failure& one) {
    std::vector<Mark> marks;
    mark(one, marks);
    to.add(*one.answer, *one.trial, marks);
  };
  const auto seen_again = [&](Again how, int round) {
    Where where;
    for (const Failure& one : again(failures[0], how, round)) add(where, one);
    return where.seen();
  };
  // Where the same call differs, sizes and places have nothing to do with it.
  const auto is_failure = [](const Failure& one) {
    return one.answer->is_failure();
  };
  const std::vector<Failure>& same = again(failures[0], Again::kSame, 0);
  if (std::ranges::any_of(same, is_failure) &&
      !std::ranges::all_of(same, is_failure)) {
    const Seen seen = seen_again(Again::kSame, 0);
    return rule_of(seen.struck, seen.spared);
  }
  again_.at({failures[0], Again::kSame, 0}) = {};  // they have said it
  Where where(is_alone());
  std::set<std::uint32_t> operations;
  for (const Failure& one : again(failures[0], Again::kSizes, 0)) {
    add(where, one);
  }
  const bool is_shown = where.seen().has_both();
  for (const std::size_t i : failures) {
    operations.insert(failures_.answer(i).operation);
    add(where, failures_.at(i));
  }
  for (const Failure& right : contrast(operations)) {
    if (where.is_full()) break;
    if (operations.contains(right.answer->operation)) add(where, right);
  }
  // Of an answer that is alone, the rows that a look at some has missed.
  const auto seen_elsewhere = [&](const Rule& rule) {
    const Failure& failure = failures_.at(failures[0]);
    const Answer& answer = *failure.answer;
    Where elsewhere(true);
    const auto rows = rows_at_odds(rule, answer, *failure.trial);
    if (!rows.empty()) {
      add(elsewhere, {&answer,
                      std::make_unique<Trial>(answer, evidence_.kernel, rows),
                      {}});
    }
    return elsewhere.seen();
  };
  const bool has_rows =
      is_alone() && failures_.at(failures[0]).trial->is_part();
  return confirmed_rule(where.seen(), is_shown || has_rows,
                        [&](int round, const Rule& rule) {
                          return !has_rows ? seen_again(Again::kNear, round)
                                 : rule.place.is_exact() ? seen_elsewhere(rule)
                                                         : Seen();
                        });
}

bool Strikes::spares(const wrong::Mutation& bug,
                     const std::vector<std::size_t>& failures) {
  const auto is_spared = [&](const Failure& one) {
    return one.trial->fit(bug.change, bug.rounds).broken > 0;
  };
  std::set<std::uint32_t> operations;
  for (const std::size_t i : failures) {
    operations.insert(failures_.answer(i).operation);
    if (is_spared(failures_.at(i))) return true;
  }
  return std::ranges::any_of(contrast(operations), [&](const Failure& right) {
    return operations.contains(right.answer->operation) && is_spared(right);
  });
}

bool Strikes::is_alone() {
  return failures_.size() == 1 && evidence_.crashes == 0 &&
         contrast({failures_.answer(0).operation}).empty();
}

const std::vector<Failure>& Strikes::again(std::size_t failure, Again how,
                                           int round) {
  // Those that are like another failure are asked again if they are wanted.
  constexpr std::int64_t kMostKept = std::int64_t{1} << 18;
  if (kept_ > kMostKept) {
    std::erase_if(again_, [&](const auto& one) {
      return std::get<0>(one.first) != failure;
    });
  }
  const auto [found, is_new] = again_.try_emplace({failure, how, round});
  auto& [answers, trials] = found->second;
  if (is_new && evidence_.again) {
    answers = evidence_.again(failures_.answer(failure), how, round);
    for (const Answer& answer : answers) {
      kept_ += answer.asked->problem.elements();
      if (answer.output == nullptr) continue;
      trials.push_back(
          {&answer, std::make_unique<Trial>(answer, evidence_.kernel), {}});
    }
  }
  return trials;
}

const std::vector<Failure>& Strikes::contrast(
    const std::set<std::uint32_t>& operations) {
  if (std::ranges::includes(contrasted_, operations)) return contrast_;
  contrasted_.insert(operations.begin(), operations.end());
  right_ = evidence_.right(contrasted_);
  contrast_.clear();
  for (const Answer& answer : right_) {
    contrast_.push_back(
        {&answer, std::make_unique<Trial>(answer, evidence_.kernel), {}});
  }
  return contrast_;
}

}  // namespace ropeproof::conformance::explain
