// digit_table.h -- cos and sin of one RoPE at very many positions that lie
// anywhere, as sums of two doubles: what hardest.h searches.
//
//   (A) An oracle gives e^(i d 256^l theta_j) for every digit d < 256 and level
//       l < 4, each component as a sum of two doubles: kEntryError.
//   (B) A position is a sum of d 256^l, so its rotation is the product of at most
//       four entries: kCosSinError. No argument is ever reduced.
#ifndef ROPEPROOF_REFERENCE_SWEEP_DIGIT_TABLE_H_
#define ROPEPROOF_REFERENCE_SWEEP_DIGIT_TABLE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "reference/golden.h"
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

inline constexpr std::int64_t kMaxLimit = std::int64_t{1} << 32;

class DigitTable {
 public:
  // For positions below `limit`, 1 <= limit <= kMaxLimit. Cost: 7 us and 32
  // bytes for each pair and digit, some 500 digits for a limit of 131,072; uses
  // OpenMP. Throws std::invalid_argument for a limit out of range,
  // ArithmeticError, and what golden.h throws.
  DigitTable(Oracle oracle, double base, std::int64_t rotary_dim,
             std::int64_t limit);

  std::int64_t pairs() const { return pairs_; }

  // Writes (cos, sin) of all pairs, within kCosSinError; 0 <= position < limit.
  // Some 10 ns for each pair and level. Throws ArithmeticError.
  void cos_sin(std::int64_t position, std::span<CosSin> out) const;

 private:
  std::int64_t pairs_;
  std::vector<CosSin> entries_;  // [level, digit, pair]
};

}  // namespace ropeproof::reference::sweep

#endif  // ROPEPROOF_REFERENCE_SWEEP_DIGIT_TABLE_H_
