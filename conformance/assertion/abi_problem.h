// abi_problem.h -- a problem of the C ABI and its result, read into the suite's
// own types.
#ifndef ROPEPROOF_CONFORMANCE_ASSERTION_ABI_PROBLEM_H_
#define ROPEPROOF_CONFORMANCE_ASSERTION_ABI_PROBLEM_H_

#include <ropeproof_kernel.h>

#include "conformance/cases/golden.h"
#include "conformance/cases/problem.h"
#include "conformance/judge/output.h"

namespace ropeproof::conformance::assertion {

// The problem, with q and k as the kernel was given them. Throws
// std::invalid_argument, one line that names the field, for one that
// contradicts itself, or whose operation is none of rope, rotate and table.
cases::Problem read_problem(const ropeproof_problem& problem);

// What the kernel has written: q.out and k.out, or cos and sin of a table.
judge::Output read_output(const ropeproof_problem& problem);

// The golden of a rotation by the given cos and sin, each taken as the number
// that it is. Throws std::invalid_argument for tensors or tables of f64, whose
// products binary64 does not hold.
cases::Golden golden_of_given(const ropeproof_problem& problem,
                              const cases::Problem& p);

}  // namespace ropeproof::conformance::assertion

#endif  // ROPEPROOF_CONFORMANCE_ASSERTION_ABI_PROBLEM_H_
