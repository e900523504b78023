#include "conformance/call/rows_of_storage.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace ropeproof::conformance::call {
namespace {

using cases::DimensionOrder;
using cases::RowSpacing;
using cases::Spacing;

// After each block of the fastest, the middle and the slowest dimension, in
// elements: odd, so that no row stays aligned, and no two of a call alike.
using Gaps = std::array<std::int64_t, 3>;
constexpr Gaps kNoGaps{}, kInputGaps{3, 5, 7}, kOutputGaps{9, 11, 13},
    kKeyGaps{15, 19, 17}, kKeyOutputGaps{21, 25, 23};
// The gaps of positions, amplitudes and tables, which have no heads.
constexpr Gaps kRowGaps{0, 3, 5};

// Room for tokens that a cache has not got yet.
constexpr std::int64_t kCacheRoom = 2;
// Each row of a wide dimension takes a page.
constexpr std::int64_t kMostWideRows = 128;
constexpr std::int64_t kMostPages = 512;

struct Dimension {
  std::int64_t count;
  std::int64_t Strides::*stride;
};
// The fastest first.
using Dimensions = std::array<Dimension, 3>;

Dimensions dimensions(DimensionOrder order, const reference::Shape& shape) {
  const Dimension batch{shape.batch, &Strides::batch},
      token{shape.seq, &Strides::token}, head{shape.heads, &Strides::head};
  switch (order) {
    case DimensionOrder::kBhsd:
      return {token, head, batch};
    case DimensionOrder::kSbhd:
      return {head, batch, token};
    case DimensionOrder::kBshd:
    case DimensionOrder::kPacked:
      break;
  }
  return {head, token, batch};
}

DimensionOrder another(DimensionOrder order) {
  switch (order) {
    case DimensionOrder::kBhsd:
      return DimensionOrder::kSbhd;
    case DimensionOrder::kSbhd:
      return DimensionOrder::kBshd;
    case DimensionOrder::kBshd:
    case DimensionOrder::kPacked:
      break;
  }
  return DimensionOrder::kBhsd;
}

// The dimension that gets the long stride, 3 for none. kFar: the slowest.
// kWide: the fastest that is not split into too many rows.
std::size_t long_dimension(Spacing spacing, bool is_packed,
                           const Dimensions& all) {
  const std::size_t first = is_packed ? 1 : 0;
  std::size_t found = 3;
  std::int64_t rows = 1;
  for (std::size_t i = 3; i-- > first;) {
    rows *= all[i].count;
    if (all[i].count < 2) continue;
    const bool is_first = found == 3;
    if (is_first || (spacing == Spacing::kWide && rows <= kMostWideRows)) {
      found = i;
    }
  }
  return found;
}

// The rows where the dimension number `longest` has stride `least`, or more.
Rows rows_of(const Dimensions& all, const reference::Shape& shape,
             std::int64_t length, const Gaps& gaps, std::size_t longest = 3,
             std::int64_t least = 0) {
  Rows rows{shape, length, {}};
  std::int64_t stride = length;
  for (std::size_t i = 0; i < 3; ++i) {
    stride += gaps[i];
    if (i == longest) stride = std::max(stride + 1, least);
    rows.strides.*all[i].stride = stride;
    stride *= all[i].count;
  }
  return rows;
}

}  // namespace

cases::Storage storage_of_call(const plugin::Kernel& kernel,
                               const cases::Problem& problem,
                               const std::optional<cases::Storage>& given) {
  const cases::Storage chosen = given.value_or(problem.storage);
  cases::Storage storage;
  if (kernel.shares_memory()) {
    storage = chosen;
    if (!storage.edge) storage.edge = problem.storage.edge;
  } else if (given) {
    storage.edge = chosen.edge;
  }
  const std::uint32_t features = kernel.description().features;
  if ((features & ROPEPROOF_OUT_OF_PLACE) == 0) {
    storage.in_place = cases::InPlace::kBoth;
  }
  // A table has no tensors, so it is asked of kernels without strides too: they
  // get it dense.
  if ((features & ROPEPROOF_STRIDED) == 0) {
    storage.rows = RowSpacing::kDense;
    storage.are_axes_inside = false;
  }
  // Heads of one token are no long way apart where they are packed.
  const bool is_long =
      storage.spacing == Spacing::kWide || storage.spacing == Spacing::kFar;
  if (is_long && problem.tokens() < 2 &&
      storage.order == DimensionOrder::kPacked) {
    storage.order = DimensionOrder::kBshd;
  }
  const bool is_q_shared = storage.is_broadcast(false),
             is_k_shared = storage.is_broadcast(true);
  // Packed rows that are written to are not one.
  if ((storage.order == DimensionOrder::kPacked && is_k_shared &&
       storage.any_in_place(problem.k_heads)) ||
      (is_q_shared && !repeats(problem.q, 1, problem.batch)) ||
      (is_k_shared && !repeats(problem.k, 1, problem.batch))) {
    storage.spacing = Spacing::kDense;
  }
  return storage;
}

