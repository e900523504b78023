// staged.h -- whether a kernel computes what a model was trained with: the
// claim S1(n). It is about how results are formed; the tolerance is about how
// far off they are.
//
// S1(n), "staged, with a libm within n ulp", in f32:
//   1. Each pair has one frequency, within n ulp of base^(2j/r) or its
//      reciprocal, that explains its angle at every position.
//   2. The angle is one IEEE operation: position x inv_freq, or position /
//      base^(2j/r), rounded to f32; the same for all pairs.
//   3. The kernel's cosine and sine are within n ulp of those of that f32
//      angle, and at most 1.
//   4. The rotation is, bit for bit, one of: no fused multiply-add; the first
//      product fused; the second; either mix. The same one throughout.
// The kernel's cosine and sine are read off with unit vectors: x = (1, 0) gives
// (c, s) and (0, 1) gives (-s, c) in every one of these forms.
#pragma once

#include <string>

#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::identify {

struct StagedResult {
  bool is_offered = false;  // f32, rope, full head: there is something to see
  bool holds = false;
  std::string text;  // "S1(1), position x inv_freq, no FMA", or why not
};

// The largest n that is tried: the CPUs' libms are within 1 ulp, the GPUs'
// within 2.
inline constexpr int kMaxStagedUlp = 2;

// One call. Needs MPFR (reference/staged); without it nothing is offered.
// Cost: below a second.
StagedResult check_staged(plugin::Kernel& kernel);

}  // namespace ropeproof::conformance::identify
