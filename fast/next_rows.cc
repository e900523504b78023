#include "fast/next_rows.h"

#include <algorithm>
#include <numeric>

#include "fast/angles.h"

namespace ropeproof::fast {

NextRows::NextRows(const Plan& plan) : plan_(&plan) {
  if (plan.has_one_axis() && plan.pairs() <= kMaxPairs) {
    rows_.resize(kMost * 2 * plan.pairs());
  }
}

bool NextRows::form(std::int64_t position) noexcept {
  const bool follows = position == last_ || position == last_ + 1;
  last_ = position;
  ahead_ = follows ? std::min(2 * ahead_, kMost) : 1;
  if (ahead_ < kFirst || rows_.empty()) return false;
  std::int64_t positions[kMost];
  std::iota(positions, positions + ahead_, position);
  const std::size_t pairs = plan_->pairs();
  form_rows({*plan_, {positions, 0, 0}, {}}, {0, 0, ahead_}, 0, pairs,
            2 * pairs, rows_.data(), rows_.data() + pairs);
  first_ = position;
  last_ = position + ahead_ - 1;
  count_ = static_cast<std::size_t>(ahead_);
  return true;
}

}  // namespace ropeproof::fast
