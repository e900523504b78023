// sweep_kernel.h -- every cosine and sine of a kernel, beside the exact ones.
//
// Cases are samples; a table is small enough to judge all of it. The kernel
// forms cos and sin of every position below a limit and every pair, by the
// operation table; one that has only rope is probed with unit vectors: x = (1,
// 0) comes out as (cos, sin).
#pragma once

#include <cstdint>
#include <optional>

#include "conformance/check/shard.h"
#include "conformance/judge/judge.h"
#include "conformance/plugin/kernel.h"
#include "reference/format.h"
#include "reference/golden.h"

namespace ropeproof::conformance::search {

struct SweepRequest {
  double base = 10000;
  std::int64_t rotary_dim = 128;
  std::int64_t positions = 131072;  // 0 .. positions - 1
  // The dtype to sweep; without one, the first offered of f32, bf16, f16, f64.
  std::optional<reference::Format> dtype = {};
  reference::Oracle oracle = reference::Oracle::kMpfi;
  check::Shard shard = {};  // the i-th of n equal ranges of positions
};

struct SweepResult {
  std::uint32_t operation = 0;  // ROPEPROOF_TABLE or ROPEPROOF_ROPE
  reference::Format format = reference::Format::kF32;
  std::int64_t positions = 0;  // fewer than asked where the kernel has a limit
  std::int64_t first = 0, end = 0;  // of these, the shard's
  // What all calls together measured, without pattern and equation.
  judge::Measurement measurement;
  plugin::Answer answer;  // of the call that ended it

  bool conforms() const {
    return answer.outcome == plugin::Outcome::kOk && measurement.pass();
  }
};

// Adds to what was measured what a later range of positions adds.
void add(judge::Measurement& total, const judge::Measurement& part);

// Judges `kernel` on all cosines and sines of one base, as `run` judges a case.
// The result does not depend on the number of threads. Cost: some 60 ns for
// each value beside the kernel's own, and 200 MiB. Throws std::invalid_argument
// for a request out of range, a dtype that the kernel does not offer, and a
// kernel that forms no angles; and what reference/sweep/fast_goldens.h throws.
SweepResult sweep_kernel(plugin::Kernel& kernel, const SweepRequest& request);

}  // namespace ropeproof::conformance::search
