// partition.h -- how a call's work is divided among threads.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "fast/angles.h"
#include "fast/rope_fast.h"
#include "hwy/base.h"

namespace ropeproof::fast {

// Entries of the cosines that a tile holds on the stack: 32 KiB of f32. Rows of
// a table, too, are read by a tile at a time: they stay in the second-level
// cache for the next tensor, or the next heads of a head-major one. By 4096
// tokens Granite Rapids is 0.84 times as fast at head-major tensors, at others
// of 512 tokens 0.98.
inline constexpr std::size_t kRowEntries = 8192;
inline constexpr std::int64_t kTileTokens = 128;

// Calls of fewer bytes stay on one thread. Measured, two threads against one,
// 40 heads of 128: 20 KiB 0.13 to 0.3 times as fast, even at 80 to 120 KiB, 1.3
// times at 240 KiB, 1.7 at 640 KiB, while the other thread still spins; twice
// the even point leaves a few microseconds to wake it.
inline constexpr std::int64_t kParallelBytes = 256 << 10;

// Tokens of a tile, without a division where it would show.
inline std::int64_t tile_tokens(std::size_t pairs) {
  if (pairs * kTileTokens <= kRowEntries) return kTileTokens;
  return pairs >= kRowEntries ? 1
                              : static_cast<std::int64_t>(kRowEntries / pairs);
}

// A part of the work: tokens, and the heads of every tensor from slice/slices
// to (slice + 1)/slices of them.
struct Part {
  Tokens tokens;
  std::int64_t slice, slices;
};

// Calls body(part) for parts of `most` tokens or fewer that make up everything;
// by many threads if `bytes` are worth it. No part sees another one's data,
// hence the result cannot depend on who computes what.
template <class Body>
HWY_INLINE void for_each_part(const Shape& shape, std::int64_t most,
                              std::int64_t bytes, bool may_slice,
                              const Body& body) noexcept {
  if (shape.batch == 1 && shape.seq <= most && bytes < kParallelBytes) {
    body(Part{{0, 0, shape.seq}, 0, 1});
    return;
  }
  // Not an if clause: a team of one costs 0.3 us, as much as a whole token.
  const std::int64_t threads =
      bytes < kParallelBytes ? 1 : omp_get_max_threads();
  const auto over = [](std::int64_t n, std::int64_t by) {
    return (n + by - 1) / by;
  };
  // Tokens rather than heads: each thread then has memory of its own, and forms
  // its own angles alone.
  const std::int64_t size =
      std::clamp(over(shape.batch * shape.seq, threads), std::int64_t{1}, most);
  const std::int64_t in_row = over(shape.seq, size);
  const std::int64_t tiles = shape.batch * in_row;
  const std::int64_t slices =
      may_slice && tiles > 0 ? over(threads, tiles) : std::int64_t{1};
  const auto solve = [&](std::int64_t i) {
    const std::int64_t tile = i / slices, first = tile % in_row * size;
    body(Part{{tile / in_row, first, std::min(size, shape.seq - first)},
              i % slices,
              slices});
  };
  if (threads == 1) {
    for (std::int64_t i = 0; i < tiles; ++i) solve(i);
    return;
  }
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < tiles * slices; ++i) solve(i);
}

}  // namespace ropeproof::fast
