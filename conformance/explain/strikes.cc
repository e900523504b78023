#include "conformance/explain/strikes.h"

#include <algorithm>
#include <memory>

namespace ropeproof::conformance::explain {

Rule Strikes::of_bug(const wrong::Change& change, bool rounds,
                     const std::vector<std::size_t>& failures) {
  Where where(is_alone());
  std::vector<Mark> marks;
  std::set<std::uint32_t> operations;
  for (const std::size_t i : failures) {
    operations.insert(failures_.answer(i).operation);
    failures_.at(i).trial->fit(change, rounds, &marks);
    where.add(failures_.answer(i), *failures_.at(i).trial, marks);
  }
  for (const Failure& right : contrast(operations)) {
    if (!operations.contains(right.answer->operation)) continue;
    right.trial->fit(change, rounds, &marks);
    // What it has, rounded from binary64, may be wrong in NaNs that are
    // copied.
    std::ranges::replace(marks, Mark::kExplained, Mark::kUnmoved);
    where.add(*right.answer, *right.trial, marks);
  }
  return where.rule();
}

Rule Strikes::of_wrong(const std::vector<std::size_t>& failures) {
  Where where(is_alone());
  std::set<std::uint32_t> operations;
  std::vector<Mark> marks;
  for (const std::size_t i : failures) {
    operations.insert(failures_.answer(i).operation);
    const Trial& trial = *failures_.at(i).trial;
    trial.fit([](wrong::Pipeline&) {}, false, &marks);
    for (Mark& mark : marks) {
      if (mark == Mark::kUnseen) continue;
      mark = mark == Mark::kUnmoved ? Mark::kBroken : Mark::kExplained;
    }
    where.add(failures_.answer(i), trial, marks);
  }
  for (const Failure& right : contrast(operations)) {
    marks.assign(static_cast<std::size_t>(right.trial->elements()),
                 Mark::kBroken);
    where.add(*right.answer, *right.trial, marks);
  }
  return where.rule();
}

bool Strikes::is_alone() {
  return failures_.size() == 1 && evidence_.crashes == 0 &&
         contrast({failures_.answer(0).operation}).empty();
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
