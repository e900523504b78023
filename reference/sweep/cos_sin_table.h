// cos_sin_table.h -- m cos(phi) and m sin(phi) of every token and pair as sums
// of two doubles, each with a bound of its error.
//
// The oracle encloses every frequency, and turns.h forms the entries of it.
// Where the bound of an entry is above kTableError |m|, which takes positions
// near 2^80, the goldens of golden.h take its place, with |y - hi| <= u |y|,
// rounded within u^2 |y|. With xPos, where m depends on the position, the
// oracle encloses each entry in interval arithmetic.
//
// Tokens of the same position share a row.
#pragma once

#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <vector>

#include "reference/golden.h"
#include "reference/oracle.h"
#include "reference/spec.h"
#include "reference/sweep/double_double.h"
#include "reference/sweep/kept_frequencies.h"
#include "reference/sweep/turns.h"

namespace ropeproof::reference::sweep {

// Any entry, relative to |m|: the rotation of turns.h, where |C cos a| + |S sin
// a| is at most 1, its angle off by less than 2^-110, and the product with m.
inline constexpr double kTableError = 20 * kU2;
// Where low words underflow, each operation loses 2^-1075: a component is off
// by this much more, and by this times |m|.
inline constexpr double kTableUnderflow = 0x1p-1070;

class CosSinTable {
 public:
  // `positions` is [axes, tokens]. Cost: 100 ns for each pair and position, and
  // what kept_frequencies.h says of each pair; with xPos 10 us. Uses OpenMP.
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

  const Resolution& resolution() const { return kept_->prover().resolution(); }
  const std::vector<WideGolden>& frequencies() const {
    return kept_->frequencies();
  }

 private:
  void enclose();
  void turn();
  void turn_row(std::int64_t row, const Circle& steps,
                std::vector<TurnedEntry>& entries);
  void set(std::int64_t i, const CosSinEnclosure& entry);

  Oracle oracle_;
  Spec spec_;
  std::int64_t pairs_;
  std::vector<std::int64_t> row_of_token_;
  std::vector<std::vector<double>> positions_;  // [rows][axes]
  std::shared_ptr<const KeptFrequencies> kept_;
  std::vector<CosSin> cos_sin_;      // [rows, pairs]
  std::vector<CosSinError> errors_;  // [rows, pairs]
  std::vector<Golden> amplitudes_;   // [rows, pairs] with xPos
};

}  // namespace ropeproof::reference::sweep
