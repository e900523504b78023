// rotate_heads.h -- heads rotated by given cosines and sines, by the best SIMD
// target. README.md says which path takes what.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fast/rope_fast.h"

namespace ropeproof::fast {

// More than one core's part of any last-level cache, of which systems report
// the sum over all cores.
inline constexpr std::int64_t kCacheBytes = 32 << 20;

// Whether streams of f32 and f64 beyond the caches are to be prefetched: by
// Intel's processors, of which two were measured, and AMD's from Zen 5 on, but
// not by its Zen 2, 3 and 4.
bool gains_by_prefetching() noexcept;

inline std::size_t pairs_of(const Layout& layout) {
  return static_cast<std::size_t>(layout.rotary_dim) / 2;
}

// Heads of consecutive tokens of one batch row, and a row of cosines and sines
// for each token; double for kF64, else float. It owns none of its memory.
struct Tile {
  const Tensor& tensor;  // its type and strides
  const Layout& layout;
  Direction direction;
  std::size_t first, n;  // the pairs to rotate; entry i is pair first + i

  std::int64_t heads, tokens;
  std::int64_t row_stride;  // of cos and sin

  std::int64_t call_bytes;  // that the whole call reads and writes
};

// Rotates pairs [first, first + n) of every head of `tile`; `in` and `out` are
// at channel rotary_offset of the first head. kInterleavedToHalf: all pairs, at
// most kMaxReordered / 2.
void rotate_tile(const void* in, void* out, const void* cos, const void* sin,
                 const Tile& tile) noexcept;

// Rotates all pairs of all heads of the first token of the first batch row.
// Call overhead is visible here, a sixth of a cycle per instruction: hence tail
// calls with all arguments in registers.
void rotate_token(const Layout& layout, const Tensor& tensor,
                  Direction direction, const void* cos,
                  const void* sin) noexcept;

}  // namespace ropeproof::fast
