// sweep.h -- the goldens of one RoPE at very many positions, a thousand times
// as fast as an oracle, and with the same bits.
//
//   (A) An oracle gives e^(i d 256^l theta_j) for every digit d < 256 and level
//       l < 4, each component as a sum of two doubles: kEntryError.
//   (B) A position is a sum of d 256^l, so its rotation is the product of at most
//       four entries: kCosSinError. No argument is ever reduced.
//   (C) The rounding test (rounding.h) with kMargin decides the bits, or
//   (D) the oracle does, from the start (golden.h).
//
// The result is right because (A) is certified, (B) is bounded, and (C) never
// guesses. Whether the machine computes as the bounds assume is asked
// before each row (arithmetic.h).
#ifndef ROPEPROOF_REFERENCE_SWEEP_SWEEP_H_
#define ROPEPROOF_REFERENCE_SWEEP_SWEEP_H_

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/format.h"
#include "reference/golden.h"
#include "reference/spec.h"
#include "reference/sweep/double_double.h"

namespace ropeproof::reference::sweep {

// The error budget. Rotations are vectors (c, s); errors are lengths.
//
// An entry's component y, |y| <= 1, is hi = RN(y), lo = RN(y - hi): |y - hi| <=
// 2^-54, and rounding a number of at most that size costs at most 2^-108. Two
// components: sqrt(2) 2^-108 <= 0.354 u^2.
inline constexpr double kEntryError = 0.354 * kU2;
// Four entries, three products. Lengths are 1 within 2^-100, which the slack
// pays for: 4 0.354 + 3 11.33 = 35.41. It is below 2^-100.8.
inline constexpr double kCosSinError = 36.75 * kU2;
// A rotated pair (rows.h), y_u = x_u c - x_v s, relative to |x_u| + |x_v|: the
// rotation, the two products (kScaledError) and the sum (kSumError):
// 36.75 + 1.501 + 3.001 = 41.26.
inline constexpr double kRotationError = 41.5 * kU2;
// What the rounding test is given: either of them, and u^2 for its own ends.
inline constexpr double kMargin = 0x1p-100;  // 64 u^2

inline constexpr std::int64_t kMaxLimit = std::int64_t{1} << 32;

class Sweep {
 public:
  // Tables for |position| < limit, 1 <= limit <= kMaxLimit. Cost: 7 us and 32
  // bytes for each pair and digit, some 500 digits for a limit of 131,072; uses
  // OpenMP. The window, layout and direction of `spec` do not matter.
  // Throws std::invalid_argument for a limit out of range, and for what is no
  // plain rotation by one position: several axes, weights, xPos, an amplitude
  // other than 1; ArithmeticError; and what golden.h throws.
  Sweep(Oracle oracle, const Spec& spec, std::int64_t limit);

  std::int64_t pairs() const { return pairs_; }
  std::int64_t limit() const { return limit_; }

  // Writes (cos, sin) of all pairs, within kCosSinError; 0 <= position < limit.
  // Some 10 ns for each pair and level.
  void cos_sin(std::int64_t position, std::span<CosSin> out) const;

  // Writes cos and sin of all pairs, each pairs() long, as binary64 rounded to
  // odd (goldens: reference::encode makes f32, f16 and bf16 of them) or to
  // nearest. Any position that golden.h takes; those beyond the limit and 0,
  // where the values are exact, are the oracle's.
  void table(std::int64_t position, Rounding rounding, std::span<double> cos,
             std::span<double> sin) const;

  // Values that the oracle had to decide so far.
  std::int64_t fallbacks() const { return fallbacks_; }

 private:
  bool covers(std::int64_t position) const {
    return -limit_ < position && position < limit_;
  }

  Oracle oracle_;
  Spec spec_;  // interleaved, without channels outside the window
  std::int64_t pairs_, limit_;
  std::vector<CosSin> entries_;  // [level, digit, pair]
  mutable std::atomic<std::int64_t> fallbacks_ = 0;
};

}  // namespace ropeproof::reference::sweep

#endif  // ROPEPROOF_REFERENCE_SWEEP_SWEEP_H_
