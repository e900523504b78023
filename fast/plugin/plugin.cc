// plugin.cc -- the kernels of rope_fast.h behind the C ABI of the suite, which
// sees ours exactly as it sees anybody's: every operation, type and feature.
//
// This is the border: it checks every problem, so that the kernels need not.
//
// ROPEPROOF_INVALID      what contradicts the header: a missing buffer, an odd
//                        or too wide window, an axis or a position out of
//                        range, in and out of one tensor that overlap without
//                        being the same; a null or too short argument.
// ROPEPROOF_UNSUPPORTED  an enumerator of a later version, frequencies outside
//                        the range of plan.h, no memory for the plan.
// No output is written in either case.
//
// Cost: the kernel, and one look at every frequency and position; a plan and
// its memory, unless it is one of the thread's last four (plan_cache.h).
#include <ropeproof_kernel.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "fast/angles.h"
#include "fast/dispatch.h"
#include "fast/elements.h"
#include "fast/plan.h"
#include "fast/plugin/footprint.h"
#include "fast/plugin/plan_cache.h"
#include "fast/plugin/problem.h"
#include "fast/plugin/step.h"
#include "fast/rope_fast.h"

namespace ropeproof::fast {
namespace {

// ROPEPROOF_TARGET=AVX2, or SSE4, in the environment: no wider vectors than
// those, for who measures. Read when the library is loaded.
[[maybe_unused]] const bool is_limited = [] {
  const char* const target = std::getenv("ROPEPROOF_TARGET");
  const std::string_view name = target == nullptr ? "" : target;
  if (name == "AVX2") chosen.Update(supported_targets() & ~(HWY_AVX2 - 1));
  if (name == "SSE4") chosen.Update(supported_targets() & ~(HWY_SSE4 - 1));
  return !name.empty();
}();

Direction direction_of(const ropeproof_problem& problem) {
  return problem.direction == 1 ? Direction::kForward : Direction::kAdjoint;
}

Positions positions_of(const ropeproof_problem& problem) {
  return {problem.positions, problem.position_axis_stride,
          problem.position_batch_stride, problem.real_positions};
}

Amplitudes amplitudes_of(const ropeproof_problem& problem) {
  return {problem.pair_amplitude, problem.table_batch_stride,
          problem.table_token_stride};
}

// Calls solve(plan), which checks what is left to be checked and answers. The
// inputs of a plan that is kept were checked when it was made.
template <class Solve>
std::int32_t with_plan(const ropeproof_problem& problem, const Solve& solve) {
  PlanInputs inputs;
  if (const auto status = find_inputs(problem, inputs)) return status;
  PlanCache* const cache = PlanCache::mine();
  if (cache != nullptr) {
    if (const Plan* const plan = cache->find(inputs)) return solve(*plan);
  }
  if (const auto status = check_inputs(inputs)) return status;
  auto made = std::make_unique<const Plan>(inputs.make());
  if (cache == nullptr || !PlanCache::can_keep(inputs)) return solve(*made);
  return solve(cache->keep(inputs, std::move(made)));
}

std::int32_t run_frequencies(const ropeproof_problem& problem) {
  if (const auto status = check_rotary_dim(problem)) return status;
  if (problem.scaling != nullptr) return ROPEPROOF_UNSUPPORTED;
  Type type;
  if (const auto status = check_type(problem.table_dtype, type)) return status;
  if (!is_array(problem.inv_freq_out, bytes_of(type)) ||
      !std::isfinite(problem.base) || !(problem.base > 0)) {
    return ROPEPROOF_INVALID;
  }
  if (!(problem.base >= 0x1p-400 && problem.base <= 0x1p400) ||
      problem.rotary_dim > 4096) {
    return ROPEPROOF_UNSUPPORTED;
  }
  const auto pairs = static_cast<std::size_t>(problem.rotary_dim) / 2;
  std::vector<double> hi(pairs), lo(pairs);
  frequencies(problem.base, hi, lo);
  if (type == Type::kF64) {
    std::copy(hi.begin(), hi.end(), static_cast<double*>(problem.inv_freq_out));
  } else {
    std::vector<float> rounded(pairs);
    std::transform(hi.begin(), hi.end(), rounded.begin(),
                   [](double theta) { return static_cast<float>(theta); });
    narrow(rounded.data(), pairs, type, problem.inv_freq_out);
  }
  return ROPEPROOF_OK;
}

std::int32_t run_table(const ropeproof_problem& problem) {
  Shape shape;
  Table<void> out;
  if (const auto status = check_rotary_dim(problem)) return status;
  if (const auto status = check_shape(problem, shape)) return status;
  if (const auto status = check_table(problem, shape, true, out)) return status;
  return with_plan(problem, [&](const Plan& plan) {
    const auto status = check_positions(problem, shape);
    if (status == ROPEPROOF_OK) {
      table(plan, shape, positions_of(problem), out, amplitudes_of(problem));
    }
    return status;
  });
}

std::int32_t run_rotate(const ropeproof_problem& problem) {
  Layout layout;
  Shape shape;
  Table<void> given;
  Tensors tensors;
  if (const auto status = check_layout(problem, layout)) return status;
  if (const auto status = check_shape(problem, shape)) return status;
  if (const auto status = check_table(problem, shape, false, given)) {
    return status;
  }
  if (const auto status = check_tensors(problem, layout, shape, tensors)) {
    return status;
  }
  rotate(layout, direction_of(problem), shape,
         {given.cos, given.sin, given.batch_stride, given.token_stride,
          given.type},
         tensors.span());
  return ROPEPROOF_OK;
}

// Gathers the rows of the cache that the ids name side by side, then rotates.
std::int32_t run_lookup(const ropeproof_problem& problem) {
  Layout layout;
  Shape shape;
  Tensors tensors;
  Type type;
  if (const auto status = check_layout(problem, layout)) return status;
  if (const auto status = check_shape(problem, shape)) return status;
  if (const auto status = check_tensors(problem, layout, shape, tensors)) {
    return status;
  }
  if (const auto status = check_type(problem.table_dtype, type)) return status;
  const bool is_split = problem.cache == ROPEPROOF_CACHE_SPLIT;
  if (!is_split && problem.cache != ROPEPROOF_CACHE_SIDE_BY_SIDE) {
    return ROPEPROOF_UNSUPPORTED;
  }
  if (shape.batch == 0 || shape.seq == 0) return ROPEPROOF_OK;
  const std::size_t bytes = bytes_of(type);
  const std::int64_t pairs = problem.rotary_dim / 2;
  const auto fits = [&](const void* data) {
    return is_array(data, bytes) &&
           extent_of({data,
                      static_cast<std::int64_t>(bytes),
                      is_split ? pairs : 2 * pairs,
                      {{1, 0},
                       {problem.cache_rows, problem.table_token_stride},
                       {1, 0}}});
  };
  if (problem.cache_rows < 1 || !is_array(problem.ids, sizeof(std::int64_t)) ||
      !fits(problem.cos) || (is_split && !fits(problem.sin))) {
    return ROPEPROOF_INVALID;
  }
  const std::size_t row = static_cast<std::size_t>(pairs) * bytes;
  std::vector<std::byte> cos(static_cast<std::size_t>(shape.batch * shape.seq) *
                             row);
  std::vector<std::byte> sin(cos.size());
  std::size_t to = 0;
  for (std::int64_t b = 0; b < shape.batch; ++b) {
    for (std::int64_t s = 0; s < shape.seq; ++s, to += row) {
      const std::int64_t id =
          problem.ids[b * problem.position_batch_stride + s];
      if (id < 0 || id >= problem.cache_rows) return ROPEPROOF_INVALID;
      const std::int64_t from = id * problem.table_token_stride;
      std::memcpy(&cos[to], at(problem.cos, type, from), row);
      std::memcpy(&sin[to],
                  is_split ? at(problem.sin, type, from)
                           : at(problem.cos, type, from + pairs),
                  row);
    }
  }
  rotate(layout, direction_of(problem), shape,
         {cos.data(), sin.data(), shape.seq * pairs, pairs, type},
         tensors.span());
  return ROPEPROOF_OK;
}

std::int32_t run_rope(const ropeproof_problem& problem) {
  Layout layout;
  Shape shape;
  Tensors tensors;
  if (const auto status = check_layout(problem, layout)) return status;
  if (const auto status = check_shape(problem, shape)) return status;
  if (const auto status = check_tensors(problem, layout, shape, tensors)) {
    return status;
  }
  return with_plan(problem, [&](const Plan& plan) {
    const auto status = check_positions(problem, shape);
    if (status == ROPEPROOF_OK) {
      rope(plan, layout, direction_of(problem), shape, positions_of(problem),
           tensors.span(), amplitudes_of(problem));
    }
    return status;
  });
}

std::int32_t run_permute(const ropeproof_problem& problem) {
  Layout from;
  Type type;
  if (const auto status = check_layout(problem, from)) return status;
  if (const auto status = check_type(problem.dtype, type)) return status;
  if ((from.pairing != Pairing::kInterleaved &&
       from.pairing != Pairing::kHalfSplit) ||
      (from.pair_distance != 0 && from.pair_distance != from.rotary_dim / 2)) {
    return ROPEPROOF_UNSUPPORTED;
  }
  if (problem.permute_heads < 0 || problem.permute_columns < 0) {
    return ROPEPROOF_INVALID;
  }
  if (problem.permute_heads == 0 || problem.permute_columns == 0) {
    return ROPEPROOF_OK;
  }
  const auto bytes = static_cast<std::int64_t>(bytes_of(type));
  std::int64_t head_elements;
  if (__builtin_mul_overflow(from.head_dim, problem.permute_columns,
                             &head_elements)) {
    return ROPEPROOF_INVALID;
  }
  const auto extent = [&](const void* data) {
    return extent_of(
        {data,
         bytes,
         head_elements,
         {{problem.permute_heads, head_elements}, {1, 0}, {1, 0}}});
  };
  const auto in = extent(problem.permute_in);
  const auto out = extent(problem.permute_out);
  if (!is_array(problem.permute_in, bytes_of(type)) ||
      !is_array(problem.permute_out, bytes_of(type)) || !in || !out ||
      overlap(*in, *out)) {
    return ROPEPROOF_INVALID;
  }
  permute(from, problem.permute_heads,
          static_cast<std::size_t>(problem.permute_columns * bytes),
          problem.permute_in, problem.permute_out);
  return ROPEPROOF_OK;
}

std::int32_t run_any(const ropeproof_problem& problem) {
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
    case ROPEPROOF_LOOKUP:
      return run_lookup(problem);
    default:
      return ROPEPROOF_UNSUPPORTED;
  }
}

// Anything, with all checks.
HWY_NOINLINE std::int32_t run_checked(const ropeproof_problem& problem) {
  try {
    return run_any(problem);
  } catch (const std::bad_alloc&) {  // the plan, before any output
    return ROPEPROOF_UNSUPPORTED;
  }
}

// What is_plain_step() knows; rope of a plan that is not kept takes all checks.
std::int32_t run_step(const ropeproof_problem& problem) {
  Type type;
  if (const auto status = check_type(problem.dtype, type)) return status;
  constexpr Shape kOne{1, 1};
  const Layout layout{
      problem.head_dim, problem.rotary_dim, problem.rotary_offset,
      problem.pairing == ROPEPROOF_INTERLEAVED ? Pairing::kInterleaved
                                               : Pairing::kHalfSplit};
  const auto plain = [type](const ropeproof_tensor& t) {
    const Strides strides{0, 0, t.out_head_stride};
    return Tensor{t.in, t.out, t.heads, strides, strides, type};
  };
  const Tensor both[] = {plain(problem.q), plain(problem.k)};
  const std::span tensors(both, problem.k.heads == 0 ? 1 : 2);
  Table<const void> row{problem.cos, problem.sin, 0, 0};
  if (problem.operation == ROPEPROOF_ROPE) {
    const auto pairs = static_cast<std::size_t>(problem.rotary_dim) / 2;
    PlanCache* const cache = PlanCache::mine();
    const Plan* const plan = cache == nullptr
                                 ? nullptr
                                 : cache->find({{problem.inv_freq, pairs},
                                                {problem.inv_freq_lo, pairs},
                                                problem.amplitude});
    if (plan == nullptr) return run_checked(problem);
    row = cache->next_rows().at(*problem.positions);
    if (row.cos == nullptr) {
      rope(*plan, layout, direction_of(problem), kOne, positions_of(problem),
           tensors);
      return ROPEPROOF_OK;
    }
  }
  rotate(layout, direction_of(problem), kOne, row, tensors);
  return ROPEPROOF_OK;
}

}  // namespace
}  // namespace ropeproof::fast

