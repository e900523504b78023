// storage.h -- where the rows of a case lie in memory, and where its buffers
// end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "reference/format.h"

namespace ropeproof::conformance::cases {

// The dimensions of q and k, the slowest first: [batch, seq, heads, head_dim]
// and so on. kPacked: kBshd with q, k and v side by side in each token.
enum class DimensionOrder { kBshd, kBhsd, kSbhd, kPacked };

// Strides are in elements.
enum class Spacing {
  kDense,          // rows back to back
  kGaps,           // after each head, token and batch row
  kQueriesApart,   // q alone with gaps
  kKeysApart,      // k in another order of dimensions than q, and with gaps
  kKeyCache,       // k written to a cache: another order, room for more tokens
  kOutputsApart,   // outputs in another order than inputs, and with gaps
  kBroadcast,      // in_batch_stride 0: all batch rows read the same numbers
  kKeysBroadcast,  // of k alone
  kWide,           // a stride beyond 2^16
  kFar             // the last row begins beyond 2^32
};

// How rows without heads lie: positions, tables, ids and amplitudes.
enum class RowSpacing {
  kDense,
  kGaps,
  kShared,  // batch stride 0: all batch rows have the same positions
  kWide,    // a stride beyond 2^16
  kFar      // the last row begins beyond 2^32
};

// Which tensors are written where they are read.
enum class InPlace { kNone, kBoth, kQueries, kKeys };

// Every buffer of the call ends at a guard page, or begins behind one; or it
// begins one element after an aligned address, at no guard page.
enum class BufferEdge { kEnd, kStart, kUnaligned };

// The bytes that outputs hold before a call, one or the other: a NaN in every
// format, or 3e38 in f32 and bf16. What nobody writes is found by both, and a
// kernel that reads it finds no number to rely on.
inline constexpr unsigned char kOutputFills[] = {0xff, 0x7f};
inline bool is_output_fill(reference::Format format, std::uint64_t bits) {
  const int total = reference::traits(format).total_bits;
  return std::ranges::any_of(kOutputFills, [&](std::uint64_t byte) {
    return bits == byte * 0x0101010101010101 >> (64 - total);
  });
}

struct Storage {
  DimensionOrder order = DimensionOrder::kBshd;
  Spacing spacing = Spacing::kDense;
  RowSpacing rows = RowSpacing::kDense;
  InPlace in_place = InPlace::kNone;
  // The edge of every buffer; without one, each buffer has its own.
  std::optional<BufferEdge> edge = std::nullopt;
  // Positions are [batch, axes, seq], not [axes, batch, seq].
  bool are_axes_inside = false;

  bool operator==(const Storage&) const = default;

  // Tensors and rows in the plain order, back to back.
  bool is_dense() const {
    return order == DimensionOrder::kBshd && spacing == Spacing::kDense &&
           rows == RowSpacing::kDense;
  }
  // All batch rows of q, or of k, read the same numbers.
  bool is_broadcast(bool is_key) const {
    return spacing == Spacing::kBroadcast ||
           (is_key && spacing == Spacing::kKeysBroadcast);
  }
  bool is_in_place(bool is_key) const {
    return in_place == InPlace::kBoth ||
           in_place == (is_key ? InPlace::kKeys : InPlace::kQueries);
  }
  // Whether some tensor of a problem with these heads of k is in place.
  bool any_in_place(std::int64_t k_heads) const {
    return is_in_place(false) || (k_heads > 0 && is_in_place(true));
  }
  // Whether some tensor of such a problem is not in place.
  bool any_out_of_place(std::int64_t k_heads) const {
    return !is_in_place(false) || (k_heads > 0 && !is_in_place(true));
  }
};

// The storages of committed cases, which the files have words for.
inline constexpr Storage kDense{};  // in place where a kernel has nothing else
inline constexpr Storage kInPlace{.in_place = InPlace::kBoth};
inline constexpr Storage kStrided{.spacing = Spacing::kGaps,
                                  .rows = RowSpacing::kGaps};
inline constexpr Storage kStridedInPlace{.spacing = Spacing::kGaps,
                                         .rows = RowSpacing::kGaps,
                                         .in_place = InPlace::kBoth};

// A storage with every buffer at this edge.
constexpr Storage at(Storage storage, BufferEdge edge) {
  storage.edge = edge;
  return storage;
}

}  // namespace ropeproof::conformance::cases
