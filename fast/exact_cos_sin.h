// exact_cos_sin.h -- cosines and sines to a hundred bits, slowly.
//
// Where the vector kernels cannot tell to which side a value rounds, they ask
// here; hence every table entry is rounded correctly.
#pragma once

#include <cstddef>

#include "fast/double_double.h"

namespace ropeproof::fast {

struct CosSin {
  DoubleDouble cos, sin;
};

// m cos and m sin of `position` * `circles` full circles. Their error is
// kExactCosSinBound of the value, beyond the angle's (exact_cos_sin.cc).
// Cost: about 0.34 us.
CosSin exact_cos_sin(DoubleDouble position, DoubleDouble circles,
                     double amplitude) noexcept;

// Several such pairs, entry by entry.
struct ExactPairs {
  static constexpr std::size_t kMost = 16;
  struct Numbers {
    double hi[kMost], lo[kMost];
  };
  Numbers position, circles;  // given
  double amplitude[kMost];
  Numbers cos, sin;
};

// Does the same for the first n of `pairs`, with the same bits; what lies
// behind them changes. Cost of each of 16: about 0.04 us with AVX-512, 0.06
// with AVX2; without FMA that of one.
void exact_cos_sins(ExactPairs& pairs, std::size_t n) noexcept;

// x rounded once: to nearest, ties to even.
float round_to_float(DoubleDouble x) noexcept;

}  // namespace ropeproof::fast