std::int32_t ropeproof_describe(ropeproof_description* description) {
  if (description == nullptr ||
      description->struct_size < sizeof *description) {
    return ROPEPROOF_INVALID;
  }
  description->abi_version = ROPEPROOF_ABI_VERSION;
  description->name = "fast";
  description->version = ROPEPROOF_VERSION;
  description->operations = ROPEPROOF_FREQUENCIES | ROPEPROOF_TABLE |
                            ROPEPROOF_ROTATE | ROPEPROOF_ROPE |
                            ROPEPROOF_PERMUTE | ROPEPROOF_LOOKUP;
  description->dtypes =
      ROPEPROOF_F32 | ROPEPROOF_F16 | ROPEPROOF_BF16 | ROPEPROOF_F64;
  description->pairings = ROPEPROOF_INTERLEAVED | ROPEPROOF_HALF_SPLIT |
                          ROPEPROOF_INTERLEAVED_TO_HALF |
                          ROPEPROOF_NESTED_HALF_SPLIT;
  description->features =
      ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_IN_PLACE | ROPEPROOF_STRIDED |
      ROPEPROOF_PARTIAL | ROPEPROOF_WINDOW_OFFSET | ROPEPROOF_KEYS |
      ROPEPROOF_ADJOINT | ROPEPROOF_AMPLITUDE | ROPEPROOF_NEGATIVE_POSITIONS |
      ROPEPROOF_INV_FREQ | ROPEPROOF_AXIS_WEIGHTS | ROPEPROOF_REAL_POSITIONS |
      ROPEPROOF_PAIR_DISTANCE | ROPEPROOF_PAIR_AMPLITUDE |
      ROPEPROOF_SPECIAL_VALUES | ROPEPROOF_VALIDATES | ROPEPROOF_DETERMINISTIC |
      ROPEPROOF_CONCURRENT;
  description->axis_maps = ROPEPROOF_AXES_ANY;
  description->caches = ROPEPROOF_CACHE_SPLIT | ROPEPROOF_CACHE_SIDE_BY_SIDE;
  description->max_position = 0;
  description->claims[0].angle_class = ROPEPROOF_A0;
  description->claims[0].table_dtype = ROPEPROOF_F32;
  return ROPEPROOF_OK;
}

std::int32_t ropeproof_run(const ropeproof_problem* problem) {
  if (problem == nullptr || problem->struct_size < sizeof *problem) {
    return ROPEPROOF_INVALID;
  }
  return HWY_LIKELY(ropeproof::fast::is_plain_step(*problem))
             ? ropeproof::fast::run_step(*problem)
             : ropeproof::fast::run_checked(*problem);
}
