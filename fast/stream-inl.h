// stream-inl.h -- the loop over heads of many tokens, along each head, and which of
// the two loops it is, per SIMD target.
#if defined(ROPEPROOF_FAST_STREAM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROPEPROOF_FAST_STREAM_INL_H_
#undef ROPEPROOF_FAST_STREAM_INL_H_
#else
#define ROPEPROOF_FAST_STREAM_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

#include "fast/heads-inl.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace ropeproof::fast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Several tokens: along each head, once. Chunk after chunk would walk in strides and,
// where registers are few, touch each line twice. The first pairs' cosines and sines
// stay in registers, the others' come from the first-level cache, as the rotator takes
// them.

// Entries of T: 16 KiB of f32, the cosines and sines of 32 tokens of 64 pairs.
constexpr std::size_t kSpreadEntries = 4096;

// Calls of more bytes than a second-level cache has are streams, and prefetched, so far
// ahead that it is more than what a core reorders by itself: 512 operations at most, 8
// or more a line. 16-bit types compute for longer than a line takes from the last-level
// cache: there, beyond what a core may have of that.
template <class E>
constexpr std::int64_t kStreamBytes = (sizeof(E) < 4 ? 32 : 1) << 20;
constexpr std::size_t kPrefetchBytes = 4096;

// Groups that stay in registers: of up to 64 pairs.
template <class Rotator, class T>
constexpr std::size_t kKeptGroups =
    std::min(kMostGroups<Rotator>,
             std::max(std::size_t{1}, 64 * Rotator::kSpreadPerPair /
                                          (Rotator::kTakesTwo ? 4 : 2) /
                                          hn::MaxLanes(hn::ScalableTag<T>())));

// Stores what Load forms of n pairs.
template <class First, class Last, class T>
HWY_INLINE void Spread(First first, Last last, std::size_t n, const T* cos,
                       const T* sin, T* to) {
  ForEachGroup<T>(
      first, last, n,
      [&](auto rotator, auto d, std::size_t i) ROPEPROOF_FAST_LAMBDA {
        T* const at = to + i * First::kSpreadPerPair;
        const std::size_t lanes = hn::Lanes(d);
        hn::Vec<decltype(d)> c, s;
        if constexpr (std::decay_t<decltype(rotator)>::kTakesTwo) {
          hn::Vec<decltype(d)> c_odd, s_odd;
          rotator.Load(d, cos + i, sin + i, c, s, c_odd, s_odd);
          hn::StoreU(c_odd, d, at + 2 * lanes);
          hn::StoreU(s_odd, d, at + 3 * lanes);
        } else {
          rotator.Load(d, cos + i, sin + i, c, s);
        }
        hn::StoreU(c, d, at);
        hn::StoreU(s, d, at + lanes);
      });
}

// Rotates n pairs of a head by what Spread has stored.
template <class First, class Last, class E, class T>
HWY_INLINE void RotateSpread(First first, Last last, std::size_t n, const E* in,
                             const E* again, E* out, const T* spread) {
  const auto rotate = [&](auto rotator, auto d,
                          std::size_t i) ROPEPROOF_FAST_LAMBDA {
    const T* const from = spread + i * First::kSpreadPerPair;
    const std::size_t at = i * First::kChannelsPerPair;
    const std::size_t lanes = hn::Lanes(d);
    const auto c = LoadOnce(d, from), s = LoadOnce(d, from + lanes);
    if constexpr (std::decay_t<decltype(rotator)>::kTakesTwo) {
      rotator.Rotate(d, in + at, again + at, out + at, c, s,
                     LoadOnce(d, from + 2 * lanes),
                     LoadOnce(d, from + 3 * lanes));
    } else {
      rotator.Rotate(d, in + at, again + at, out + at, c, s);
    }
  };
  const std::size_t pairs = First::Pairs(hn::ScalableTag<T>());
  std::size_t i = 0;
  for (; i + 4 * pairs <= n; i += 4 * pairs) {  // loops cost operations
    const hn::ScalableTag<T> d;
    rotate(first, d, i);
    rotate(first, d, i + pairs);
    rotate(first, d, i + 2 * pairs);
    rotate(first, d, i + 3 * pairs);
  }
  ForEachGroup<T>(first, last, n, rotate, i);
}

