// cache_rows.h -- the rows of a cache that a look-up names, one after the other.
#ifndef ROPEPROOF_FAST_PLUGIN_CACHE_ROWS_H_
#define ROPEPROOF_FAST_PLUGIN_CACHE_ROWS_H_

#include <ropeproof_kernel.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fast/rope_fast.h"

namespace ropeproof::fast {

// cos and sin of each token, [batch, seq, rotary_dim/2] each.
struct Gathered {
  std::vector<std::byte> cos, sin;
  std::int64_t pairs = 0, seq = 0;
  Type type = Type::kF32;

  Table<const void> table() const {
    return {cos.data(), sin.data(), seq * pairs, pairs, type};
  }
};

// ROPEPROOF_OK; or INVALID for a missing buffer, rows that do not fit into memory
// and a row outside the cache, UNSUPPORTED for another layout. Throws
// std::bad_alloc. The problem's layout and shape have been checked.
std::int32_t gather(const ropeproof_problem& problem, const Shape& shape,
                    Gathered& rows);

}  // namespace ropeproof::fast

#endif  // ROPEPROOF_FAST_PLUGIN_CACHE_ROWS_H_
