// revealing_pairs.h -- pairs of numbers in which wrong roundings show.
#pragma once

#include <cstdint>

#include "reference/bound/bound.h"
#include "reference/format.h"

namespace ropeproof::conformance::cover {

// Pairs to be rotated, found one after another. Each kind of wrong rounding has
// its turn: of some candidates, the first is taken whose wrong result is far
// beyond the bound of right ones, else the one that goes farthest.
//
// The bound is that of reference/bound/bound.h for f32 arithmetic, an f32 table
// and one rounding at the end (f64: all f64), without what an angle's error
// adds:
//
//     |y^ - y| <= (1 + rho) m ||x|| L + rho |y|,    L about 2^-21, rho = u
//
// Where one output cancels, |y| << ||x||, L alone is left: a product or a table
// entry rounded to 16 bits errs by u ||x||. Truncation errs by up to 2 u |y|,
// where y lies just below a number of 16 bits and has a small significand.
class RevealingPairs {
 public:
  struct Pair {
    std::uint64_t u = 0, v = 0;  // of the format
  };

  RevealingPairs(reference::Format format, std::uint64_t seed);

  // For y_u = c x_u - s x_v and y_v = s x_u + c x_v; m is a factor of c and s.
  // Normal numbers, and normal outputs where they reveal anything. Cost: about
  // 0.6 us.
  Pair next(double c, double s);

 private:
  reference::Format format_;
  std::uint64_t seed_;
  std::uint64_t count_ = 0;  // of pairs so far
  reference::bound::LocalError bound_;
};

}  // namespace ropeproof::conformance::cover
