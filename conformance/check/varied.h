// varied.h -- a kernel asked again, for the sake of a diagnosis.
#pragma once

#include <vector>

#include "conformance/check/run.h"
#include "conformance/explain/answer.h"
#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::check {

// What a kernel answers, under the operation of an answer of a run; without an
// output where it crashes or refuses. None for permutations, tables and
// frequencies.
//
// kSame: 24 calls. kSizes: the problem with one of batch, seq, heads of q and
// heads of k changed; its tokens and heads are repeated, or some are left out.
// Sizes are small numbers, powers of two and their neighbours, and where a
// right one stands beside a wrong one, those between; then, beside the
// threshold, with another size larger. None where rows share memory. Cost: some
// hundred calls of at most 2^17 elements, 2^19 together for each size. kNear:
// 60 problems that are formed, of 2^12 elements where their classes allow it,
// each of a class of its own in one dimension, or in all. None for a run
// without covering arrays.
std::vector<explain::Answer> answers_again(plugin::Kernel& kernel,
                                           const Run& run,
                                           const explain::Answer& like,
                                           explain::Again again, int round);

}  // namespace ropeproof::conformance::check
