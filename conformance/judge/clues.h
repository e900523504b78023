// clues.h -- what is known of a wrong output, as questions that tell bugs apart.
#ifndef ROPEPROOF_CONFORMANCE_JUDGE_CLUES_H_
#define ROPEPROOF_CONFORMANCE_JUDGE_CLUES_H_

#include <variant>

#include "conformance/cases/case.h"
#include "conformance/judge/equation.h"
#include "conformance/judge/measured.h"

namespace ropeproof::conformance::judge {

// The evidence as questions. At most one of the first four is true.
struct Clues {
  bool is_outside, are_places, are_pairs, is_rotation;  // by the equation
  bool is_angle;
  bool angle_unknown;  // wrong angles, but neither frequencies nor positions

  // Measured.
  bool frequency_off, frequency_right;
  bool one_ratio;  // the same for every pair
  bool pair_0_off;
  bool in_order;                  // ratios rise or fall, and turn once at most
  bool slightly;                  // none off by more than a 16-bit rounding
  bool reversed;                  // every ratio is -1
  bool tail_still;                // the last pairs alone do not turn
  bool other_base, base_of_head;  // the frequencies of another; over head_dim
  bool never_a_base;              // no base has such frequencies
  bool amplitude_off;
  bool position_off, position_shifted, position_halved, position_held,
      position_negated;
  bool angle_halved;  // off by no more than a 16-bit rounding
  bool sine_lost;

  // Of the elements.
  bool is_fine;              // small errors alone
  bool fits_f32, fits_half;  // of the size that an angle, a rounding has there
  bool is_far;               // right up to some position
  bool origin_wrong, outside_wrong;
  bool some_pairs, some_rows, some_heads;  // others are right
  bool unwritten, only_second;

  // Of the case.
  bool has_amplitude, is_partial, is_strided, is_adjoint;
  bool has_axes, has_rows, is_decode, is_beyond_int32;
  const reference::Scaling* scaling;

  template <class S>
  bool has() const {
    return std::holds_alternative<S>(*scaling);
  }
};

// `c` must outlive it.
Clues clues_of(const cases::RopeCase& c, int equation, const Evidence& evidence,
               const Measured& measured);

}  // namespace ropeproof::conformance::judge

#endif  // ROPEPROOF_CONFORMANCE_JUDGE_CLUES_H_
