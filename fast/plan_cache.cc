#include "fast/plan_cache.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

namespace ropeproof::fast {
namespace {

// Bit for bit: 0 and -0 make different plans. Steps `at` past them.
template <class T>
bool skip_same(const T*& at, std::span<const T> given) noexcept {
  const T* const kept = std::exchange(at, at + given.size());
  return given.empty() ||
         std::memcmp(kept, given.data(), given.size_bytes()) == 0;
}

}  // namespace

bool PlanCache::Entry::is_of(const PlanInputs& inputs) const noexcept {
  const std::size_t count =
      2 * inputs.theta.size() + inputs.axis_weights.size() + 1;
  if (doubles.size() != count || plan->pairs() != inputs.theta.size() ||
      axis_of_pair.size() != inputs.axis_of_pair.size() ||
      axes != inputs.axes) {
    return false;
  }
  const double* at = doubles.data();
  const std::int32_t* axis = axis_of_pair.data();
  return skip_same(at, inputs.theta) && skip_same(at, inputs.theta_lo) &&
         skip_same(at, inputs.axis_weights) &&
         skip_same(at, {&inputs.amplitude, 1}) &&
         skip_same(axis, inputs.axis_of_pair);
}

PlanCache* PlanCache::mine() noexcept {
  // Destroyed with its thread, after which other destructors may still call.
  static thread_local bool is_gone = false;
  struct Mine {
    PlanCache cache;
    ~Mine() { is_gone = true; }
  };
  if (is_gone) return nullptr;
  static thread_local Mine mine;
  return &mine.cache;
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
  auto entry = std::make_unique<Entry>();
  entry->doubles.reserve(2 * inputs.theta.size() + inputs.axis_weights.size() +
                         1);
  for (const auto part : {inputs.theta, inputs.theta_lo, inputs.axis_weights,
                          std::span(&inputs.amplitude, 1)}) {
    entry->doubles.insert(entry->doubles.end(), part.begin(), part.end());
  }
  entry->axis_of_pair.assign(inputs.axis_of_pair.begin(),
                             inputs.axis_of_pair.end());
  entry->axes = inputs.axes;
  entry->plan = std::move(plan);
  std::rotate(entries_.begin(), entries_.end() - 1, entries_.end());
  entries_[0] = std::move(entry);
  return *entries_[0]->plan;
}

}  // namespace ropeproof::fast
