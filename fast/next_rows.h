// next_rows.h -- the cosines and sines of a decode step, and of those that will
// follow it.
#ifndef ROPEPROOF_FAST_NEXT_ROWS_H_
#define ROPEPROOF_FAST_NEXT_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fast/plan.h"
#include "fast/rope_fast.h"

namespace ropeproof::fast {

// Rows of one plan, for one sequence. A decode step waits for the one row of
// its position; each of many that follow each other takes a fraction of that.
// So the third call in a row at the position of the one before it, or at the
// next, forms 4 rows, and where these end, ever twice as many: who jumps about
// pays for none.
class NextRows {
 public:
  // 32 rows of 64 pairs take 16 KiB, half of a first-level cache. On Zen 5 16,
  // 32 and 64 rows are as fast; with 128 pairs 64 take some 4 % longer.
  static constexpr std::int64_t kFirst = 4, kMost = 32;

  // No rows of more pairs, nor of a plan of several axes, are ever at hand.
  static constexpr std::size_t kMaxPairs = 128;

  // `plan` outlives this. Throws std::bad_alloc.
  explicit NextRows(const Plan& plan);

  // The row of `position`, |position| <= 2^53, as table() forms it, to the bit,
  // valid until the next call. Nulls where it is not at hand: what rope() is
  // for. Allocates nothing.
  Table<const void> at(std::int64_t position) noexcept {
    auto row = static_cast<std::size_t>(position - first_);
    if (row >= count_) [[unlikely]] {
      if (!form(position)) return {};
      row = 0;
    }
    const float* const cos = rows_.data() + row * 2 * plan_->pairs();
    return {cos, cos + plan_->pairs(), 0, 0};
  }

 private:
  // Makes `position` the first one, if it was to be expected.
  bool form(std::int64_t position) noexcept;

  const Plan* plan_;
  std::vector<float> rows_;  // of each position cosines, then sines
  std::int64_t first_ = 0, last_ = INT64_MIN, ahead_ = 1;
  std::size_t count_ = 0;
};

}  // namespace ropeproof::fast

#endif  // ROPEPROOF_FAST_NEXT_ROWS_H_
