// exact_turn.h -- one cosine and one sine to a hundred bits: slow, and right.
//
// Where the vector kernels cannot tell to which side a value rounds, they ask
// here; hence every table entry is rounded correctly, whichever way its angle
// was formed.
#ifndef ROPEPROOF_FAST_EXACT_TURN_H_
#define ROPEPROOF_FAST_EXACT_TURN_H_

#include "fast/double_double.h"

namespace ropeproof::fast {

struct ExactTurn {
  DoubleDouble cos, sin;
};

// m cos and m sin of `position` * `turns` full turns. See exact_turn.cc for the
// error: kExactTurnBound of the value, beyond that of the angle.
// Cost  about 0.3 us.
ExactTurn exact_turn(DoubleDouble position, DoubleDouble turns,
                     double amplitude) noexcept;

// x rounded once: to nearest, ties to even.
float round_to_float(DoubleDouble x) noexcept;

}  // namespace ropeproof::fast

#endif  // ROPEPROOF_FAST_EXACT_TURN_H_
