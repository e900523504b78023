// sweep_kernel.h -- every cosine and sine of a kernel, beside the exact ones.
//
// Cases are samples; a table is small enough to judge all of it. The kernel
// forms cos and sin of every position below a limit and every pair, by the
// operation table; one that has only rope is probed with unit vectors: x = (1, 0)
// comes out as (cos, sin). The exact values are those of reference/sweep/.
#ifndef ROPEPROOF_CONFORMANCE_SEARCH_SWEEP_KERNEL_H_
#define ROPEPROOF_CONFORMANCE_SEARCH_SWEEP_KERNEL_H_

#include <cstdint>
#include <optional>
#include <string>

#include "conformance/plugin/kernel.h"
#include "reference/format.h"
#include "reference/golden.h"

namespace ropeproof::conformance::search {

struct SweepRequest {
  double base = 10000;
  std::int64_t rotary_dim = 128;
  std::int64_t positions = 131072;  // 0 .. positions - 1
  // Without one, the first offered of f32, bf16, f16, f64.
  std::optional<reference::Format> dtype = {};
  reference::Oracle oracle = reference::Oracle::kMpfi;
};

// One cosine or sine, judged.
struct SweptValue {
  std::int64_t position = 0, pair = 0;
  bool is_sin = false;
  std::uint64_t got_bits = 0, want_bits = 0;  // in the swept format
  double got = 0, want = 0;                   // `want` is not rounded
  double error = 0, bound = 0;
  double ratio() const;  // error / bound; 0/0 is 0
};

struct SweepCounts {
  std::int64_t values = 0;
  std::int64_t nearest = 0;  // correctly rounded
  std::int64_t wrong = 0;    // beyond the bound that the description claims
  std::int64_t vacuous = 0;  // bound >= kVacuous: accepts any rotation
  double max_error = 0;
  std::optional<SweptValue> first_wrong, worst;  // worst: error over bound
};

struct SweepResult : SweepCounts {
  std::uint32_t operation = 0;  // ROPEPROOF_TABLE or ROPEPROOF_ROPE
  reference::Format format = reference::Format::kF32;
  std::int64_t positions = 0;  // fewer than asked where the kernel has a limit
  double max_ulp = 0;          // max_error in ulps of `format` at 1
  plugin::Answer answer;       // of the call that ended it

  bool conforms() const {
    return answer.outcome == plugin::Outcome::kOk && wrong == 0;
  }
};

// Judges `kernel` on all cosines and sines of one base. The bound of each is that
// of `run` (judge/tolerance.h); the result does not depend on the number of
// threads. Cost: some 50 ns for each value beside the kernel's own, and half a
// second for the exact tables; about 100 MiB. Throws std::invalid_argument for a
// request out of range, a dtype that the kernel does not offer, and a kernel that
// forms no angles; and what reference/sweep/ throws.
SweepResult sweep_kernel(plugin::Kernel& kernel, const SweepRequest& request);

}  // namespace ropeproof::conformance::search

#endif  // ROPEPROOF_CONFORMANCE_SEARCH_SWEEP_KERNEL_H_