bool repeats(const cases::Bits& list, std::int64_t blocks, std::int64_t parts) {
  const auto block = static_cast<std::ptrdiff_t>(list.size()) / blocks;
  const std::ptrdiff_t part = block / std::max<std::int64_t>(parts, 1);
  for (auto at = list.begin(); at < list.end(); at += block) {
    if (!std::equal(at + part, at + block, at)) return false;
  }
  return true;
}

TensorRows rows_of_tensor(const cases::Storage& storage,
                          const reference::Shape& shape, std::int64_t length,
                          bool is_key) {
  const bool is_packed = storage.order == DimensionOrder::kPacked;
  const Dimensions same = dimensions(storage.order, shape);
  const Dimensions other = dimensions(another(storage.order), shape);
  const auto rows = [&](const Dimensions& all, const Gaps& gaps) {
    return rows_of(all, shape, length, gaps);
  };
  TensorRows tensor;
  switch (storage.spacing) {
    case Spacing::kDense:
    case Spacing::kBroadcast:
    case Spacing::kKeysBroadcast:
      tensor.in = tensor.out = rows(same, kNoGaps);
      break;
    case Spacing::kGaps:
      tensor = {rows(same, kInputGaps), rows(same, kOutputGaps)};
      break;
    case Spacing::kQueriesApart:
      tensor.in = rows(same, is_key ? kNoGaps : kInputGaps);
      tensor.out = rows(same, is_key ? kNoGaps : kOutputGaps);
      break;
    case Spacing::kKeyCache:
      tensor.in = tensor.out = rows(same, kNoGaps);
      if (is_key) tensor.out = rows(other, {0, kCacheRoom * length, 0});
      break;
    case Spacing::kKeysApart:
      tensor =
          is_key
              ? TensorRows{rows(other, kKeyGaps), rows(other, kKeyOutputGaps)}
              : TensorRows{rows(same, kInputGaps), rows(same, kOutputGaps)};
      break;
    case Spacing::kOutputsApart:
      tensor = {rows(same, kNoGaps),
                rows(other, is_key ? kKeyOutputGaps : kOutputGaps)};
      break;
    case Spacing::kWide:
    case Spacing::kFar: {
      const std::size_t longest =
          long_dimension(storage.spacing, is_packed, same);
      std::int64_t least = kWideStride + (is_key ? 12 : 0);
      if (storage.spacing == Spacing::kFar && longest < 3) {
        least = far_stride(same[longest].count);
      }
      // Outputs further apart than inputs.
      tensor.in = rows_of(same, shape, length, kNoGaps, longest, least);
      tensor.out = rows_of(same, shape, length, kNoGaps, longest, least + 6);
      break;
    }
  }
  if (storage.is_in_place(is_key)) {
    tensor.out = tensor.in;
  } else if (storage.is_broadcast(is_key)) {
    tensor.in.strides.batch = 0;
  }
  return tensor;
}

Rows rows_of_table(RowSpacing spacing, std::int64_t outer, std::int64_t inner,
                   std::int64_t length) {
  const reference::Shape shape{outer, inner, 1};
  const Dimensions all = dimensions(DimensionOrder::kBshd, shape);
  const bool is_far = spacing == RowSpacing::kFar;
  const bool is_wide = spacing == RowSpacing::kWide;
  // Each row of a long stride takes a page. Far are the outer ones, so that the
  // inner ones stay together.
  const bool is_inner =
      inner > 1 && (outer == 1 || (!is_far && outer * inner <= kMostPages));
  const std::int64_t count = is_inner ? inner : outer;
  if ((is_far || is_wide) && count >= 2 && count <= kMostPages) {
    return rows_of(all, shape, length, kNoGaps, is_inner ? 1 : 2,
                   is_far ? far_stride(count) : kWideStride);
  }
  const bool has_gaps = spacing == RowSpacing::kGaps;
  return rows_of(all, shape, length, has_gaps ? kRowGaps : kNoGaps);
}

cases::Bits axes_inside(const cases::Bits& positions, std::int64_t axes,
                        std::int64_t batch, std::int64_t seq) {
  cases::Bits inside;
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t axis = 0; axis < axes; ++axis) {
      const auto row = positions.begin() + (axis * batch + b) * seq;
      inside.insert(inside.end(), row, row + seq);
    }
  }
  return inside;
}

}  // namespace ropeproof::conformance::call
