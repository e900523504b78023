// rows_of_storage.h -- the storage of a call, and where the rows of its tensors
// lie in that.
#pragma once

#include <cstdint>
#include <optional>

#include "conformance/call/rows.h"
#include "conformance/cases/problem.h"
#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::call {

// Returns the storage of a call: `given`, or else that of the problem; dense
// for a kernel that does not share memory, in place for one without
// ROPEPROOF_OUT_OF_PLACE. Without an edge each buffer has its own.
cases::Storage storage_of_call(const plugin::Kernel& kernel,
                               const cases::Problem& problem,
                               const std::optional<cases::Storage>& given);

// Returns whether the list, cut into `blocks` equal blocks, has in each block
// one part repeated `parts` times.
bool repeats(const cases::Bits& list, std::int64_t blocks, std::int64_t parts);

// The rows of q or k as a call gets them.
struct TensorRows {
  Rows in, out;  // the same in place
};

// Lays out q or k. `shape` is theirs; for kPacked, that of all heads of a
// token, q's, k's and v's. A stride is long where its dimension is two or more,
// and not between the heads of a packed token; without such a dimension nothing
// is wide or far. In place, kBroadcast and kOutputsApart are dense.
TensorRows rows_of_tensor(const cases::Storage& storage,
                          const reference::Shape& shape, std::int64_t length,
                          bool is_key);

// Lays out rows without heads, [outer, inner] of them: batch rows of tokens, or
// axes of batch rows. kShared: dense. kWide and kFar: the inner ones are far
// apart if they are few, else the outer ones; where neither are two or more, or
// few, dense.
Rows rows_of_table(cases::RowSpacing spacing, std::int64_t outer,
                   std::int64_t inner, std::int64_t length);

// Returns positions [axes, batch, seq] as [batch, axes, seq].
cases::Bits axes_inside(const cases::Bits& positions, std::int64_t axes,
                        std::int64_t batch, std::int64_t seq);

}  // namespace ropeproof::conformance::call