// Four lines at a time: loops cost operations.
HWY_INLINE void PrefetchAll(const void* data, std::size_t bytes) {
  const auto* const from = static_cast<const char*>(data);
  std::size_t i = 0;
  for (; i + 256 <= bytes; i += 256) {
    hwy::Prefetch(from + i);
    hwy::Prefetch(from + i + 64);
    hwy::Prefetch(from + i + 128);
    hwy::Prefetch(from + i + 192);
  }
  for (; i < bytes; i += 64) hwy::Prefetch(from + i);
}

// Rotates n pairs of the heads of `walk`: kGroups groups by `cos` and `sin` in
// registers, the others by `spread`, `by` entries of it from head to head. Prefetches
// `bytes` of each head before its turn, in the end those of the heads at `next`.
template <std::size_t kGroups, class Kept, class First, class Last, class E,
          class T>
HWY_INLINE void RotateAlong(Kept kept, First first, Last last, std::size_t n,
                            const Walk& walk, const E* in, E* out, const T* cos,
                            const T* sin, const T* spread, std::int64_t by,
                            std::size_t bytes, const E* next) {
  const hn::ScalableTag<T> d;
  const std::size_t others = n - kGroups * Kept::Pairs(d);
  const std::size_t at = kGroups * Kept::Channels(d);
  const std::int64_t reach =
      1 + static_cast<std::int64_t>(kPrefetchBytes / sizeof(E)) /
              (1 + std::abs(walk.in_step));
  const E* ahead = walk.count > reach ? in + reach * walk.in_step : next;
  RotateChunk<kGroups>(
      kept, d, walk, in, out, cos, sin,
      [&](const E* x, const E* again, E* y,
          std::int64_t left) ROPEPROOF_FAST_LAMBDA {
        if (bytes != 0) {
          if constexpr (kGroups > 0) {
            PrefetchAll(reinterpret_cast<const char*>(x) + kPrefetchBytes,
                        bytes);
          } else {
            PrefetchAll(ahead, bytes);
            ahead = left == reach + 1 ? next : ahead + walk.in_step;
          }
        }
        if (others != 0) {
          RotateSpread(first, last, others, x + at, again + at, y + at, spread);
          spread += by;
        }
      });
}

// Where a head's tokens lie closer together than a token's heads.
HWY_INLINE bool IsHeadMajor(const Tile& tile) {
  const Strides& strides = tile.tensor.in_strides;
  return tile.tokens > 1 && std::abs(strides.head) > std::abs(strides.token);
}

