// requirement.h -- the least that a kernel must claim and reach: --require.
//
// A kernel is judged at what it claims, so one that claims little conforms
// easily. A gate for kernels that it does not know, those that programs write
// above all, says beforehand what is enough.
#pragma once

#include <string>

#include "conformance/report/report.h"

namespace ropeproof::conformance::report {

// Reads a level, L1 to L3, with or without suffixes; an angle class, A0 to A2;
// words of a scope (scope.h); or several, with commas or strokes between: "L2",
// "+M", "L2+M+D", "A1", "L1+M,A1", "rope/f32/L1/positions>=4096". The same in
// one spelling: the level first, suffixes in the order E, M, D, B, the scope
// last.
// Throws std::invalid_argument, one line, for anything else.
std::string parse_requirement(const std::string& text);

// The features, scalings and axis maps that a policy has judged beside those it
// requires, as bits of the ABI. By default all that the kernel offers.
struct Judged {
  std::uint32_t features = ~0u, scalings = ~0u, axis_maps = ~0u;
};

// Takes from a description what is not to be judged, where the requirement
// names operations; whether calls are in place stays as the kernel offers it.
// Where the kernel offers none of the required operations, dtypes or pairings,
// all of its own stay, so that there is something to judge.
void keep_required(const std::string& required, const Judged& judged,
                   plugin::Description& description);

// Returns what a kernel claims and has reached, "L1+D, angle A1", where that is
// weaker than report.required; empty where it is enough. Of angle classes that
// differ by dtype the weakest counts. A part of a tier reaches no level; a
// shard may yet, as part of the whole, so only what it claims is held against
// it. Where a check fails nothing is enough. Reads the verdicts of `totals`,
// neither its `weaker` nor its waivers.
std::string weaker_than_required(const Report& report, const Totals& totals);

}  // namespace ropeproof::conformance::report
