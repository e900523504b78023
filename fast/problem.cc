#include "fast/problem.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace ropeproof::fast {
namespace {

constexpr std::int64_t kMaxPosition = std::int64_t{1} << 53;

struct Extent {  // [begin, end), addresses
  std::uintptr_t begin, end;
};

bool overlap(const Extent& a, const Extent& b) {
  return a.begin < b.end && b.begin < a.end;
}

// From the first to the last byte of a tensor's heads, gaps included.
Extent extent_of(const float* first, const Strides& strides, const Shape& shape,
                 std::int64_t heads, std::int64_t head_dim) {
  std::int64_t below = 0, above = head_dim;
  const auto stretch = [&](std::int64_t count, std::int64_t stride) {
    (stride < 0 ? below : above) += (count - 1) * stride;
  };
  stretch(shape.batch, strides.batch);
  stretch(shape.seq, strides.token);
  stretch(heads, strides.head);
  const auto address = reinterpret_cast<std::uintptr_t>(first);
  const auto bytes = [](std::int64_t elements) {
    return static_cast<std::uintptr_t>(elements) * sizeof(float);
  };
  return {address + bytes(below), address + bytes(above)};
}

// Strides of dimensions of size one do not matter.
bool same_places(const Tensor& tensor, const Shape& shape) {
  const Strides& in = tensor.in_strides;
  const Strides& out = tensor.out_strides;
  return (shape.batch == 1 || in.batch == out.batch) &&
         (shape.seq == 1 || in.token == out.token) &&
         (tensor.heads == 1 || in.head == out.head);
}

bool in_and_out_agree(const Tensor& tensor, const Layout& layout,
                      const Shape& shape) {
  if (tensor.in == tensor.out) return same_places(tensor, shape);
  return !overlap(extent_of(tensor.in, tensor.in_strides, shape, tensor.heads,
                            layout.head_dim),
                  extent_of(tensor.out, tensor.out_strides, shape, tensor.heads,
                            layout.head_dim));
}

// Whether each dimension steps over all that lies inside it, as in every usual
// layout: then no two rows meet.
bool is_nested(const Strides& strides, const Shape& shape, std::int64_t heads,
               std::int64_t head_dim) {
  std::array<std::pair<std::int64_t, std::int64_t>, 3> steps = {
      {{std::abs(strides.batch), shape.batch},
       {std::abs(strides.token), shape.seq},
       {std::abs(strides.head), heads}}};
  std::sort(steps.begin(), steps.end());
  std::int64_t extent = head_dim;
  for (const auto& [stride, count] : steps) {
    if (count > 1 && stride < extent) return false;
    extent += (count - 1) * stride;
  }
  return true;
}

// Whether two rows of head_dim elements share one. Cost beside nested layouts:
// batch x seq.
bool rows_overlap(const Strides& strides, const Shape& shape,
                  std::int64_t heads, std::int64_t head_dim) {
  if (is_nested(strides, shape, heads, head_dim)) return false;
  if (heads > 1 && strides.head == 0) return true;
  for (std::int64_t b = 0; b < shape.batch; ++b) {
    for (std::int64_t t = 1 - shape.seq; t < shape.seq; ++t) {
      const std::int64_t apart = b * strides.batch + t * strides.token;
      const std::int64_t near = heads > 1 ? -apart / strides.head : 0;
      for (std::int64_t h = near - 1; h <= near + 1; ++h) {
        const bool is_row = std::abs(h) < heads && (b != 0 || t != 0 || h != 0);
        if (is_row && std::abs(apart + h * strides.head) < head_dim) {
          return true;
        }
      }
    }
  }
  return false;
}

Tensor to_tensor(const ropeproof_tensor& t) {
  return {static_cast<const float*>(t.in),
          static_cast<float*>(t.out),
          t.heads,
          {t.in_batch_stride, t.in_token_stride, t.in_head_stride},
          {t.out_batch_stride, t.out_token_stride, t.out_head_stride}};
}

// The axes that a checked problem uses.
std::int64_t axes_of(const ropeproof_problem& problem) {
  return problem.axis_of_pair == nullptr ? 1 : problem.position_axes;
}

bool frequencies_are_finite(const ropeproof_problem& problem) {
  const auto pairs = static_cast<std::size_t>(problem.rotary_dim / 2);
  const auto is_finite = [](double theta) { return std::isfinite(theta); };
  return std::all_of(problem.inv_freq, problem.inv_freq + pairs, is_finite) &&
         std::all_of(problem.inv_freq_lo, problem.inv_freq_lo + pairs,
                     is_finite);
}

bool axes_in_range(const ropeproof_problem& problem) {
  if (problem.axis_of_pair == nullptr) return true;
  const std::span axis(problem.axis_of_pair,
                       static_cast<std::size_t>(problem.rotary_dim / 2));
  return std::all_of(axis.begin(), axis.end(), [&](std::int32_t a) {
    return a >= 0 && a < problem.position_axes;
  });
}

bool positions_in_range(const ropeproof_problem& problem) {
  for (std::int64_t a = 0; a < axes_of(problem); ++a) {
    for (std::int64_t b = 0; b < problem.batch; ++b) {
      const std::int64_t* row = problem.positions +
                                a * problem.position_axis_stride +
                                b * problem.position_batch_stride;
      const bool fits = std::all_of(row, row + problem.seq, [](auto p) {
        return p >= -kMaxPosition && p <= kMaxPosition;
      });
      if (!fits) return false;
    }
  }
  return true;
}

}  // namespace

