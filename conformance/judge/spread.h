// spread.h -- how the errors of a run are spread: over pairs and positions, and
// over their own sizes. What the pictures of a report are drawn of.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>

#include "reference/format.h"

namespace ropeproof::conformance::judge {

// Pairs of heads of any size, from the fastest to the slowest: pair j of n
// stands in the columns from 32 j / n to 32 (j + 1) / n, one at least.
inline constexpr std::int64_t kPairColumns = 32;
// Elements by their error in ulp of the pair's length: entry 0 below 2^-8,
// entry k from 2^(k - 9) to 2^(k - 8), the last one all that is larger.
inline constexpr std::size_t kUlpSizes = 26;

// The largest error over its bound of each column; or why there is none.
inline constexpr double kNotAsked = -2;
inline constexpr double kNotJudged = -1;  // the bound accepts any rotation
using PairRow = std::array<double, kPairColumns>;
using UlpSizes = std::array<std::int64_t, kUlpSizes>;

struct Spread {
  // Elements with an angle that the kernel formed, by the size of their
  // position, as ByPosition has it.
  std::map<std::int64_t, PairRow> by_pair;
  // Judged elements, by the format of the tensor.
  std::map<reference::Format, UlpSizes> by_ulp;

  // The cells of a pair at a position get at least this ratio.
  void note_ratio(std::int64_t position_size, std::int64_t pair,
                  std::int64_t pairs, double ratio) {
    PairRow empty;
    empty.fill(kNotAsked);
    PairRow& row = by_pair.try_emplace(position_size, empty).first->second;
    const std::int64_t first = kPairColumns * pair / pairs;
    const std::int64_t last =
        std::max(first, kPairColumns * (pair + 1) / pairs - 1);
    for (std::int64_t k = first; k <= last; ++k) {
      double& cell = row[static_cast<std::size_t>(k)];
      cell = std::max(cell, ratio);
    }
  }

  void note_ulp(reference::Format format, double norm_ulp) {
    int exponent = 0;
    std::frexp(norm_ulp, &exponent);
    const int last = static_cast<int>(kUlpSizes) - 1;
    const int size = std::isfinite(norm_ulp) ? exponent + 8 : last;
    ++by_ulp[format][static_cast<std::size_t>(
        norm_ulp == 0 ? 0 : std::clamp(size, 0, last))];
  }

  // What another part of the same run adds, in whatever order.
  void add(const Spread& other) {
    for (const auto& [size, row] : other.by_pair) {
      for (std::int64_t k = 0; k < kPairColumns; ++k) {
        note_ratio(size, k, kPairColumns, row[static_cast<std::size_t>(k)]);
      }
    }
    for (const auto& [format, sizes] : other.by_ulp) {
      UlpSizes& own = by_ulp[format];
      for (std::size_t k = 0; k < kUlpSizes; ++k) own[k] += sizes[k];
    }
  }
};

}  // namespace ropeproof::conformance::judge
