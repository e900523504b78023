// choose.h -- the rows that a kernel is asked.
//
// A covering array holds every pair of classes. Replace, in each dimension,
// every class that a kernel does not offer by one that it does: a pair of
// offered classes stands where it stood, so the rows still hold every pair that
// the kernel offers. This is retraction, and why one array serves every
// declaration. What remains are rows that come to contradict themselves, whose
// pairs get rows of their own, and rows that add nothing any more, which are
// dropped.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "conformance/cover/model.h"

namespace ropeproof::conformance::cover {

// Combinations of `strength` classes, two or three, of different dimensions. A
// row with masking classes (Model::masking) has those that contain all of them.
class Combinations {
 public:
  Combinations(const Model& model, int strength);

  // Notes the combinations of a row, which may have open dimensions; returns
  // whether one of them is new.
  bool add(const Row& row);
  bool has(const Row& part) const;  // whose chosen classes are `strength`
  std::size_t count() const { return count_; }

 private:
  template <class Visit>
  void visit(const Row& row, const Visit& visit) const;

  const Model& model_;
  int strength_;
  std::vector<std::size_t> first_;  // number of each dimension's first class
  std::size_t classes_ = 0;
  std::vector<bool> seen_;
  std::size_t count_ = 0;
};

// Calls visit(part) for every combination of `strength` offered classes; `part`
// is open in all other dimensions.
void for_each_combination(const Model& model, const Masks& offered,
                          int strength,
                          const std::function<void(const Row&)>& visit);

// Whether the kernel takes a row after all: what it declines by itself.
using Takes = std::function<bool(const Row&)>;

// The rows of `array` retracted to the offered classes, and rows for the pairs
// that are missing then. A row that `takes` refuses is asked with one other
// class in its place, if that is taken. Cost: milliseconds, and the calls of
// `takes`.
std::vector<Row> choose(const Model& model, std::span<const Row> array,
                        const Masks& offered, int strength, const Takes& takes);

}  // namespace ropeproof::conformance::cover
