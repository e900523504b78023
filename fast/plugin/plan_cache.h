// plan_cache.h -- the plans of a thread's last problems. The C ABI hands over
// frequencies with every call; a decode step takes less time than their plan.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fast/next_rows.h"
#include "fast/plan.h"
#include "hwy/base.h"

namespace ropeproof::fast {

// What a Plan is made from, as its constructor takes it. `axes` is how many
// axes `axis_of_pair` may name, 0 where it is empty.
struct PlanInputs {
  std::span<const double> theta, theta_lo;
  double amplitude = 1;
  std::span<const std::int32_t> axis_of_pair = {};
  std::span<const double> axis_weights = {};
  std::int64_t axes = 0;

  Plan make() const {
    return Plan(theta, theta_lo, amplitude, axis_of_pair, axis_weights);
  }
};

// Keeps at most kKept plans, the latest first, of at most kMaxInputs numbers
// each: 160 KiB for the heads of common models, 1 MiB at worst. Inputs
// are compared bit for bit, with copies of their own. Not shared between
// threads, hence without locks.
class PlanCache {
 public:
  static constexpr std::size_t kKept = 4, kMaxInputs = 2048;

  // The cache of the calling thread; null once it is destroyed at its exit.
  static PlanCache* mine() noexcept {
    return HWY_LIKELY(of_thread != nullptr) ? of_thread : make_mine();
  }

  // The plan of these inputs, valid until the next keep(); null where there is
  // none. Allocates nothing.
  // Cost: reads the inputs once for each plan before it, and once for its own.
  const Plan* find(const PlanInputs& inputs) noexcept;

  // Rows of the plan that find() or keep() has returned last.
  NextRows& next_rows() noexcept { return entries_[0]->next_rows; }

  static bool can_keep(const PlanInputs& inputs) noexcept;

  // Keeps `plan` in place of the one that was not used for longest. Throws
  // std::bad_alloc, with nothing changed.
  const Plan& keep(const PlanInputs& inputs, std::unique_ptr<const Plan> plan);

 private:
  struct Entry {
    std::vector<double> theta, theta_lo;  // the plan keeps the other inputs
    std::int64_t axes;
    std::unique_ptr<const Plan> plan;
    NextRows next_rows;

    bool is_of(const PlanInputs& inputs) const noexcept;
  };
  static PlanCache* make_mine() noexcept;

  // Without a destructor: a look at it is no look at a guard.
  static constinit thread_local PlanCache* of_thread;

  std::array<std::unique_ptr<Entry>, kKept> entries_;
};

}  // namespace ropeproof::fast
