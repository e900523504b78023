// unasked.h -- what a kernel declares and a run did not judge.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/check/run.h"
#include "conformance/report/scope.h"

namespace ropeproof::conformance::report {

// Fewer cases than these say little: one may be right by accident.
inline constexpr std::int64_t kEnoughCases = 3;

// Returns what is declared and fewer than kEnoughCases judged cases touched, in
// words: an operation, dtype, pairing, the adjoint, an axis map, a scaling with
// a pairing or a dtype, positions near the declared largest one (a 16th or
// more); and features that no check at all needed. Smoke asks a scaling with
// any pairing and dtype, and leaves positions and features to core. Empty for
// what is no whole tier: a profile asks for what a model needs.
std::vector<std::string> unasked(const check::Run& run);

// Takes from run.kernel the features, scalings and axis maps that unasked()
// names, but for those demanded: a policy's verdict is then on what was judged.
void forget_unasked(const Scope& demanded, check::Run& run);

}  // namespace ropeproof::conformance::report
