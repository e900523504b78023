// spots.h -- a rotation as numbers: each pair of each row, before and after;
// and pairs that hold what belongs elsewhere, found by value.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "conformance/explain/answer.h"
#include "reference/spec.h"

namespace ropeproof::conformance::explain {

using Complex = std::complex<double>;

// A pair of one row of channels, whose two elements are one complex number.
struct Spot {
  std::int64_t token = 0, pair = 0;
  double position = 0;       // on the pair's axis
  Complex x, y, want, turn;  // want = turn * x
  double bound = 0;          // the larger of the two
  bool is_finite = true;     // y
  // What is wrong holds what it held before the call.
  bool is_left = false;
  bool is_zero = false;  // what is wrong
  // Where x and y stand in their tensor, u first.
  bool is_key = false;
  reference::Pair from, to;
};

// The wrong pairs of a rotation, by tokens, then pairs; of more than `most`
// some, with all their rows.
std::vector<Spot> wrong_spots(const Answer& answer, std::size_t most);

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
