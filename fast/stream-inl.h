// stream-inl.h -- the loop over heads of many tokens, along each head, and
// which of the two loops it is, per SIMD target.
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

// Many tokens: along each head, once, in the order of memory. Chunk after chunk
// would walk in strides. The first pairs' cosines and sines stay in registers,
// the others' come from the first-level cache, as the rotator takes them.

// Entries of T: the cosines and sines of 256 pairs or more.
constexpr std::size_t kSpreadEntries = 1024;

// Calls of more bytes are streams: what a second-level cache has.
constexpr std::int64_t kStreamBytes = 1 << 20;

// Groups whose cosines and sines stay in registers, of up to 64 pairs.
template <class Rotator, class T>
constexpr std::size_t kKeptGroups =
    std::min(Rotator::kMostGroups,
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
    using Rotator = std::decay_t<decltype(rotator)>;
    const auto load = [&](const T* numbers) ROPEPROOF_FAST_LAMBDA {
      if constexpr (Rotator::kTakesEachOnce) return hn::LoadU(d, numbers);
      return LoadOnce(d, numbers);
    };
    const auto c = load(from), s = load(from + lanes);
    if constexpr (Rotator::kTakesTwo) {
      rotator.Rotate(d, in + at, again + at, out + at, c, s,
                     load(from + 2 * lanes), load(from + 3 * lanes));
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

// What to prefetch after a head: `bytes`, from `channels` after its first one.
struct Ahead {
  std::int64_t channels;
  std::size_t bytes;
};

// Streams beyond the caches are prefetched. 16-bit types everywhere, farther
// ahead than what a core reorders by itself: 512 operations at most, 32 or more
// a line of theirs. f32 where gains_by_prefetching() says so. Halves of an f32
// head that lie far apart are two streams, which cores follow badly, from any
// cache: prefetched all the same, heads of 256 are 1.1 to 1.7 times as fast on
// Zen 5; on Zen 4 the nearer half of the next one alone makes it 1.4 to 2.
constexpr std::size_t kAheadBytes = 4096, kFarApartBytes = 512;

template <class E, class Rotator>
HWY_INLINE Ahead AheadOf(const Rotator& rotator, const Tile& tile,
                         std::int64_t next) {
  std::size_t distance = tile.n;
  constexpr bool kIsWide = sizeof(E) >= 4;
  bool is_ahead = tile.call_bytes > kCacheBytes;
  if constexpr (Rotator::kChannelsPerPair == 1) {
    distance = rotator.distance;
    if (kIsWide && distance * sizeof(E) >= kFarApartBytes) {
      if (!gains_by_prefetching()) return {next, tile.n * sizeof(E)};
      is_ahead = true;
    }
  }
  if (is_ahead && (!kIsWide || gains_by_prefetching())) {
    constexpr std::int64_t kChannels = kAheadBytes / sizeof(E);
    return {next * (1 + kChannels / (1 + std::abs(next))),
            (distance + tile.n) * sizeof(E)};
  }
  return {0, 0};
}

// Four lines at a time: loops cost operations.
template <class E>
HWY_INLINE void PrefetchAhead(const E* head, const Ahead& ahead) {
  const auto* const from = reinterpret_cast<const char*>(head + ahead.channels);
  std::size_t i = 0;
  for (; i + 256 <= ahead.bytes; i += 256) {
    hwy::Prefetch(from + i);
    hwy::Prefetch(from + i + 64);
    hwy::Prefetch(from + i + 128);
    hwy::Prefetch(from + i + 192);
  }
  for (; i < ahead.bytes; i += 64) hwy::Prefetch(from + i);
}

// Rotates n pairs of the heads of `walk`: first groups by `cos` and `sin` in
// registers, others by `spread`. Calls more(in, again, out) for each head.
template <std::size_t kGroups, class First, class Last, class E, class T,
          class More>
HWY_INLINE void RotateAlong(First first, Last last, std::size_t n,
                            const Walk& walk, const E* in, E* out, const T* cos,
                            const T* sin, T* spread, const More& more) {
  const hn::ScalableTag<T> d;
  const std::size_t pairs = kGroups * First::Pairs(d);
  const std::size_t at = kGroups * First::Channels(d);
  const std::size_t others = n - pairs;
  if (others == 0) {
    return RotateChunk<kGroups>(first, d, walk, in, out, cos, sin, more);
  }
  Spread(first, last, others, cos + pairs, sin + pairs, spread);
  RotateChunk<kGroups>(
      first, d, walk, in, out, cos, sin,
      [&](const E* x, const E* again, E* y) ROPEPROOF_FAST_LAMBDA {
        more(x, again, y);
        RotateSpread(first, last, others, x + at, again + at, y + at, spread);
      });
}

// Heads that are rotated at once where a head's tokens lie closer together than
// a token's heads. Each is a stream of its own, of which a core follows some,
// and a row of cosines and sines serves them all. 4096 tokens of f32 on Zen 4,
// of touch: 1, 2, 4, 8 and 16 heads have 0.53, 0.80, 0.93, 0.84 and 0.49.
constexpr std::int64_t kHeadStreams = 4;

HWY_INLINE bool IsHeadMajor(const Tile& tile) {
  const Strides& strides = tile.tensor.in_strides;
  return tile.tokens > 1 && std::abs(strides.head) > std::abs(strides.token);
}

// Rotates all pairs of the heads of `walk`, chunk after chunk of pairs, or
// along each head. Out of line: the registers of one must not cost the other.
template <class First, class Last, class E, class T>
HWY_NOINLINE void RotateInCache(First first, Last last, Walk walk, const E* in,
                                E* out, const T* cos, const T* sin,
                                const Tile& tile) {
  for (std::int64_t t = 0; t < tile.tokens; ++t) {
    RotatePairs(first, last, walk, in, out, cos, sin, tile.n);
    in += tile.tensor.in_strides.token;
    out += tile.tensor.out_strides.token;
    cos += tile.row_stride;
    sin += tile.row_stride;
  }
}

template <std::size_t kGroups, class First, class Last, class E, class T>
HWY_NOINLINE void RotateStream(First first, Last last, Walk walk, const E* in,
                               E* out, const T* cos, const T* sin,
                               const Tile& tile) {
  HWY_ALIGN T spread[kSpreadEntries];
  const Strides& from = tile.tensor.in_strides;
  const Ahead ahead =
      AheadOf<E>(first, tile, IsHeadMajor(tile) ? from.token : from.head);
  const auto rotate = [&](const auto& more) ROPEPROOF_FAST_LAMBDA {
    for (std::int64_t t = 0; t < tile.tokens; ++t) {
      RotateAlong<kGroups>(first, last, tile.n, walk, in, out, cos, sin, spread,
                           more);
      in += from.token;
      out += tile.tensor.out_strides.token;
      cos += tile.row_stride;
      sin += tile.row_stride;
    }
  };
  if (ahead.bytes == 0) return rotate(NoMore());  // a look at it costs 5 %
  rotate([&](const E* x, const E*, E*)
             ROPEPROOF_FAST_LAMBDA { PrefetchAhead(x, ahead); });
}

// Rotates the tile.n pairs from tile.first on; `in` and `out` are at the first
// of them.
template <class Kept, class First, class Last, class E, class T>
HWY_INLINE void RotateAllPairs(Kept kept, First first, Last last, const E* in,
                               E* out, const T* cos, const T* sin,
                               const Tile& tile) {
  constexpr std::size_t kGroups = kKeptGroups<First, T>;
  const bool is_stream = kIsUnrolled<E> && tile.call_bytes > kStreamBytes &&
                         tile.n <= kSpreadEntries / First::kSpreadPerPair;
  const std::size_t pairs = First::Pairs(hn::ScalableTag<T>());
  const std::int64_t most = IsHeadMajor(tile) ? kHeadStreams : tile.heads;
  const Strides &from = tile.tensor.in_strides, &to = tile.tensor.out_strides;
  for (std::int64_t h = 0; h < tile.heads; h += most) {
    const Walk walk{std::min(most, tile.heads - h), from.head, to.head};
    const E* x = in + h * from.head;
    E* y = out + h * to.head;
    if (is_stream && tile.n >= kGroups * pairs) {
      RotateStream<kGroups>(first, last, walk, x, y, cos, sin, tile);
    } else if (is_stream && tile.n >= kGroups / 2 * pairs) {
      RotateStream<kGroups / 2>(first, last, walk, x, y, cos, sin, tile);
    } else {
      RotateInCache(kept, last, walk, x, y, cos, sin, tile);
    }
  }
}

template <class E, class T>
HWY_INLINE void RotateInterleaved(const E* in, E* out, const T* cos,
                                  const T* sin, const Tile& tile) {
  const T sign = SignOf<T>(tile.direction);
  const InterleavedRotator<E> kept{{}, sign};
  const StreamRotator<E> first{{}, sign};
  RotateAllPairs(kept, first, first, in, out, cos, sin, tile);
}

template <class E, class T>
HWY_INLINE void RotateHalfSplit(const E* in, E* out, const T* cos, const T* sin,
                                const Tile& tile, std::size_t distance) {
  const T sign = SignOf<T>(tile.direction);
  const auto first = FirstSplitRotator<E>(distance, sign);
  RotateAllPairs(first, first, SplitRotator<E>{{}, distance, sign}, in, out,
                 cos, sin, tile);
}

}  // namespace HWY_NAMESPACE
}  // namespace ropeproof::fast
HWY_AFTER_NAMESPACE();

#endif  // ROPEPROOF_FAST_STREAM_INL_H_
