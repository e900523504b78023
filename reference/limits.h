// limits.h -- the largest numbers of a specification; and indexing.
#pragma once

#include <cstdint>

namespace ropeproof::reference {

// Element i of a span or vector. Indices are signed, as in every formula.
constexpr auto& at(auto&& items, std::int64_t i) { return items.begin()[i]; }

// Positions are exact in binary64, and so in every oracle, up to here.
inline constexpr std::int64_t kMaxPosition = std::int64_t{1} << 53;
// More channels per head, or axes, are a mistake.
inline constexpr std::int64_t kMaxHeadDim = 1 << 20;
inline constexpr std::int64_t kMaxAxes = 64;
// The largest count: the size of a tensor, at most 2^60, stays in range.
inline constexpr std::int64_t kMaxCount = std::int64_t{1} << 40;

}  // namespace ropeproof::reference
