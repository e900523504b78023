// fused_parts.h -- q or k of a fused kernel as the judge of a rotation sees it:
// x is what is rotated, over the scale that results are stored by, and all
// numbers are binary64.
#pragma once

#include <ropeproof_fused.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/cases/golden.h"
#include "conformance/cases/problem.h"
#include "conformance/judge/output.h"
#include "conformance/judge/tolerance.h"
#include "reference/fused/stored.h"

namespace ropeproof::conformance::assertion {

// RMSNorm of q's or k's heads, as ropeproof_fused says it.
struct HeadNorm {
  double epsilon = 0, offset = 0;
  int roundings = 0;
  std::vector<double> weight;        // [head_dim]; empty: all are 1
  std::vector<double> other_weight;  // of k for q, of q for k
};

struct FusedParts {
  reference::Format dtype = reference::Format::kF32;  // of the kernel
  cases::Problem rotation;      // of one tensor, without its elements
  std::vector<double> x;        // as given, [tokens, heads, head_dim]
  std::vector<double> written;  // numbers as they are stored, likewise
  std::optional<HeadNorm> norm;
  std::optional<reference::fused::Stored> stored;
  // What kernels do that store otherwise, and readings try: the next number
  // towards 0; no limit to the largest number; channels outside the window as
  // they were given.
  bool is_cut = false, is_unlimited = false, is_tail_copied = false;
  std::vector<double> scale;     // [tokens, heads]; 1 where nothing is stored
  std::vector<char> is_written;  // [tokens]: its slot is not -1

  std::int64_t heads() const { return rotation.q_heads + rotation.k_heads; }
  std::int64_t head_dim() const { return rotation.spec.layout.head_dim; }
  // Whether a head of a token, by its number in `scale`, has a slot.
  bool is_row_written(std::size_t row) const {
    return is_written[row / static_cast<std::size_t>(heads())] != 0;
  }
};

// Reads q, or k, of a fused call. `written` is where its elements are now: a
// tensor's out, or a cache by its slots. Throws std::invalid_argument, one
// line, for what contradicts itself.
FusedParts read_parts(const ropeproof_problem& problem,
                      const ropeproof_fused& fused, bool is_key);

// The rotation that is judged. Throws std::invalid_argument for NaNs and
// infinities, and for rows whose squares f32 cannot hold.
cases::Problem problem_of(const FusedParts& parts);

// A claim of the rotation, with the roundings before and behind it, for results
// of this scale. What underflows weighs less the larger the scale is, so that
// of the largest is the strictest.
judge::Claim claim_of(const FusedParts& parts, judge::Claim of_rotation,
                      double scale);
double largest_scale(const FusedParts& parts);

// What is judged by the claim of the largest scale.
struct FusedOutput {
  judge::Output output;
  // Elements whose rotation the stored type does not show: beyond twice its
  // largest number, or of a pair shorter than half of its smallest step.
  std::int64_t hidden = 0;
};

// Elements that no bound is of have their golden: of tokens without a slot,
// what is beyond the stored type's largest number and stands there as that, and
// channels outside the window that are within the errors of norm and type. The
// errors of rows of smaller scales are less by what these may lose by underflow
// beyond the claim.
FusedOutput output_of(const FusedParts& parts, const cases::Problem& problem,
                      const cases::Golden& golden,
                      const judge::Claim& of_rotation);

// "bf16, RMSNorm with epsilon 1e-06, stored as e4m3".
std::string words_of(const FusedParts& parts);

}  // namespace ropeproof::conformance::assertion
