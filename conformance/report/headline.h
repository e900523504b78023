// headline.h -- what a verdict is about: how far the positions go of which it
// says something, and what a kernel forms more coarsely than its tensors.
#pragma once

#include <string>

#include "conformance/report/report.h"

namespace ropeproof::conformance::report {

// The largest position asked, or the power of two that the bounds of 99 in 100
// elements reach; below 0 where no angle was formed.
double highest_told(const Totals& totals);

// Returns that position, "131071" or "2^22"; "" where no angle was formed.
std::string reach_text(const Totals& totals);

// The significant bits of a dtype, ROPEPROOF_F32 ...
int precision_of(std::uint32_t dtype);

// Whether a claim holds cos and sin in fewer significant bits than the tensors
// of a dtype have, and fewer than f32.
bool has_coarse_table(const ropeproof_claim& claim, std::uint32_t dtype);

// "angles in bf16 (A3): wrong by up to 0.12 rad at position 511; cos and sin in
// f16": what the kernel declares that is coarser than f32 angles and tables of
// the tensors' type. Empty where there is nothing of the kind. How wrong is
// what was measured, of f32 and f64 outputs; "a right angle or more" is all
// that is known beyond 90 degrees.
std::string coarse_text(const Report& report, const Totals& totals);

// "f32, positions to 2^22", "permute only, bf16": the operations, where they
// rotate nothing; the dtypes; and the largest position asked up to which fewer
// than 1 in 100 elements have a bound that accepts any rotation.
std::string scope_text(const Report& report, const Totals& totals);

// " on triton-interpret 3.9.0"; empty where the kernel runs where it belongs.
std::string backend_text(const Report& report);

// "CONFORMS  level L1, f32, positions to 2^22": the verdict of a run, with what
// it is about.
std::string headline(const Report& report, const Totals& totals);

}  // namespace ropeproof::conformance::report
