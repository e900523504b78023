// abi.h -- the kernels of rope_fast.h behind the C ABI of the suite.
//
// This is the border: it checks every problem, so that the kernels need not.
#ifndef ROPEPROOF_FAST_ABI_H_
#define ROPEPROOF_FAST_ABI_H_

#include <cstdint>

#include "conformance/ropeproof_kernel.h"

namespace ropeproof::fast {

// As ropeproof_describe. ROPEPROOF_INVALID if `description` is null or shorter
// than the one of ABI version 1.
std::int32_t describe(ropeproof_description* description) noexcept;

// As ropeproof_run. Every operation and feature, in f32.
//
// ROPEPROOF_INVALID      what contradicts the header: a missing buffer, an odd
//                        or too wide window, an axis or a position out of
//                        range, in and out of one tensor that overlap without
//                        being the same; `problem` null or shorter than in
//                        version 1.
// ROPEPROOF_UNSUPPORTED  another dtype (permute takes all), an enumerator of a
//                        later version, frequencies outside the range of
//                        plan.h, no memory for the plan.
// No output is written in either case.
// Cost     the kernel, and one look at every frequency and position; a plan,
//          unless it is one of the thread's last four (plan_cache.h): then
//          nothing is allocated.
std::int32_t run(const ropeproof_problem* problem) noexcept;

}  // namespace ropeproof::fast

#endif  // ROPEPROOF_FAST_ABI_H_
