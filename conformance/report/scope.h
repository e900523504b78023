// scope.h -- what a kernel has to offer, as words: the other half of what is
// required of one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/report/report.h"

namespace ropeproof::conformance::report {

struct Scope {
  std::uint32_t operations = 0, dtypes = 0, pairings = 0, features = 0,
                scalings = 0, axis_maps = 0;  // ROPEPROOF_...
  std::int64_t positions = 0;  // 0 .. positions, where it forms angles
  std::int64_t declined = -1;  // checks at most; below 0: any number
};

// Adds to a scope what a word says: "rope", "f32", "half_split", "adjoint",
// "scaling=yarn", "axis_map=sections", "positions>=131072", "declined<=0".
// Returns false where it says nothing, or again what is there.
bool read_scope(std::string_view word, Scope& scope);

// Returns the words of a scope, operations first.
std::vector<std::string> scope_words(const Scope& scope);

// Returns "does not offer bf16, adjoint", "positions only to 4096", "declined 3
// checks": what a run lacks. The run is whole or a shard.
std::vector<std::string> lacking(const Scope& scope, const Report& report,
                                 const Totals& totals);

}  // namespace ropeproof::conformance::report
