// rows.h -- the rows of a tensor, as digests.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "conformance/weights/checkpoint.h"
#include "conformance/weights/roles.h"

namespace ropeproof::conformance::weights {

// What moves together when channels of heads are rearranged: a row of a weight,
// an element of a bias or a norm.
struct Rows {
  std::uint64_t count = 0, bytes = 0;  // bytes of one
};

// Returns nothing where a row is no whole number of blocks.
std::optional<Rows> rows_of(const Tensor& tensor, Kind kind);

// Whether elements of one type can be compared as those of another.
bool converts(const ElementType& from, const ElementType& to);

// Returns a digest of 64 bits of each row, whose elements are first rounded to
// nearest even in `as`, as converters do, where it is another type. Two rows
// that differ have the same digest by a chance of 2^-64. Reads the tensor once,
// in pieces. Throws CheckpointError; so does a NaN.
std::vector<std::uint64_t> digests(const Checkpoint& checkpoint,
                                   const Tensor& tensor, const Rows& rows,
                                   const ElementType& as);

// Throws CheckpointError where elements of rows, from `first` on, are NaNs.
void refuse_nans(const Checkpoint& checkpoint, const Tensor& tensor,
                 const Rows& rows, std::uint64_t first,
                 std::span<const std::byte> bytes);

}  // namespace ropeproof::conformance::weights
