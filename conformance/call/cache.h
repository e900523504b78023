// cache.h -- the table of a case as the operation lookup gets it.
#pragma once

#include <cstdint>

#include "conformance/cases/golden.h"
#include "conformance/cases/problem.h"
#include "reference/format.h"

namespace ropeproof::conformance::call {

struct Cache {
  std::int64_t rows = 0, row_length = 0;
  cases::Bits cos, sin;  // [rows, row_length]; side by side: all in cos
  cases::Bits ids;       // [batch, seq]
  std::uint64_t unused_id = 0;
};

// Forms a cache with the goldens of each token in a row, rounded once to
// `table`. Tokens with equal angles share one. By `salt` rows are in the order
// of the tokens, or backwards, or scattered, so that the first token has the
// last; and three hold what nobody asks for, or none. Where the table is small
// and positions reach 4096, the rows lie behind 4096 others.
Cache cache_of(const cases::Problem& problem, const cases::Golden& golden,
               reference::Format table, std::uint32_t layout, std::size_t salt);

// Returns a golden whose tables stand in for those that are not known: zeros,
// but cosines and sines that are the same for tokens of equal positions alone.
cases::Golden numbered_tables(const cases::Problem& p);

}  // namespace ropeproof::conformance::call
