// spots.h -- a rotation as numbers: each pair of each row, before and after.
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

}  // namespace ropeproof::conformance::explain
