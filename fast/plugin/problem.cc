#include "fast/plugin/problem.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "fast/elements.h"
#include "fast/plugin/footprint.h"

namespace ropeproof::fast {
namespace {

constexpr std::int64_t kMaxPosition = std::int64_t{1} << 53;

bool are_finite(std::span<const double> numbers) {
  return std::all_of(numbers.begin(), numbers.end(),
                     [](double x) { return std::isfinite(x); });
}

// Strides of dimensions of size one do not matter.
bool same_places(const Tensor& tensor, const Shape& shape) {
  const Strides& in = tensor.in_strides;
  const Strides& out = tensor.out_strides;
  return (shape.batch == 1 || in.batch == out.batch) &&
         (shape.seq == 1 || in.token == out.token) &&
         (tensor.heads == 1 || in.head == out.head);
}

// Heads side by side in tokens, tokens in batch rows: what rows_overlap() would
// find out with more work. For an extent that fits.
bool rows_nest(const Strides& strides, std::int64_t heads, const Layout& layout,
               const Shape& shape) {
  const std::int64_t token = (heads - 1) * strides.head + layout.head_dim;
  const std::int64_t row = (shape.seq - 1) * strides.token + token;
  return strides.head >= layout.head_dim && strides.token >= token &&
         (shape.batch == 1 || strides.batch >= row);
}

bool memory_agrees(const Tensor& tensor, const Layout& layout,
                   const Shape& shape) {
  const std::size_t bytes = bytes_of(tensor.type);
  if (!is_array(tensor.in, bytes) || !is_array(tensor.out, bytes)) return false;
  const auto footprint = [&](const void* data, const Strides& strides) {
    return Footprint{data,
                     static_cast<std::int64_t>(bytes),
                     layout.head_dim,
                     {{shape.batch, strides.batch},
                      {shape.seq, strides.token},
                      {tensor.heads, strides.head}}};
  };
  const auto out = extent_of(footprint(tensor.out, tensor.out_strides));
  if (!out) return false;
  if (!rows_nest(tensor.out_strides, tensor.heads, layout, shape) &&
      rows_overlap(footprint(tensor.out, tensor.out_strides))) {
    return false;
  }
  if (tensor.in == tensor.out) return same_places(tensor, shape);
  const auto in = extent_of(footprint(tensor.in, tensor.in_strides));
  return in && !overlap(*in, *out);
}

std::size_t pairs_of(const ropeproof_problem& problem) {
  return static_cast<std::size_t>(problem.rotary_dim / 2);
}

// The axes that a checked problem uses.
std::int64_t axes_of(const ropeproof_problem& problem) {
  return problem.axis_of_pair == nullptr && problem.axis_weights == nullptr
             ? 1
             : problem.position_axes;
}

// Whether check(p) holds for every position of every axis and batch row.
template <class T, class Check>
bool all_positions(const ropeproof_problem& problem, const T* positions,
                   const Check& check) {
  if (!is_array(positions, sizeof(T))) return false;
  for (std::int64_t a = 0; a < axes_of(problem); ++a) {
    for (std::int64_t b = 0; b < problem.batch; ++b) {
      const T* row = positions + a * problem.position_axis_stride +
                     b * problem.position_batch_stride;
      if (!std::all_of(row, row + problem.seq, check)) return false;
    }
  }
  return true;
}

bool positions_in_range(const ropeproof_problem& problem) {
  if (problem.real_positions != nullptr) {
    return problem.positions == nullptr &&
           all_positions(problem, problem.real_positions, [](double p) {
             return std::abs(p) <= double{kMaxPosition};
           });
  }
  return all_positions(problem, problem.positions, [](std::int64_t p) {
    return p >= -kMaxPosition && p <= kMaxPosition;
  });
}

bool amplitudes_are_finite(const ropeproof_problem& problem) {
  if (problem.pair_amplitude == nullptr) {
    return std::isfinite(problem.amplitude);
  }
  for (std::int64_t b = 0; b < problem.batch; ++b) {
    for (std::int64_t s = 0; s < problem.seq; ++s) {
      const double* row = problem.pair_amplitude +
                          b * problem.table_batch_stride +
                          s * problem.table_token_stride;
      if (!is_array(row, sizeof *row) ||
          !are_finite({row, pairs_of(problem)})) {
        return false;
      }
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
  const std::int64_t r = problem.rotary_dim, d = problem.head_dim;
  const bool fits = check_rotary_dim(problem) == ROPEPROOF_OK &&
                    problem.rotary_offset >= 0 && r <= d &&
                    problem.rotary_offset <= d - r;
  if (!fits) return ROPEPROOF_INVALID;
  Layout found{d, r, problem.rotary_offset, Pairing::kInterleaved};
  switch (problem.pairing) {
    case ROPEPROOF_INTERLEAVED:
      break;
    case ROPEPROOF_HALF_SPLIT:
      found.pairing = Pairing::kHalfSplit;
      found.pair_distance = problem.pair_distance;
      // Nearer, pairs would share channels; further, they would leave the head.
      if (problem.pair_distance != 0 &&
          (problem.pair_distance < r / 2 ||
           problem.pair_distance > d - problem.rotary_offset - r / 2)) {
        return ROPEPROOF_INVALID;
      }
      break;
    case ROPEPROOF_INTERLEAVED_TO_HALF:
      if (r > kMaxReordered) return ROPEPROOF_UNSUPPORTED;
      found.pairing = Pairing::kInterleavedToHalf;
      break;
    case ROPEPROOF_NESTED_HALF_SPLIT:
      found.pairing = Pairing::kNestedHalfSplit;
      found.blocks = problem.pairing_blocks;
      if (problem.pairing_blocks < 1 || problem.pairing_blocks > r / 2 ||
          r / 2 % problem.pairing_blocks != 0) {
        return ROPEPROOF_INVALID;
      }
      break;
    default:
      return ROPEPROOF_UNSUPPORTED;
  }
  layout = found;
  return ROPEPROOF_OK;
}

std::int32_t check_shape(const ropeproof_problem& problem,
                         Shape& shape) noexcept {
  if (problem.batch < 0 || problem.seq < 0) return ROPEPROOF_INVALID;
  shape = {problem.batch, problem.seq};
  return ROPEPROOF_OK;
}

// Axis weights that one array can hold.
constexpr std::size_t kMostWeights = PTRDIFF_MAX / sizeof(double);

std::int32_t find_inputs(const ropeproof_problem& problem,
                         PlanInputs& inputs) noexcept {
  const std::size_t pairs = pairs_of(problem);
  if (!is_array(problem.inv_freq, sizeof(double)) ||
      !is_array(problem.inv_freq_lo, sizeof(double))) {
    return ROPEPROOF_INVALID;
  }
  inputs = {{problem.inv_freq, pairs},
            {problem.inv_freq_lo, pairs},
            problem.amplitude};
  if (problem.axis_weights != nullptr) {
    if (problem.position_axes < 1 ||
        !is_array(problem.axis_weights, sizeof(double))) {
      return ROPEPROOF_INVALID;
    }
    const auto axes = static_cast<std::size_t>(problem.position_axes);
    if (pairs != 0 && axes > kMostWeights / pairs) return ROPEPROOF_INVALID;
    inputs.axis_weights = {problem.axis_weights, axes * pairs};
  } else if (problem.axis_of_pair != nullptr) {
    if (!is_array(problem.axis_of_pair, sizeof(std::int32_t))) {
      return ROPEPROOF_INVALID;
    }
    inputs.axis_of_pair = {problem.axis_of_pair, pairs};
    inputs.axes = problem.position_axes;
  }
  return ROPEPROOF_OK;
}

std::int32_t check_inputs(const PlanInputs& inputs) noexcept {
  const bool fits =
      are_finite(inputs.theta) && are_finite(inputs.theta_lo) &&
      are_finite(inputs.axis_weights) &&
      std::all_of(inputs.axis_of_pair.begin(), inputs.axis_of_pair.end(),
                  [&](std::int32_t a) { return a >= 0 && a < inputs.axes; });
  return fits ? ROPEPROOF_OK : ROPEPROOF_INVALID;
}

std::int32_t check_positions(const ropeproof_problem& problem,
                             const Shape& shape) noexcept {
  const bool has_tokens = shape.batch > 0 && shape.seq > 0;
  const bool fits = std::isfinite(problem.base) && problem.base >= 0 &&
                    (!has_tokens || (amplitudes_are_finite(problem) &&
                                     positions_in_range(problem)));
  return fits ? ROPEPROOF_OK : ROPEPROOF_INVALID;
}

std::int32_t check_table(const ropeproof_problem& problem, const Shape& shape,
                         bool is_written, Table<void>& table) {
  Type type;
  if (const auto status = check_type(problem.table_dtype, type)) return status;
  const std::size_t bytes = bytes_of(type);
  if (shape.batch > 0 && shape.seq > 0) {
    if (!is_array(problem.cos, bytes) || !is_array(problem.sin, bytes)) {
      return ROPEPROOF_INVALID;
    }
    const auto footprint = [&](const void* data) {
      return Footprint{data,
                       static_cast<std::int64_t>(bytes),
                       problem.rotary_dim / 2,
                       {{shape.batch, problem.table_batch_stride},
                        {shape.seq, problem.table_token_stride},
                        {1, 0}}};
    };
    if (!extent_of(footprint(problem.cos)) ||
        !extent_of(footprint(problem.sin)) ||
        (is_written && (rows_overlap(footprint(problem.cos)) ||
                        problem.cos == problem.sin))) {
      return ROPEPROOF_INVALID;
    }
  }
  table = {problem.cos, problem.sin, problem.table_batch_stride,
           problem.table_token_stride, type};
  return ROPEPROOF_OK;
}

std::int32_t check_tensors(const ropeproof_problem& problem,
                           const Layout& layout, const Shape& shape,
                           Tensors& tensors) {
  Type type;
  if (const auto status = check_type(problem.dtype, type)) return status;
  if (problem.direction != 1 && problem.direction != -1) {
    return ROPEPROOF_INVALID;
  }
  const bool has_tokens = shape.batch > 0 && shape.seq > 0;
  tensors.count = 0;
  const auto add = [&](const ropeproof_tensor& given) {
    if (given.heads <= 0 || !has_tokens) return given.heads >= 0;
    Tensor& tensor = tensors.items[tensors.count++];
    tensor = to_tensor(given, type);
    return memory_agrees(tensor, layout, shape);
  };
  const bool agree =
      add(problem.q) && add(problem.k) &&
      (tensors.count < 2 || tensors.items[0].out != tensors.items[1].out);
  return agree ? ROPEPROOF_OK : ROPEPROOF_INVALID;
}

}  // namespace ropeproof::fast
