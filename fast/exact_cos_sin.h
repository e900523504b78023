// exact_cos_sin.h -- one cosine and one sine to a hundred bits, slowly.
//
// Where the vector kernels cannot tell to which side a value rounds, they ask
// here; hence every table entry is rounded correctly.
#pragma once

#include "fast/double_double.h"

namespace ropeproof::fast {

struct CosSin {
  DoubleDouble cos, sin;
};

// m cos and m sin of `position` * `circles` full circles. Their error is
// kExactCosSinBound of the value, beyond the angle's (exact_cos_sin.cc).
// Cost: about 0.45 us.
CosSin exact_cos_sin(DoubleDouble position, DoubleDouble circles,
                     double amplitude) noexcept;

// x rounded once: to nearest, ties to even.
float round_to_float(DoubleDouble x) noexcept;

}  // namespace ropeproof::fast
