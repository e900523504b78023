// moved_spots.h -- pairs that hold what belongs elsewhere, found by value.
#pragma once

#include <cstdint>
#include <vector>

#include "conformance/explain/answer.h"
#include "conformance/explain/spots.h"

namespace ropeproof::conformance::explain {

class MovedSpots {
 public:
  // Adds the wrong spots of an answer, unless it has more than 2^17 elements.
  void add(const Answer& answer, const std::vector<Spot>& spots);

  // A quarter of the spots or more hold the results of other places, or what
  // becomes of inputs of others, and far more than by chance.
  bool are_results() const { return written_.is_most_of(far_); }
  bool are_inputs() const { return read_.is_most_of(far_); }
  // The spots are rotated by entries of another place of a given table.
  bool are_entries() const { return entries_.is_most_of(far_); }

 private:
  struct Found {
    std::int64_t count = 0;
    std::int64_t by_chance = 0;  // of as many numbers that have no reason
    bool is_most_of(std::int64_t all) const;
  };

  std::int64_t far_ = 0;  // spots that no coincidence of values explains
  Found read_, written_, entries_;
};

}  // namespace ropeproof::conformance::explain
