// Where tensors and rows lie, and which numbers they hold.
#include <algorithm>
#include <cstddef>

#include "conformance/cover/dimension.h"
#include "conformance/plugin/abi_words.h"

namespace ropeproof::conformance::cover {
namespace {

using cases::BufferEdge, cases::DimensionOrder, cases::InPlace;
using cases::RowSpacing, cases::Spacing;

constexpr std::int64_t kWideStride = std::int64_t{1} << 16;
constexpr std::int64_t kFarOffsets = std::int64_t{1} << 32;

const void* element(const ropeproof_problem& p, const void* data,
                    std::int64_t index) {
  const auto bytes =
      static_cast<std::int64_t>(plugin::bytes_of(plugin::format_of(p.dtype)));
  return static_cast<const std::byte*>(data) + index * bytes;
}

// From the first element of q to the last.
std::int64_t span(const ropeproof_problem& p) {
  return (p.batch - 1) * p.q.in_batch_stride +
         (p.seq - 1) * p.q.in_token_stride +
         (p.q.heads - 1) * p.q.in_head_stride + p.head_dim;
}

// The stride of the fastest dimension, which has no other inside it.
std::int64_t fastest(std::int64_t head, std::int64_t token) {
  return std::min(head, token);
}

bool is_packed(const ropeproof_problem& p) {
  const ropeproof_tensor &q = p.q, &k = p.k;
  return k.heads > 0 && k.in == element(p, q.in, q.heads * q.in_head_stride) &&
         k.in_token_stride == q.in_token_stride;
}

// Whether k is written in other strides than it is read.
bool is_key_elsewhere(const ropeproof_problem& p) {
  const ropeproof_tensor& k = p.k;
  return k.heads > 0 && (k.out_head_stride != k.in_head_stride ||
                         k.out_token_stride != k.in_token_stride ||
                         k.out_batch_stride != k.in_batch_stride);
}

DimensionOrder read_layout(const ropeproof_problem& p) {
  using enum DimensionOrder;
  const ropeproof_tensor& q = p.q;
  if (is_packed(p)) return kPacked;
  if (p.seq > 1 && q.heads > 1 && q.in_head_stride > q.in_token_stride) {
    return kBhsd;
  }
  return p.seq > 1 && p.batch > 1 && q.in_batch_stride != 0 &&
                 q.in_token_stride > q.in_batch_stride
             ? kSbhd
             : kBshd;
}

Spacing read_strides(const ropeproof_problem& p) {
  using enum Spacing;
  const ropeproof_tensor &q = p.q, &k = p.k;
  if (span(p) > kFarOffsets) return kFar;
  if (p.batch > 1 && q.in_batch_stride == 0) return kBroadcast;
  const std::int64_t d = p.head_dim;
  const std::int64_t in = fastest(q.in_head_stride, q.in_token_stride);
  const std::int64_t out = fastest(q.out_head_stride, q.out_token_stride);
  const bool is_whole =
      span(p) == p.batch * p.seq * p.q.heads * d ||
      (is_packed(p) && q.in_token_stride == (q.heads + 2 * k.heads) * d &&
       (p.batch == 1 || q.in_batch_stride == p.seq * q.in_token_stride));
  const bool has_rows = k.heads > 0 && p.batch > 1;
  if (has_rows && k.in_batch_stride == 0) return kKeysBroadcast;
  if (in == d && out == d && is_whole) {
    return is_key_elsewhere(p) && !is_packed(p) ? kKeyCache : kDense;
  }
  const auto is_wide = [](std::int64_t count, std::int64_t stride) {
    return count > 1 && stride > kWideStride;
  };
  if ((in == d || in > kWideStride) && out - in < 8 &&
      (is_wide(p.batch, q.in_batch_stride) ||
       is_wide(p.seq, q.in_token_stride) ||
       is_wide(q.heads, q.in_head_stride))) {
    return kWide;
  }
  if (k.heads > 0 && fastest(k.in_head_stride, k.in_token_stride) != in) {
    return fastest(k.in_head_stride, k.in_token_stride) == d ? kQueriesApart
                                                             : kKeysApart;
  }
  return in == d && out != d ? kOutputsApart : kGaps;
}

// `stride` between batch rows, `dense` where they lie back to back; `last` is
// where the last row begins.
RowSpacing rows_by(const ropeproof_problem& p, std::int64_t dense,
                   std::int64_t stride, std::int64_t last) {
  using enum RowSpacing;
  if (last > kFarOffsets) return kFar;
  if (p.batch > 1 && stride == 0) return kShared;
  return stride == dense ? kDense : stride > kWideStride ? kWide : kGaps;
}

RowSpacing read_row_spacing(const ropeproof_problem& p) {
  if (p.operation == ROPEPROOF_ROTATE) {
    return rows_by(p, p.seq * (p.rotary_dim / 2), p.table_batch_stride,
                   (p.batch - 1) * p.table_batch_stride +
                       (p.seq - 1) * p.table_token_stride);
  }
  return rows_by(p, are_axes_inside(p) ? p.position_axes * p.seq : p.seq,
                 p.position_batch_stride,
                 (p.batch - 1) * p.position_batch_stride +
                     (p.position_axes - 1) * p.position_axis_stride);
}

InPlace read_place(const ropeproof_problem& p) {
  using enum InPlace;
  const bool is_q_in = p.q.out == p.q.in;
  const bool is_k_in = p.k.heads > 0 ? p.k.out == p.k.in : is_q_in;
  return is_q_in ? (is_k_in ? kBoth : kQueries) : is_k_in ? kKeys : kNone;
}

// A kernel behind a process gets dense copies.
template <class Value>
auto strided_unless(Value dense) {
  return [=](const Offer& offer, Value c) {
    return offer.takes({.is_strided = c != dense});
  };
}

template <class Member>
auto store(Member cases::Storage::*member) {
  return [=](Drawing& d, const auto& c) { d.problem.storage.*member = c; };
}

}  // namespace

std::vector<Dimension> memory_dimensions() {
  using cases::Storage;
  using plugin::kTensors;
  constexpr std::uint32_t kCalls = kTensors | ROPEPROOF_TABLE;
  const auto offers_place = [](const Offer& offer, InPlace c) {
    return offer.takes({.is_in_place = c != InPlace::kNone,
                        .is_out_of_place = c != InPlace::kBoth});
  };
  const auto offers_edge = [](const Offer& offer, BufferEdge c) {
    return offer.shares_memory || c == BufferEdge::kEnd;
  };
  const auto offers_values = [](const Offer& offer, Values c) {
    return offer.takes({.has_special_values = c == Values::kSpecial});
  };
  return {
      dimension(kLayout, kTensors, By::kCall,
                strided_unless(DimensionOrder::kBshd), read_layout,
                store(&Storage::order)),
      dimension(kStrides, kTensors, By::kCall, strided_unless(Spacing::kDense),
                read_strides, store(&Storage::spacing)),
      dimension(kRows, kCalls, By::kCall, strided_unless(RowSpacing::kDense),
                read_row_spacing, store(&Storage::rows)),
      dimension(kPlace, kTensors, By::kCall, offers_place, read_place,
                store(&Storage::in_place)),
      dimension(kEdge, kCalls | ROPEPROOF_PERMUTE, By::kCall, offers_edge,
                nullptr, store(&Storage::edge)),
      dimension(kValues, kTensors, By::kCall, offers_values, nullptr, nullptr)};
}

}  // namespace ropeproof::conformance::cover
