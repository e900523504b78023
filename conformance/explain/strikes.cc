#include "conformance/explain/strikes.h"

#include <algorithm>
#include <memory>

namespace ropeproof::conformance::explain {

Rule Strikes::of_bug(const wrong::Change& change, bool rounds,
                     const std::vector<std::size_t>& failures) {
  Where where(is_alone());
  std::vector<Mark> marks;
  std::set<std::uint32_t> operations;
  const auto add = [&](const Failure& one) {
    one.trial->fit(change, rounds, &marks);
    // What a right one has, rounded from binary64, may be wrong in NaNs that
    // are copied.
    if (!one.answer->is_failure) {
      std::ranges::replace(marks, Mark::kExplained, Mark::kUnmoved);
    }
    where.add(*one.answer, *one.trial, marks);
  };
  for (const Failure& one : varied(failures[0])) add(one);
  for (const std::size_t i : failures) {
    operations.insert(failures_.answer(i).operation);
    add(failures_.at(i));
  }
  for (const Failure& right : contrast(operations)) {
    if (operations.contains(right.answer->operation)) add(right);
  }
  return where.rule();
}

Rule Strikes::of_wrong(const std::vector<std::size_t>& failures) {
  Where where(is_alone());
  std::set<std::uint32_t> operations;
  std::vector<Mark> marks;
  const auto add = [&](const Failure& one) {
    if (one.answer->is_failure) {
      one.trial->fit([](wrong::Pipeline&) {}, false, &marks);
      for (Mark& mark : marks) {
        if (mark == Mark::kUnseen) continue;
        mark = mark == Mark::kUnmoved ? Mark::kBroken : Mark::kExplained;
      }
    } else {
      marks.assign(static_cast<std::size_t>(one.trial->elements()),
                   Mark::kBroken);
    }
    where.add(*one.answer, *one.trial, marks);
  };
  for (const Failure& one : varied(failures[0])) add(one);
  for (const std::size_t i : failures) {
    operations.insert(failures_.answer(i).operation);
    add(failures_.at(i));
  }
  for (const Failure& right : contrast(operations)) add(right);
  return where.rule();
}

bool Strikes::is_alone() {
  return failures_.size() == 1 && evidence_.crashes == 0 &&
         contrast({failures_.answer(0).operation}).empty();
}

const std::vector<Failure>& Strikes::varied(std::size_t failure) {
  const auto [found, is_new] = varied_.try_emplace(failure);
  auto& [answers, trials] = found->second;
  if (is_new && evidence_.varied) {
    answers = evidence_.varied(failures_.answer(failure));
    for (const Answer& answer : answers) {
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
