// placement.h -- how a problem lies in memory.
#ifndef ROPEPROOF_CONFORMANCE_CALL_PLACEMENT_H_
#define ROPEPROOF_CONFORMANCE_CALL_PLACEMENT_H_

#include <optional>

#include "conformance/cases/case.h"
#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::call {

// What is not as the case says.
struct Placement {
  std::optional<cases::Storage> storage = std::nullopt;
  // For questions() alone: memory is not written, which takes most of the time.
  bool is_question = false;
};

// What it comes to: for a kernel that does not share memory dense, and for one
// without ROPEPROOF_OUT_OF_PLACE in place. Without an edge each buffer has its own.
cases::Storage placed(const plugin::Kernel& kernel, const cases::RopeCase& c,
                      const Placement& placement);

// Whether each of `blocks` equal blocks of the list is one part, `parts` times.
bool repeats(const cases::Bits& list, std::int64_t blocks, std::int64_t parts);

}  // namespace ropeproof::conformance::call

#endif  // ROPEPROOF_CONFORMANCE_CALL_PLACEMENT_H_
