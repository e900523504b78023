#include "fast/abi.h"

#include <cmath>
#include <cstddef>
#include <new>
#include <span>
#include <vector>

#include "fast/plan.h"
#include "fast/problem.h"
#include "fast/rope_fast.h"

namespace ropeproof::fast {
namespace {

Direction direction_of(const ropeproof_problem& problem) {
  return problem.direction == 1 ? Direction::kForward : Direction::kAdjoint;
}

template <class Float>
Table<Float> table_of(const ropeproof_problem& problem) {
  return {static_cast<Float*>(problem.cos), static_cast<Float*>(problem.sin),
          problem.table_batch_stride, problem.table_token_stride};
}

Positions positions_of(const ropeproof_problem& problem) {
  return {problem.positions, problem.position_axis_stride,
          problem.position_batch_stride};
}

Plan plan_of(const ropeproof_problem& problem) {
  const auto pairs = static_cast<std::size_t>(problem.rotary_dim) / 2;
  std::span<const std::int32_t> axes;
  if (problem.axis_of_pair != nullptr) axes = {problem.axis_of_pair, pairs};
  return Plan({problem.inv_freq, pairs}, {problem.inv_freq_lo, pairs},
              problem.amplitude, axes);
}

std::int32_t run_frequencies(const ropeproof_problem& problem) {
  if (const auto status = check_rotary_dim(problem)) return status;
  if (problem.scaling != nullptr) return ROPEPROOF_UNSUPPORTED;
  if (problem.inv_freq_out == nullptr || !(problem.base > 0)) {
    return ROPEPROOF_INVALID;
  }
  if (!(problem.base >= 0x1p-400 && problem.base <= 0x1p400) ||
      problem.rotary_dim > 4096) {
    return ROPEPROOF_UNSUPPORTED;
  }
  const auto pairs = static_cast<std::size_t>(problem.rotary_dim) / 2;
  const auto write = [&](auto* out) {
    std::vector<double> hi(pairs), lo(pairs);
    frequencies(problem.base, hi, lo);
    for (const double theta : hi) {
      *out++ = static_cast<std::remove_pointer_t<decltype(out)>>(theta);
    }
    return ROPEPROOF_OK;
  };
  switch (problem.table_dtype) {
    case ROPEPROOF_F64:
      return write(static_cast<double*>(problem.inv_freq_out));
    case ROPEPROOF_F32:
      return write(static_cast<float*>(problem.inv_freq_out));
    default:
      return ROPEPROOF_UNSUPPORTED;
  }
}

std::int32_t run_table(const ropeproof_problem& problem) {
  Shape shape;
  if (const auto status = check_rotary_dim(problem)) return status;
  if (const auto status = check_shape(problem, shape)) return status;
  if (const auto status = check_table(problem, shape)) return status;
  if (const auto status = check_angles(problem)) return status;
  table(plan_of(problem), shape, positions_of(problem),
        table_of<float>(problem));
  return ROPEPROOF_OK;
}

std::int32_t run_rotate(const ropeproof_problem& problem) {
  Layout layout;
  Shape shape;
  Tensors tensors;
  if (const auto status = check_layout(problem, layout)) return status;
  if (const auto status = check_shape(problem, shape)) return status;
  if (const auto status = check_table(problem, shape)) return status;
  if (const auto status = check_tensors(problem, layout, shape, tensors)) {
    return status;
  }
  rotate(layout, direction_of(problem), shape, table_of<const float>(problem),
         tensors.span());
  return ROPEPROOF_OK;
}

std::int32_t run_rope(const ropeproof_problem& problem) {
  Layout layout;
  Shape shape;
  Tensors tensors;
  if (const auto status = check_layout(problem, layout)) return status;
  if (const auto status = check_shape(problem, shape)) return status;
  if (const auto status = check_angles(problem)) return status;
  if (const auto status = check_tensors(problem, layout, shape, tensors)) {
    return status;
  }
  rope(plan_of(problem), layout, direction_of(problem), shape,
       positions_of(problem), tensors.span());
  return ROPEPROOF_OK;
}

// 0: not an element type.
std::size_t bytes_of(std::uint32_t dtype) {
  switch (dtype) {
    case ROPEPROOF_F64:
      return 8;
    case ROPEPROOF_F32:
      return 4;
    case ROPEPROOF_F16:
    case ROPEPROOF_BF16:
      return 2;
    default:
      return 0;
  }
}

std::int32_t run_permute(const ropeproof_problem& problem) {
  Layout from;
  if (const auto status = check_layout(problem, from)) return status;
  const std::size_t element_bytes = bytes_of(problem.dtype);
  if (element_bytes == 0) return ROPEPROOF_UNSUPPORTED;
  if (problem.permute_heads < 0 || problem.permute_columns < 0) {
    return ROPEPROOF_INVALID;
  }
  if (problem.permute_heads == 0 || problem.permute_columns == 0) {
    return ROPEPROOF_OK;
  }
  const auto row_bytes =
      static_cast<std::size_t>(problem.permute_columns) * element_bytes;
  const std::uintptr_t bytes =
      static_cast<std::size_t>(problem.permute_heads * from.head_dim) *
      row_bytes;
  const auto in = reinterpret_cast<std::uintptr_t>(problem.permute_in);
  const auto out = reinterpret_cast<std::uintptr_t>(problem.permute_out);
  if (in == 0 || out == 0 || (in < out + bytes && out < in + bytes)) {
    return ROPEPROOF_INVALID;
  }
  permute(from, problem.permute_heads, row_bytes, problem.permute_in,
          problem.permute_out);
  return ROPEPROOF_OK;
}

std::int32_t run_operation(const ropeproof_problem& problem) {
  switch (problem.operation) {
    case ROPEPROOF_FREQUENCIES:
      return run_frequencies(problem);
    case ROPEPROOF_TABLE:
      return run_table(problem);
    case ROPEPROOF_ROTATE:
      return run_rotate(problem);
    case ROPEPROOF_ROPE:
      return run_rope(problem);
    case ROPEPROOF_PERMUTE:
      return run_permute(problem);
    default:
      return ROPEPROOF_UNSUPPORTED;
  }
}

}  // namespace

std::int32_t describe(ropeproof_description* description) noexcept {
  if (description == nullptr ||
      description->struct_size < sizeof *description) {
    return ROPEPROOF_INVALID;
  }
  description->abi_version = ROPEPROOF_ABI_VERSION;
  description->name = "fast";
  description->version = ROPEPROOF_VERSION;
  description->operations = ROPEPROOF_FREQUENCIES | ROPEPROOF_TABLE |
                            ROPEPROOF_ROTATE | ROPEPROOF_ROPE |
                            ROPEPROOF_PERMUTE;
  description->dtypes = ROPEPROOF_F32;
  description->pairings = ROPEPROOF_INTERLEAVED | ROPEPROOF_HALF_SPLIT;
  description->features =
      ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_IN_PLACE | ROPEPROOF_STRIDED |
      ROPEPROOF_PARTIAL | ROPEPROOF_WINDOW_OFFSET | ROPEPROOF_KEYS |
      ROPEPROOF_ADJOINT | ROPEPROOF_AMPLITUDE | ROPEPROOF_NEGATIVE_POSITIONS |
      ROPEPROOF_INV_FREQ | ROPEPROOF_AXES | ROPEPROOF_VALIDATES |
      ROPEPROOF_DETERMINISTIC | ROPEPROOF_CONCURRENT;
  description->max_position = 0;
  description->angle_class = ROPEPROOF_A0;
  description->angle_dtype = 0;
  description->power = ROPEPROOF_POW;
  description->trig_ulp = 1;
  description->table_dtype = ROPEPROOF_F32;
  description->rounding = ROPEPROOF_ROUND_ONCE;
  return ROPEPROOF_OK;
}

std::int32_t run(const ropeproof_problem* problem) noexcept {
  if (problem == nullptr || problem->struct_size < sizeof *problem) {
    return ROPEPROOF_INVALID;
  }
  try {
    return run_operation(*problem);
  } catch (const std::bad_alloc&) {  // the plan, before any output
    return ROPEPROOF_UNSUPPORTED;
  }
}

}  // namespace ropeproof::fast
