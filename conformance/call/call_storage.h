// call_storage.h -- how a problem lies in the memory of a call.
#ifndef ROPEPROOF_CONFORMANCE_CALL_CALL_STORAGE_H_
#define ROPEPROOF_CONFORMANCE_CALL_CALL_STORAGE_H_

#include <optional>

#include "conformance/cases/problem.h"
#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::call {

// The storage of a call: `given`, or else that of the problem; dense for a
// kernel that does not share memory, in place for one without
// ROPEPROOF_OUT_OF_PLACE. Without an edge each buffer has its own.
cases::Storage storage_of_call(const plugin::Kernel& kernel,
                               const cases::Problem& problem,
                               const std::optional<cases::Storage>& given);

// Whether each of `blocks` equal blocks of the list is one part, `parts` times.
bool repeats(const cases::Bits& list, std::int64_t blocks, std::int64_t parts);

}  // namespace ropeproof::conformance::call

#endif  // ROPEPROOF_CONFORMANCE_CALL_CALL_STORAGE_H_
