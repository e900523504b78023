// turn.h -- heads turned by given cosines and sines, by the best SIMD target.
#ifndef ROPEPROOF_FAST_TURN_H_
#define ROPEPROOF_FAST_TURN_H_

#include <cstddef>
#include <cstdint>

#include "fast/rope_fast.h"

namespace ropeproof::fast {

// Heads of consecutive tokens of one batch row, and a row of cosines and sines
// for each token.
struct Tile {
  Type type;  // of in and out; cos and sin are double for kF64, else float
  const Layout* layout;
  Direction direction;
  std::size_t first, n;  // the pairs to turn; entry i is pair first + i

  const void* in;  // channel rotary_offset of the first head
  void* out;
  std::int64_t heads, tokens;
  std::int64_t in_head_stride, in_token_stride;
  std::int64_t out_head_stride, out_token_stride;

  const void *cos, *sin;
  std::int64_t row_stride;

  bool is_far;  // beyond the second-level cache: fetch ahead
};

// Turns pairs [first, first + n) of every head of `tile`. kInterleavedToHalf:
// all pairs, at most kMaxReordered / 2.
void turn(const Tile& tile) noexcept;

}  // namespace ropeproof::fast

#endif  // ROPEPROOF_FAST_TURN_H_
