// graded_speed.h -- how fast a library is that nobody trusts, for a verdict.
#pragma once

#include <functional>
#include <string>

#include "conformance/report/report.h"
#include "conformance/report/scope.h"
#include "tools/kernel_flags.h"
#include "tools/rooms.h"

namespace ropeproof::tools {

// Runs `body` in a process of its own, so that the end of a kernel is not the
// program's, and returns what it returned. Throws KernelError where the process
// ends without an answer.
std::string answer_of_process(const std::function<std::string()>& body);

// Whether speed_of() has a row for this scope: of f64 there is none.
bool is_timed(const report::Scope& scope);

// Times a library behind walls, as `bench --sandbox` does, in the rows of the
// operations, dtypes and pairings of a scope with heads of 128 channels and 512
// tokens; of a table 4096 positions. The ratio is that of the slowest row.
// Throws KernelError. Cost: a second for each row.
report::Speed speed_of(const KernelFlags& kernel,
                       const plugin::Description& description,
                       const report::Scope& scope);

}  // namespace ropeproof::tools
