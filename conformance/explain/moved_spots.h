// moved_spots.h -- pairs that hold what belongs elsewhere, found by value.
#pragma once

#include <cstdint>
#include <vector>

#include "conformance/explain/answer.h"
#include "conformance/explain/spots.h"

namespace ropeproof::conformance::explain {

class MovedSpots {
 public:
  // A count of spots that no coincidence of values explains. An answer says
  // nothing where any number may stand somewhere: of 16 bits, of many elements.
  struct Found {
    std::int64_t all = 0, count = 0;
    std::int64_t near = 0;       // spots that are off by too little to say
    std::int64_t by_chance = 0;  // of as many numbers that have no reason

    void see(bool is_found, bool is_by_chance);
    void see_near() { ++near; }
    void add(const Found& of_answer);
    bool is_most() const;
  };

  // Adds the wrong spots of an answer, unless it has more than 2^17 elements.
  void add(const Answer& answer, const std::vector<Spot>& spots);

  // A quarter of the spots or more hold the results of other places, or what
  // becomes of inputs of others, and far more than by chance: pairs of one
  // place, or each number of its own.
  bool are_results() const {
    return written_.is_most() || written_apart_.is_most();
  }
  bool are_inputs() const { return read_.is_most() || read_apart_.is_most(); }
  // The spots are rotated by entries of another place of a given table.
  bool are_entries() const { return entries_.is_most(); }

 private:
  Found read_, written_, read_apart_, written_apart_, entries_;
};

}  // namespace ropeproof::conformance::explain
