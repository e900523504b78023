#include "fast/plugin/plan_cache.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>

namespace ropeproof::fast {
namespace {

// Bit for bit: 0 and -0 make different plans.
template <class T>
bool are_same(std::span<const T> a, std::span<const T> b) noexcept {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

}  // namespace

bool PlanCache::Entry::is_of(const PlanInputs& inputs) const noexcept {
  const double amplitude = plan->amplitude();
  return are_same<double>(theta, inputs.theta) &&
         are_same<double>(theta_lo, inputs.theta_lo) &&
         are_same<double>({&amplitude, 1}, {&inputs.amplitude, 1}) &&
         are_same(plan->axis_weights(), inputs.axis_weights) &&
         are_same(plan->axis_of_pair(), inputs.axis_of_pair) &&
         axes == inputs.axes;
}

constinit thread_local PlanCache* PlanCache::of_thread = nullptr;

PlanCache* PlanCache::make_mine() noexcept {
  // Destroyed with its thread, after which other destructors may still call.
  static thread_local bool is_gone = false;
  struct Mine {
    PlanCache cache;
    ~Mine() {
      is_gone = true;
      of_thread = nullptr;
    }
  };
  if (is_gone) return nullptr;
  static thread_local Mine mine;
  return of_thread = &mine.cache;
}

const Plan* PlanCache::find(const PlanInputs& inputs) noexcept {
  for (std::size_t i = 0; i < kKept && entries_[i] != nullptr; ++i) {
    if (!entries_[i]->is_of(inputs)) continue;
    const auto at = entries_.begin() + static_cast<std::ptrdiff_t>(i);
    std::rotate(entries_.begin(), at, at + 1);
    return entries_[0]->plan.get();
  }
  return nullptr;
}

bool PlanCache::can_keep(const PlanInputs& inputs) noexcept {
  return inputs.theta.size() <= kMaxInputs / 2 &&
         inputs.axis_weights.size() <= kMaxInputs;
}

const Plan& PlanCache::keep(const PlanInputs& inputs,
                            std::unique_ptr<const Plan> plan) {
  const Plan& made = *plan;
  auto entry = std::make_unique<Entry>(
      Entry{{inputs.theta.begin(), inputs.theta.end()},
            {inputs.theta_lo.begin(), inputs.theta_lo.end()},
            inputs.axes,
            std::move(plan),
            NextRows(made)});
  std::rotate(entries_.begin(), entries_.end() - 1, entries_.end());
  entries_[0] = std::move(entry);
  return *entries_[0]->plan;
}

}  // namespace ropeproof::fast
