// turn.h -- heads turned by given cosines and sines, by the best SIMD target.
#ifndef ROPEPROOF_FAST_TURN_H_
#define ROPEPROOF_FAST_TURN_H_

#include <cstddef>
#include <cstdint>

#include "fast/rope_fast.h"

namespace ropeproof::fast {

inline std::size_t pairs_of(const Layout& layout) {
  return static_cast<std::size_t>(layout.rotary_dim) / 2;
}

// Heads of consecutive tokens of one batch row, and a row of cosines and sines
// for each token; double for kF64, else float. What it refers to must outlive it.
struct Tile {
  const Tensor& tensor;  // its type and strides
  const Layout& layout;
  Direction direction;
  std::size_t first, n;  // the pairs to turn; entry i is pair first + i

  std::int64_t heads, tokens;
  std::int64_t row_stride;  // of cos and sin

  bool is_far;  // to be fetched ahead
};

// Bytes to fetch ahead of the channels at hand, where they come from beyond the
// second-level cache: the processor's own prefetcher stops at each page. Along a
// head less, for soon another head's memory follows.
inline constexpr std::ptrdiff_t kAhead = 4096, kAheadAlong = 2048;

// Turns pairs [first, first + n) of every head of `tile`; `in` and `out` are at
// channel rotary_offset of the first head. kInterleavedToHalf: all pairs, at most
// kMaxReordered / 2.
void turn(const void* in, void* out, const void* cos, const void* sin,
          const Tile& tile) noexcept;

// Turns all pairs of all heads of the first token of the first batch row. What
// leads to the loop shows in the time of a decode step, a sixth of a cycle per
// instruction; hence this way, of jumps, with all arguments in registers.
void turn_step(const Layout& layout, const Tensor& tensor, Direction direction,
               const void* cos, const void* sin) noexcept;

}  // namespace ropeproof::fast

#endif  // ROPEPROOF_FAST_TURN_H_
