// fast_goldens.h -- goldens of one specification at run time: the same bits as
// golden.h, some hundred times as fast.
//
// Cosines and sines come from cos_sin_table.h and rotations are formed in
// double-double arithmetic, each with a bound of its error; the rounding test
// (rounding.h) decides the bits, or the oracle does, from the start.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reference/golden.h"
#include "reference/rope.h"
#include "reference/spec.h"
#include "reference/sweep/cos_sin_table.h"

namespace ropeproof::reference::sweep {

// The errors of table and pair, relative to |m| (|x_u| + |x_v|): below 2^-99.
inline constexpr double kGoldenError = kTableError + kPairError;

class FastGoldens {
 public:
  // Takes what Goldens of golden.h takes: `positions` is [axes, tokens]. Cost:
  // cos_sin_table.h. Everything here throws what golden.h throws, and
  // ArithmeticError; it uses OpenMP, and no result depends on the number of
  // threads.
  FastGoldens(Oracle oracle, const Spec& spec,
              std::span<const double> positions);

  const Resolution& resolution() const { return table_.resolution(); }
  const std::vector<WideGolden>& frequencies() const {
    return table_.frequencies();
  }

  // [tokens, pairs], the bits of Goldens::table. precision_bits is 106 where
  // the oracle did not decide.
  std::vector<GoldenCosSin> table() const;
  // [tokens, pairs], hi the bits of Goldens::wide_table, and hi + lo within
  // kTableError of the real number, relative to |m| (and to what underflows).
  std::vector<WideCosSin> wide_table() const;

  // The rotated tensor (R6), dense [tokens, heads, head_dim], as `x`, which is
  // finite and exact: the bits of Goldens::rope. Some 15 ns for each value.
  // Returns how many heads the oracle had to form, for 1 ms each and more.
  std::int64_t rope(std::int64_t heads, std::span<const double> x,
                    std::span<std::uint64_t> y) const;
  // A part: `count` tokens from `first` on, x and y theirs alone.
  std::int64_t rope_part(std::int64_t first, std::int64_t count,
                         std::int64_t heads, std::span<const double> x,
                         std::span<std::uint64_t> y) const;
  // hi has the bits of Goldens::wide_rope, and hi + lo is within kGoldenError
  // |m| (|x_u| + |x_v|) of the real number. lo is 0 outside the window.
  std::int64_t wide_rope(std::int64_t heads, std::span<const double> x,
                         std::span<std::uint64_t> hi,
                         std::span<std::uint64_t> lo) const;

 private:
  template <class Proved>
  std::vector<Proved> proved_table() const;
  struct Lanes;
  template <class Proved, class Store>
  bool rotate_head(std::int64_t row, std::span<const double> head, Lanes& lanes,
                   const Store& store) const;
  template <class Proved, class Store>
  std::int64_t rotate(std::int64_t first, std::int64_t count,
                      std::int64_t heads, std::span<const double> x,
                      const Store& store) const;

  CosSinTable table_;
  Layout layout_;
  std::vector<Pair> sources_, targets_;  // of each pair
  std::vector<std::int64_t> outside_;    // channels outside the window
};

}  // namespace ropeproof::reference::sweep
