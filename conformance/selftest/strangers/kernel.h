// kernel.h -- the kernel that all strangers are: plain scalar code in f32, of
// class A1, with points at which a program's faults strike.
#pragma once

#include <ropeproof_kernel.h>

#include "conformance/selftest/strangers/program.h"

namespace ropeproof::conformance::selftest::strangers {

// What a program declares.
void describe(const Program& program, ropeproof_description& description);

// Solves a problem as the program does. Remembers what it counts and keeps from
// call to call, one call at a time. A fault may read and write where the
// problem has no memory.
std::int32_t solve(const Program& program, const ropeproof_problem& problem);

}  // namespace ropeproof::conformance::selftest::strangers
