// storage.h -- where the rows of a case lie in memory, and where its buffers end.
#ifndef ROPEPROOF_CONFORMANCE_CASES_STORAGE_H_
#define ROPEPROOF_CONFORMANCE_CASES_STORAGE_H_

namespace ropeproof::conformance::cases {

// The dimensions of q and k, the slowest first: [batch, seq, heads, head_dim] and
// so on. kPacked: kBshd with q, k and v side by side in each token.
enum class DimensionOrder { kBshd, kBhsd, kSbhd, kPacked };

// Strides are in elements.
enum class Spacing {
  kDense,         // rows back to back
  kGaps,          // after each head, token and batch row
  kKeysApart,     // k in another order of dimensions than q, and with gaps
  kOutputsApart,  // outputs in another order than inputs, and with gaps
  kBroadcast,     // in_batch_stride 0: all batch rows read the same numbers
  kWide,          // a stride beyond 2^16
  kFar            // the last row begins beyond 2^31
};

// Of positions, tables, ids and amplitudes, which have no heads.
enum class RowSpacing {
  kDense,
  kGaps,
  kShared  // batch stride 0: all batch rows have the same positions
};

// Every buffer of the call ends at a guard page, or begins behind one; or it begins
// one element after an aligned address, at no guard page.
enum class BufferEdge { kEnd, kStart, kUnaligned };

struct Storage {
  DimensionOrder order = DimensionOrder::kBshd;
  Spacing spacing = Spacing::kDense;
  RowSpacing rows = RowSpacing::kDense;
  bool is_in_place = false;
  BufferEdge edge = BufferEdge::kEnd;
};

}  // namespace ropeproof::conformance::cases

#endif  // ROPEPROOF_CONFORMANCE_CASES_STORAGE_H_