std::int32_t check_rotary_dim(const ropeproof_problem& problem) noexcept {
  return problem.rotary_dim >= 2 && problem.rotary_dim % 2 == 0
             ? ROPEPROOF_OK
             : ROPEPROOF_INVALID;
}

std::int32_t check_layout(const ropeproof_problem& problem,
                          Layout& layout) noexcept {
  Pairing pairing;
  switch (problem.pairing) {
    case ROPEPROOF_INTERLEAVED:
      pairing = Pairing::kInterleaved;
      break;
    case ROPEPROOF_HALF_SPLIT:
      pairing = Pairing::kHalfSplit;
      break;
    default:
      return ROPEPROOF_UNSUPPORTED;
  }
  const bool is_apart = problem.pairing == ROPEPROOF_HALF_SPLIT &&
                        problem.pair_distance != 0 &&
                        problem.pair_distance != problem.rotary_dim / 2;
  if (is_apart) return ROPEPROOF_UNSUPPORTED;
  const bool fits =
      check_rotary_dim(problem) == ROPEPROOF_OK && problem.rotary_offset >= 0 &&
      problem.rotary_dim <= problem.head_dim &&
      problem.rotary_offset <= problem.head_dim - problem.rotary_dim;
  if (!fits) return ROPEPROOF_INVALID;
  layout = {problem.head_dim, problem.rotary_dim, problem.rotary_offset,
            pairing};
  return ROPEPROOF_OK;
}

std::int32_t check_shape(const ropeproof_problem& problem,
                         Shape& shape) noexcept {
  if (problem.batch < 0 || problem.seq < 0) return ROPEPROOF_INVALID;
  shape = {problem.batch, problem.seq};
  return ROPEPROOF_OK;
}

std::int32_t check_angles(const ropeproof_problem& problem) noexcept {
  if (problem.real_positions != nullptr || problem.axis_weights != nullptr ||
      problem.pair_amplitude != nullptr) {
    return ROPEPROOF_UNSUPPORTED;
  }
  const bool has_tokens = problem.batch > 0 && problem.seq > 0;
  const bool fits =
      problem.inv_freq != nullptr && problem.inv_freq_lo != nullptr &&
      frequencies_are_finite(problem) && std::isfinite(problem.amplitude) &&
      axes_in_range(problem) &&
      (!has_tokens ||
       (problem.positions != nullptr && positions_in_range(problem)));
  return fits ? ROPEPROOF_OK : ROPEPROOF_INVALID;
}

std::int32_t check_table(const ropeproof_problem& problem,
                         const Shape& shape) noexcept {
  if (problem.table_dtype != ROPEPROOF_F32) return ROPEPROOF_UNSUPPORTED;
  const bool has_tokens = shape.batch > 0 && shape.seq > 0;
  const bool is_there = problem.cos != nullptr && problem.sin != nullptr;
  return is_there || !has_tokens ? ROPEPROOF_OK : ROPEPROOF_INVALID;
}

std::int32_t check_tensors(const ropeproof_problem& problem,
                           const Layout& layout, const Shape& shape,
                           Tensors& tensors) noexcept {
  if (problem.dtype != ROPEPROOF_F32) return ROPEPROOF_UNSUPPORTED;
  if (problem.direction != 1 && problem.direction != -1) {
    return ROPEPROOF_INVALID;
  }
  Tensors found;
  for (const ropeproof_tensor* given : {&problem.q, &problem.k}) {
    const Tensor tensor = to_tensor(*given);
    if (tensor.heads < 0) return ROPEPROOF_INVALID;
    if (tensor.heads == 0 || shape.batch == 0 || shape.seq == 0) continue;
    if (tensor.in == nullptr || tensor.out == nullptr ||
        !in_and_out_agree(tensor, layout, shape) ||
        rows_overlap(tensor.out_strides, shape, tensor.heads,
                     layout.head_dim)) {
      return ROPEPROOF_INVALID;
    }
    found.items[found.count++] = tensor;
  }
  tensors = found;
  return ROPEPROOF_OK;
}

}  // namespace ropeproof::fast
