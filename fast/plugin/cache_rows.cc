#include "fast/plugin/cache_rows.h"

#include <cstring>

#include "fast/elements.h"
#include "fast/plugin/footprint.h"
#include "fast/plugin/problem.h"

namespace ropeproof::fast {

std::int32_t gather(const ropeproof_problem& problem, const Shape& shape,
                    Gathered& rows) {
  Type type;
  if (const auto status = check_type(problem.table_dtype, type)) return status;
  const bool is_split = problem.cache == ROPEPROOF_CACHE_SPLIT;
  if (!is_split && problem.cache != ROPEPROOF_CACHE_SIDE_BY_SIDE) {
    return ROPEPROOF_UNSUPPORTED;
  }
  rows = {{}, {}, problem.rotary_dim / 2, shape.seq, type};
  if (shape.batch == 0 || shape.seq == 0) return ROPEPROOF_OK;
  const std::size_t bytes = bytes_of(type);
  const std::int64_t length = is_split ? rows.pairs : problem.rotary_dim;
  const auto fits = [&](const void* data) {
    return is_array(data, bytes) &&
           extent_of({data,
                      static_cast<std::int64_t>(bytes),
                      length,
                      {{1, 0},
                       {problem.cache_rows, problem.table_token_stride},
                       {1, 0}}});
  };
  if (problem.cache_rows < 1 || !is_array(problem.ids, sizeof(std::int64_t)) ||
      !fits(problem.cos) || (is_split && !fits(problem.sin))) {
    return ROPEPROOF_INVALID;
  }
  const std::size_t row_bytes = static_cast<std::size_t>(rows.pairs) * bytes;
  const auto tokens = static_cast<std::size_t>(shape.batch * shape.seq);
  rows.cos.resize(tokens * row_bytes);
  rows.sin.resize(tokens * row_bytes);
  std::size_t to = 0;
  for (std::int64_t b = 0; b < shape.batch; ++b) {
    for (std::int64_t s = 0; s < shape.seq; ++s, to += row_bytes) {
      const std::int64_t id =
          problem.ids[b * problem.position_batch_stride + s];
      if (id < 0 || id >= problem.cache_rows) return ROPEPROOF_INVALID;
      const std::size_t from =
          static_cast<std::size_t>(id * problem.table_token_stride) * bytes;
      const auto* cos = static_cast<const std::byte*>(problem.cos) + from;
      const auto* sin = is_split
                            ? static_cast<const std::byte*>(problem.sin) + from
                            : cos + row_bytes;
      std::memcpy(&rows.cos[to], cos, row_bytes);
      std::memcpy(&rows.sin[to], sin, row_bytes);
    }
  }
  return ROPEPROOF_OK;
}

}  // namespace ropeproof::fast
