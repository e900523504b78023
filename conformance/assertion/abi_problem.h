// abi_problem.h -- a problem of the C ABI and its result, read into the suite's
// own types.
#pragma once

#include <ropeproof_kernel.h>

#include <cstdint>

#include "conformance/assertion/given_table.h"
#include "conformance/cases/problem.h"
#include "conformance/judge/output.h"

namespace ropeproof::conformance::assertion {

// The format of a dtype of the ABI. Throws std::invalid_argument, which names
// the field.
reference::Format format_named(const char* name, std::uint32_t dtype);

// The problem, with q and k as the kernel was given them; of a lookup the
// positions are the rows. Throws std::invalid_argument, one line that names the
// field, for one that contradicts itself, or whose operation is none of rope,
// rotate, lookup and table.
cases::Problem read_problem(const ropeproof_problem& problem);

// What the kernel has written: q.out and k.out, or cos and sin of a table.
judge::Output read_output(const ropeproof_problem& problem);

// Which rows of a cache are read: those of the tokens, or all.
enum class Rows { kOfTokens, kAll };

// The cos and sin of a rotation by given ones or by rows of a cache, each taken
// as the number that it is: for each pair or, with cache
// ROPEPROOF_CACHE_DOUBLED, for each channel of the window. Throws
// std::invalid_argument as read_problem does.
GivenTable read_given_table(const ropeproof_problem& problem,
                            const reference::Spec& spec,
                            Rows rows = Rows::kOfTokens);

}  // namespace ropeproof::conformance::assertion
