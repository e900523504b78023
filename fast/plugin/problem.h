// problem.h -- a problem of the C ABI, checked and in the terms of rope_fast.h.
#pragma once

#include <ropeproof_kernel.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "fast/plugin/plan_cache.h"
#include "fast/rope_fast.h"

namespace ropeproof::fast {

// Each check answers ROPEPROOF_OK, _INVALID or _UNSUPPORTED; its result is one
// only if the answer is ROPEPROOF_OK. std::bad_alloc is all they throw.

inline std::int32_t check_type(std::uint32_t dtype, Type& type) noexcept {
  switch (dtype) {
    case ROPEPROOF_F64:
      type = Type::kF64;
      return ROPEPROOF_OK;
    case ROPEPROOF_F32:
      type = Type::kF32;
      return ROPEPROOF_OK;
    case ROPEPROOF_F16:
      type = Type::kF16;
      return ROPEPROOF_OK;
    case ROPEPROOF_BF16:
      type = Type::kBf16;
      return ROPEPROOF_OK;
    default:
      return ROPEPROOF_UNSUPPORTED;
  }
}

// rotary_dim alone: for the operations without heads.
std::int32_t check_rotary_dim(const ropeproof_problem& problem) noexcept;

std::int32_t check_layout(const ropeproof_problem& problem,
                          Layout& layout) noexcept;

std::int32_t check_shape(const ropeproof_problem& problem,
                         Shape& shape) noexcept;

// Finds where the inputs of the plan lie, for a checked rotary_dim; reads none
// of them. Cost: constant.
std::int32_t find_inputs(const ropeproof_problem& problem,
                         PlanInputs& inputs) noexcept;

// Checks the inputs of a plan: finite numbers, axes that there are.
std::int32_t check_inputs(const PlanInputs& inputs) noexcept;

// Checks base, amplitude and positions, for checked inputs and shape.
std::int32_t check_positions(const ropeproof_problem& problem,
                             const Shape& shape) noexcept;

// `is_written`: the operation is table, not rotate.
std::int32_t check_table(const ropeproof_problem& problem, const Shape& shape,
                         bool is_written, Table<void>& table);

inline Tensor to_tensor(const ropeproof_tensor& t, Type type) {
  return {t.in,
          t.out,
          t.heads,
          {t.in_batch_stride, t.in_token_stride, t.in_head_stride},
          {t.out_batch_stride, t.out_token_stride, t.out_head_stride},
          type};
}

// q and k, as far as they are there: none of them if there is no token.
struct Tensors {
  Tensor items[2];
  std::size_t count = 0;

  std::span<const Tensor> span() const { return {items, count}; }
};
std::int32_t check_tensors(const ropeproof_problem& problem,
                           const Layout& layout, const Shape& shape,
                           Tensors& tensors);

}  // namespace ropeproof::fast
