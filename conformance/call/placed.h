// placed.h -- the strides of a storage.
#ifndef ROPEPROOF_CONFORMANCE_CALL_PLACED_H_
#define ROPEPROOF_CONFORMANCE_CALL_PLACED_H_

#include <cstdint>

#include "conformance/call/rows.h"
#include "conformance/cases/case.h"

namespace ropeproof::conformance::call {

// q or k as a call gets it.
struct Placed {
  Rows in, out;  // the same in place
};

// `shape` is q's or k's; of kPacked, that of all heads of a token: q's, k's and
// v's. A stride is long where its dimension is two or more, and not between the
// heads of a packed token; without such a dimension nothing is wide or far. In
// place, kBroadcast and kOutputsApart are dense.
Placed place(const cases::Storage& storage, const reference::Shape& shape,
             std::int64_t length, bool is_key);

// Rows without heads, [outer, inner] of them: batch rows of tokens, or axes of
// batch rows. kShared: dense. kWide and kFar: the inner ones are far apart if
// they are few, else the outer ones; where neither are two or more, or few,
// dense.
Rows place_rows(cases::RowSpacing spacing, std::int64_t outer,
                std::int64_t inner, std::int64_t length);

// [axes, batch, seq] as [batch, axes, seq].
cases::Bits axes_inside(const cases::Bits& positions, std::int64_t axes,
                        std::int64_t batch, std::int64_t seq);

}  // namespace ropeproof::conformance::call

#endif  // ROPEPROOF_CONFORMANCE_CALL_PLACED_H_