// Rotates n pairs of all heads of `tile`, prefetching `bytes` of each. All heads of a
// token, then those of the next one, or some tokens of a head, then of the next one.
template <class Kept, class First, class Last, class E, class T>
HWY_INLINE void RotateTokens(Kept kept, First first, Last last, std::size_t n,
                             std::size_t bytes, const E* in, E* out,
                             const T* cos, const T* sin, const Tile& tile) {
  HWY_ALIGN T spread[kSpreadEntries];
  const Strides &from = tile.tensor.in_strides, &to = tile.tensor.out_strides;
  constexpr std::size_t kGroups = kKeptGroups<Kept, T>;
  const std::size_t pairs = kGroups * Kept::Pairs(hn::ScalableTag<T>());
  const Walk heads = HeadsOf(tile.tensor, tile.heads);
  const bool is_head_major = IsHeadMajor(tile);
  if (!is_head_major && n >= pairs) {
    for (std::int64_t t = 0; t < tile.tokens; ++t) {
      Spread(first, last, n - pairs, cos + pairs, sin + pairs, spread);
      RotateAlong<kGroups>(kept, first, last, n, heads, in, out, cos, sin,
                           spread, 0, bytes, in + from.token);
      in += from.token;
      out += to.token;
      cos += tile.row_stride;
      sin += tile.row_stride;
    }
    return;
  }
  const auto row = static_cast<std::int64_t>(n * First::kSpreadPerPair);
  const std::int64_t most =
      is_head_major ? static_cast<std::int64_t>(kSpreadEntries) / row : 1;
  for (std::int64_t left = tile.tokens; left > 0; left -= most) {
    const std::int64_t tokens = std::min(most, left);
    for (std::int64_t t = 0; t < tokens; ++t) {
      Spread(first, last, n, cos, sin, spread + t * row);
      cos += tile.row_stride;
      sin += tile.row_stride;
    }
    const Walk walk =
        is_head_major ? Walk{tokens, from.token, to.token} : heads;
    for (std::int64_t h = 0; h < (is_head_major ? tile.heads : 1); ++h) {
      RotateAlong<0>(kept, first, last, n, walk, in + h * from.head,
                     out + h * to.head, cos, sin, spread,
                     is_head_major ? row : 0, bytes,
                     in + (is_head_major ? (h + 1) * from.head : from.token));
    }
    in += most * from.token;
    out += most * to.token;
  }
}

// Rotates the tile.n pairs from tile.first on, `distance` channels apart; `in` and
// `out` are at the first of them. Out of line: the registers of one must not cost the
// other.
template <class Kept, class First, class Last, class E, class T>
HWY_NOINLINE void RotateAllPairs(Kept kept, First first, Last last,
                                 std::size_t distance, const E* in, E* out,
                                 const T* cos, const T* sin, const Tile& tile) {
  const bool is_large = tile.call_bytes > kStreamBytes<E>;
  if (!is_large && !IsHeadMajor(tile)) {
    const Walk heads = HeadsOf(tile.tensor, tile.heads);
    for (std::int64_t t = 0; t < tile.tokens; ++t) {
      RotatePairs(kept, last, heads, in, out, cos, sin, tile.n);
      in += tile.tensor.in_strides.token;
      out += tile.tensor.out_strides.token;
      cos += tile.row_stride;
      sin += tile.row_stride;
    }
    return;
  }
  constexpr std::size_t kMost = kSpreadEntries / First::kSpreadPerPair;
  for (std::size_t i = 0; i < tile.n; i += kMost) {
    const std::size_t n = std::min(kMost, tile.n - i);
    const std::size_t at = i * First::kChannelsPerPair;
    RotateTokens(kept, first, last, n,
                 is_large ? (distance + n) * sizeof(E) : 0, in + at, out + at,
                 cos + i, sin + i, tile);
  }
}

template <class E, class T>
HWY_INLINE void RotateInterleaved(const E* in, E* out, const T* cos,
                                  const T* sin, const Tile& tile) {
  const T sign = SignOf<T>(tile.direction);
  const InterleavedRotator<E> kept{{}, sign};
  const LoadingRotator<E> first{{}, sign};
  RotateAllPairs(kept, first, first, tile.n, in, out, cos, sin, tile);
}

template <class E, class T>
HWY_INLINE void RotateHalfSplit(const E* in, E* out, const T* cos, const T* sin,
                                const Tile& tile, std::size_t distance) {
  const T sign = SignOf<T>(tile.direction);
  const auto first = FirstSplitRotator<E>(distance, sign);
  RotateAllPairs(first, first, SplitRotator<E>{{}, distance, sign}, distance,
                 in, out, cos, sin, tile);
}

}  // namespace HWY_NAMESPACE
}  // namespace ropeproof::fast
HWY_AFTER_NAMESPACE();

#endif  // ROPEPROOF_FAST_STREAM_INL_H_
