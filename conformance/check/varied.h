// varied.h -- a problem asked again with other sizes.
#ifndef ROPEPROOF_CONFORMANCE_CHECK_VARIED_H_
#define ROPEPROOF_CONFORMANCE_CHECK_VARIED_H_

#include <vector>

#include "conformance/explain/answer.h"
#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::check {

// What a kernel answers where one size of a problem is another: batch, seq,
// heads of q, heads of k; its tokens and heads stand there several times, or
// only some of them. Sizes are small numbers, powers of two and their
// neighbours, and where a right one stands beside a wrong one, those between.
// None for permutations, tables and frequencies, and problems whose rows share
// memory. Cost: some hundred calls, of at most 2^12 elements each.
std::vector<explain::Answer> varied_answers(plugin::Kernel& kernel,
                                            const explain::Answer& like);

}  // namespace ropeproof::conformance::check

#endif  // ROPEPROOF_CONFORMANCE_CHECK_VARIED_H_
