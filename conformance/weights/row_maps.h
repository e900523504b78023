// row_maps.h -- the rearrangements of rows that converters make, right and
// wrong, as maps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "conformance/weights/roles.h"
#include "reference/spec.h"

namespace ropeproof::conformance::weights {

enum class Direction { kNone, kToInterleaved, kToHalfSplit };

constexpr Direction direction_to(reference::Pairing pairing) {
  return pairing == reference::Pairing::kInterleaved ? Direction::kToInterleaved
                                                     : Direction::kToHalfSplit;
}

// Entry t is the row of A that row t of B is: of one head, or of all rows.
using RowMap = std::vector<std::uint32_t>;

// Returns the rows of a head for the other pairing, by (R3): `direction` says
// which one. Identity for kNone.
RowMap head_map(reference::Layout layout, Direction direction);

// The heads of a projection, a bias or a norm.
struct Heads {
  std::uint64_t rows = 0;
  std::uint64_t count = 0;  // 0: not known
  // What a head may be: one per kind of layers. Empty: not known; then a head
  // is any part of the rows, all of it rotary.
  std::vector<reference::Layout> layouts = {};
};

enum class Change {
  kRight,         // as it should be, for its direction
  kHeadCount,     // permuted as another number of heads
  kTwice,         // permuted, and once more
  kWholeHead,     // channels outside the rotary window permuted, too
  kOtherEnd,      // the rotary window taken at the other end of the head
  kRopeFirst,     // the rotary channels moved from the end to the beginning
  kSwappedPairs,  // the two channels of each pair exchanged
};

// One rearrangement: `map` again and again, for each of `heads`.
struct Candidate {
  Change change = Change::kRight;
  Direction direction = Direction::kNone;
  std::uint64_t heads = 0;
  RowMap map;
};

// Returns rearrangements, right ones first. `counts` are numbers of heads that
// a converter may have taken; all divisors are tried besides.
std::vector<Candidate> candidates(const Heads& heads);

// Whether each row of B is the row of A that the map says; rows by their
// digests. Otherwise `first` is the first that is not, if it is not null.
bool matches(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
             const RowMap& map, std::uint64_t* first = nullptr);

// Returns the rows of q, k or v in a fused projection; kv_heads > 0 divides
// heads. Empty where the rows are not heads + 2 kv_heads heads.
RowMap rows_of_part(Part part, FusedOrder order, std::uint64_t rows,
                    std::uint64_t heads, std::uint64_t kv_heads);

}  // namespace ropeproof::conformance::weights
