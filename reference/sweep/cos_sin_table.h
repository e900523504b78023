// cos_sin_table.h -- m cos(phi) and m sin(phi) of every token and pair as sums
// of two doubles, each with a bound of its error.
//
//   (A) The oracle encloses both components y of an entry in interval
//       arithmetic: y = hi + lo + e, and |e| at most a few u^2 |m| for angles
//       below 2^24. Where it is above kOracleError |m|, the goldens of golden.h
//       take its place, with |y - hi| <= u |y|, rounded within u^2 |y|.
//   (B) Angles are linear in the position (R2), so a position that is split
//       into a sum, p = high + low, has the product of two rotations,
//           m e^(i theta p) = m e^(i theta high) e^(i theta low).
//       With high a multiple of 2^k and |low| < 2^k, n consecutive positions
//       have 2 sqrt(n) different parts. The k of the fewest is taken; where no
//       split has fewer than there are positions, and with xPos, the oracle is
//       asked for each position.
//
// Tokens of the same position share a row, and each axis is split by itself.
#ifndef ROPEPROOF_REFERENCE_SWEEP_COS_SIN_TABLE_H_
#define ROPEPROOF_REFERENCE_SWEEP_COS_SIN_TABLE_H_

#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <vector>

#include "reference/golden.h"
#include "reference/oracle.h"
#include "reference/spec.h"
#include "reference/sweep/double_double.h"

namespace ropeproof::reference::sweep {

// (A), relative to |m|.
inline constexpr double kOracleError = 0x1p-101;  // 32 u^2
// (B): c = c_a c_b - s_a s_b is off by kSplitError (|c_a c_b| + |s_a s_b|), for
// two products, their sum and the second order, and by what the factors are off
// by; s likewise.
inline constexpr double kSplitError = 8.1 * kU2;
// Any entry, relative to |m|: |c_a c_b| + |s_a s_b| <= |m| (Cauchy-Schwarz),
// and a factor's errors are vectors of length sqrt(2) kOracleError at most: 8.1
// + 2 sqrt(2) 32 = 98.7.
inline constexpr double kTableError = 99 * kU2;
// Where low words underflow, each operation loses 2^-1075: a component is off
// by this much more, and by this times |m|.
inline constexpr double kTableUnderflow = 0x1p-1070;

// How far the components of an entry may be from the real numbers. Both are 0
// where the angle is zero and m is a binary64 number: there sin is 0 and cos m.
struct CosSinError {
  double c = 0, s = 0;
  bool is_exact() const { return c == 0 && s == 0; }
};

class CosSinTable {
 public:
  // `positions` is [axes, tokens]. Cost: the oracle's, some 10 us for each pair
  // and part of a position, and 20 ns for each pair and position. Uses OpenMP.
  // Throws what golden.h throws, and ArithmeticError.
  CosSinTable(Oracle oracle, const Spec& spec,
              std::span<const double> positions);

  // The row of a token: there is one for each position that occurs.
  std::int64_t row_of(std::int64_t token) const {
    return at(row_of_token_, token);
  }
  std::int64_t tokens() const { return std::ssize(row_of_token_); }

  // The entries of all pairs of a row.
  std::span<const CosSin> cos_sin(std::int64_t row) const {
    return {cos_sin_.begin() + row * pairs_, static_cast<std::size_t>(pairs_)};
  }
  std::span<const CosSinError> errors(std::int64_t row) const {
    return {errors_.begin() + row * pairs_, static_cast<std::size_t>(pairs_)};
  }
  // m of each pair: with xPos, it depends on the position.
  Golden amplitude(std::int64_t row, std::int64_t j) const;

  // The goldens of a row alone, from the start: pairs * 10 us.
  Goldens oracle(std::int64_t row) const;

  const Resolution& resolution() const { return prover_->resolution(); }
  std::vector<WideGolden> frequencies() const { return prover_->frequencies(); }

 private:
  Oracle oracle_;
  Spec spec_;
  std::int64_t pairs_;
  std::vector<std::int64_t> row_of_token_;
  std::vector<std::vector<double>> positions_;  // [rows][axes]
  std::unique_ptr<OracleProver> prover_;        // of the high parts
  std::vector<CosSin> cos_sin_;                 // [rows, pairs]
  std::vector<CosSinError> errors_;             // [rows, pairs]
  std::vector<Golden> amplitudes_;              // [rows, pairs] with xPos
};

}  // namespace ropeproof::reference::sweep

#endif  // ROPEPROOF_REFERENCE_SWEEP_COS_SIN_TABLE_H_
