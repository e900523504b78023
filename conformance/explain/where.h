// where.h -- at which elements of which cases a bug strikes.
#pragma once

#include <cstddef>
#include <vector>

#include "conformance/explain/answer.h"
#include "conformance/explain/rule.h"
#include "conformance/explain/trial.h"

namespace ropeproof::conformance::explain {

class Where {
 public:
  // Looks at all elements of an answer that is alone, without right ones beside
  // it; else at some of each.
  explicit Where(bool is_alone = false) : is_alone_(is_alone) {}

  // Adds an answer: elements that the bug explains, and right ones that it
  // would have spoilt.
  void add(const Answer& answer, const Trial& trial,
           const std::vector<Mark>& marks);

  // Some of the elements that it struck and of those that it spared, by
  // answers. Everywhere where it spared none.
  const Seen& seen() const { return seen_; }
  // Whether right answers can add nothing.
  bool is_full() const { return seen_.spared.size() >= kMostPlaces; }

 private:
  static constexpr std::size_t kMostPlaces = 1500;  // of each kind

  bool is_alone_;
  Seen seen_;
  std::size_t answers_ = 0;
};

// Rows of channels of an answer that is alone, some of those that are wrong
// beside a rule, or right against it; empty where none is. Cost: some 10 us a
// row.
std::vector<bool> rows_at_odds(const Rule& rule, const Answer& answer,
                               const Trial& trial);

// Whether a rule speaks of places of elements, not of problems alone.
bool is_by_place(const Rule& where);

// The class of a bug that strikes there: where rotation stops says more than
// that it does.
cases::Bug bug_at(const wrong::Mutation& mutation, const Rule& where);

}  // namespace ropeproof::conformance::explain
