// heads-inl.h -- the two loops over heads, per SIMD target: one token's, with cosines
// and sines in registers, and along each head of several tokens.
#if defined(ROPEPROOF_FAST_HEADS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROPEPROOF_FAST_HEADS_INL_H_
#undef ROPEPROOF_FAST_HEADS_INL_H_
#else
#define ROPEPROOF_FAST_HEADS_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

#include "fast/rotate-inl.h"
#include "fast/rotate_heads.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace ropeproof::fast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The same pointer, without the compiler knowing: data read through both are loaded
// twice. x86 duplicates even or odd lanes as part of a load; in a register each
// costs an operation.
template <class E>
HWY_INLINE const E* HiddenCopy(const E* pointer) {
  asm("" : "+r"(pointer));
  return pointer;
}

// Loads a vector once for all its uses: g++ would load it again for each.
template <class D, class T>
HWY_INLINE hn::Vec<D> LoadOnce(D d, const T* from) {
  auto v = hn::LoadU(d, from);
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
  asm("" : "+v"(v.raw));
#endif
  return v;
}

// Calls body(rotator, d, i) for groups that cover pairs [i, n), i being the first:
// full vectors by `first`, what that leaves by `last`, ever narrower.
template <class T, class First, class Last, class Body>
HWY_INLINE void ForEachGroup(First first, Last last, std::size_t n,
                             const Body& body, std::size_t i = 0) {
  const auto run = [&](auto rotator, auto d) ROPEPROOF_FAST_LAMBDA {
    if constexpr (hn::MaxLanes(d) >= Last::kMinLanes) {
      const std::size_t pairs = rotator.Pairs(d);
      for (; i + pairs <= n; i += pairs) body(rotator, d, i);
    }
  };
  const hn::ScalableTag<T> d;
  run(first, d);
  if (HWY_LIKELY(i == n)) return;
  if constexpr (!std::is_same_v<First, Last>) run(last, d);
  if constexpr (hn::MaxLanes(d) > 8) run(last, hn::CappedTag<T, 8>());
  if constexpr (hn::MaxLanes(d) > 4) run(last, hn::CappedTag<T, 4>());
  if constexpr (hn::MaxLanes(d) > 2) run(last, hn::CappedTag<T, 2>());
  if constexpr (hn::MaxLanes(d) > 1) run(last, hn::CappedTag<T, 1>());
}

// One token: the cosines and sines of a chunk of groups stay in registers while all
// heads pass.

// Rotates the groups of one head. Each takes its cosines and sines off the front
// of a parameter pack: not an array, so that they stay in registers and may be of
// a sizeless type.
template <class Rotator, class D, class E>
HWY_INLINE void RotateGroups(const Rotator&, D, const E*, const E*, E*) {}

template <class Rotator, class D, class E, class V, class... More>
HWY_INLINE void RotateTwo(const Rotator& rotator, D d, const E* in,
                          const E* again, E* out, V c_even, V s_even, V c_odd,
                          V s_odd, More... more) {
  rotator.Rotate(d, in, again, out, c_even, s_even, c_odd, s_odd);
  const std::size_t next = Rotator::Channels(d);
  RotateGroups(rotator, d, in + next, again + next, out + next, more...);
}

template <class Rotator, class D, class E, class V, class... More>
HWY_INLINE void RotateGroups(const Rotator& rotator, D d, const E* in,
                             const E* again, E* out, V c, V s, More... more) {
  if constexpr (Rotator::kTakesTwo) {
    RotateTwo(rotator, d, in, again, out, c, s, more...);
  } else {
    rotator.Rotate(d, in, again, out, c, s);
    const std::size_t next = Rotator::Channels(d);
    RotateGroups(rotator, d, in + next, again + next, out + next, more...);
  }
}

// Loads the cosines and sines of kGroups groups, then rotates all heads by them.
template <std::size_t kGroups, class Rotator, class D, class E, class T,
          class... V>
HWY_INLINE void RotateChunk(Rotator rotator, D d, const Tensor& tensor,
                            std::int64_t heads, const E* in, E* out,
                            const T* cos, const T* sin, V... loaded) {
  if constexpr (kGroups > 0) {
    const T* next_cos = cos + Rotator::Pairs(d);
    const T* next_sin = sin + Rotator::Pairs(d);
    hn::Vec<D> c, s;
    if constexpr (Rotator::kTakesTwo) {
      hn::Vec<D> c_odd, s_odd;
      rotator.Load(d, cos, sin, c, s, c_odd, s_odd);
      RotateChunk<kGroups - 1>(rotator, d, tensor, heads, in, out, next_cos,
                               next_sin, loaded..., c, s, c_odd, s_odd);
    } else {
      rotator.Load(d, cos, sin, c, s);
      RotateChunk<kGroups - 1>(rotator, d, tensor, heads, in, out, next_cos,
                               next_sin, loaded..., c, s);
    }
  } else {
    const std::int64_t in_stride = tensor.in_strides.head;
    const std::int64_t out_stride = tensor.out_strides.head;
    const E* again = HiddenCopy(in);
    for (std::int64_t h = heads; h > 0; --h) {
      RotateGroups(rotator, d, in, again, out, loaded...);
      in += in_stride;
      again += in_stride;
      out += out_stride;
    }
  }
}

// The groups of the largest chunk: cosines and sines may take half of the
// registers.
template <class Rotator>
constexpr std::size_t kMostGroups = (HWY_TARGET > HWY_AVX3 ? 16 : 32) /
                                    (Rotator::kTakesTwo ? 8 : 4);

template <std::size_t kGroups>
using Groups = std::integral_constant<std::size_t, kGroups>;

// Rotates n pairs of every head of a token: chunks of many groups first, then
// single ones.
template <class First, class Last, class E, class T>
HWY_INLINE void RotatePairs(First first, Last last, const Tensor& tensor,
                            std::int64_t heads, const E* in, E* out,
                            const T* cos, const T* sin, std::size_t n) {
  std::size_t done = 0;
  const hn::ScalableTag<T> d;
  const auto run = [&](auto groups) ROPEPROOF_FAST_LAMBDA {
    constexpr std::size_t kGroups = decltype(groups)::value;
    if constexpr (kGroups > 1) {
      const std::size_t pairs = kGroups * First::Pairs(d);
      for (; done + pairs <= n; done += pairs) {
        RotateChunk<kGroups>(first, d, tensor, heads, in, out, cos + done,
                             sin + done);
        in += kGroups * First::Channels(d);
        out += kGroups * First::Channels(d);
      }
    }
  };
  run(Groups<kMostGroups<First>>());
  run(Groups<kMostGroups<First> / 2>());
  run(Groups<kMostGroups<First> / 4>());
  cos += done;
  sin += done;
  ForEachGroup<T>(first, last, n - done,
                  [&](auto rotator, auto narrow, std::size_t i)
                      ROPEPROOF_FAST_LAMBDA {
                        const std::size_t at = i * First::kChannelsPerPair;
                        RotateChunk<1>(rotator, narrow, tensor, heads, in + at,
                                       out + at, cos + i, sin + i);
                      });
}

// Rotates kGroups groups of every head of a token, from channel `offset` on. Out of
// line, with its arguments in registers, it needs no stack, nor does a caller that
// ends with it.
template <std::size_t kGroups, class E, class Rotator, class D, class T>
HWY_NOINLINE void RotateHeads(Rotator rotator, D d, const Tensor& tensor,
                              std::int64_t offset, const T* cos, const T* sin) {
  RotateChunk<kGroups>(rotator, d, tensor, tensor.heads,
                       static_cast<const E*>(tensor.in) + offset,
                       static_cast<E*>(tensor.out) + offset, cos, sin);
}

// Rotates n pairs of every head of a token if they make up one chunk; else returns
// false. First kMost / 2 groups: with 512 bits, f32 heads of 128 channels.
template <class E, class Rotator, class T>
HWY_INLINE bool RotateIfOneChunk(const Rotator& rotator, const Tensor& tensor,
                                 std::int64_t offset, const T* cos,
                                 const T* sin, std::size_t n) {
  const hn::ScalableTag<T> d;
  const auto run = [&](auto groups) ROPEPROOF_FAST_LAMBDA {
    constexpr std::size_t kGroups = decltype(groups)::value;
    if constexpr (kGroups > 0) {
      if (n != kGroups * Rotator::Pairs(d)) return false;
      RotateHeads<kGroups, E>(rotator, d, tensor, offset, cos, sin);
      return true;
    }
    return false;
  };
  constexpr std::size_t kMost = kMostGroups<Rotator>;
  return run(Groups<kMost / 2>()) || run(Groups<kMost>()) ||
         run(Groups<(kMost > 4 ? kMost / 4 : 0)>());
}

// The rotator to begin with: the one that takes two vectors where there is one.
template <class E>
HWY_INLINE auto FirstSplitRotator(std::size_t distance, Compute<E> sign) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (std::is_same_v<E, Bf16>) {
    return SplitWordsRotator{{}, distance, sign};
  } else
#endif
  {
    return SplitRotator<E>{{}, distance, sign};
  }
}

template <class T>
HWY_INLINE T SignOf(Direction direction) {
  return direction == Direction::kForward ? 1 : -1;
}

// Streams: along each head, for a chunk of its pairs after the other would touch
// each line twice where registers are few, and walk in strides. Cosines and sines
// come from the first-level cache, as the rotator takes them.

// Entries of T: 16 KiB of f32, the half-split cosines and sines of 32 tokens of 64
// pairs.
constexpr std::size_t kSpreadEntries = 4096;

// Calls of more bytes are streams: they come from memory, whatever a core's part of
// the last-level cache is. Their heads are prefetched, so far ahead that it is more
// than what a core reorders by itself: 512 operations at most, 8 or more a line.
constexpr std::int64_t kStreamBytes = 32 << 20;
constexpr std::size_t kPrefetchBytes = 4096;

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

// Rotates n pairs of `count` heads by what Spread has stored; from head to head,
// in_step and out_step channels and `by` numbers of it. Prefetches `bytes` of each.
template <class First, class Last, class E, class T>
HWY_INLINE void RotateSpread(First first, Last last, std::size_t n,
                             std::size_t bytes, const E* in, E* out,
                             const T* spread, std::int64_t count,
                             std::int64_t in_step, std::int64_t out_step,
                             std::int64_t by) {
  const E* again = HiddenCopy(in);
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
  const hn::ScalableTag<T> d;
  const std::size_t pairs = First::Pairs(d);
  for (std::int64_t left = count; left > 0; --left) {
    const char* const ahead =
        reinterpret_cast<const char*>(in) + kPrefetchBytes;
    for (std::size_t i = 0; i < bytes; i += 64) hwy::Prefetch(ahead + i);
    std::size_t i = 0;
    for (; i + 4 * pairs <= n; i += 4 * pairs) {  // loops cost operations
      rotate(first, d, i);
      rotate(first, d, i + pairs);
      rotate(first, d, i + 2 * pairs);
      rotate(first, d, i + 3 * pairs);
    }
    ForEachGroup<T>(first, last, n, rotate, i);
    in += in_step;
    again += in_step;
    out += out_step;
    spread += by;
  }
}

// Where a head's tokens lie closer together than a token's heads.
HWY_INLINE bool IsHeadMajor(const Tile& tile) {
  const Strides& strides = tile.tensor.in_strides;
  return tile.tokens > 1 && std::abs(strides.head) > std::abs(strides.token);
}

// Rotates n pairs of all heads of `tile`, prefetching `bytes` of each. All heads of a token,
// then those of the next one, or some tokens of a head, then of the next one.
template <class First, class Last, class E, class T>
HWY_INLINE void RotateStream(First first, Last last, std::size_t n,
                             std::size_t bytes, const E* in, E* out,
                             const T* cos, const T* sin, const Tile& tile) {
  HWY_ALIGN T spread[kSpreadEntries];
  const auto row = static_cast<std::int64_t>(n * First::kSpreadPerPair);
  const Strides &from = tile.tensor.in_strides, &to = tile.tensor.out_strides;
  const std::int64_t most =
      IsHeadMajor(tile) ? static_cast<std::int64_t>(kSpreadEntries) / row : 1;
  for (std::int64_t left = tile.tokens; left > 0; left -= most) {
    const std::int64_t tokens = std::min(most, left);
    for (std::int64_t t = 0; t < tokens; ++t) {
      Spread(first, last, n, cos, sin, spread + t * row);
      cos += tile.row_stride;
      sin += tile.row_stride;
    }
    if (IsHeadMajor(tile)) {
      for (std::int64_t h = 0; h < tile.heads; ++h) {
        RotateSpread(first, last, n, bytes, in + h * from.head,
                     out + h * to.head, spread, tokens, from.token, to.token,
                     row);
      }
    } else {
      RotateSpread(first, last, n, bytes, in, out, spread, tile.heads,
                   from.head, to.head, 0);
    }
    in += most * from.token;
    out += most * to.token;
  }
}

// Rotates the tile.n pairs from tile.first on; `in` and `out` are at the first of
// them. Out of line: the registers of one must not cost the other.
template <class First, class Last, class E, class T>
HWY_NOINLINE void RotateAllPairs(First first, Last last, std::size_t distance,
                                 const E* in, E* out, const T* cos,
                                 const T* sin, const Tile& tile) {
  const Tensor& tensor = tile.tensor;
  if (tile.call_bytes <= kStreamBytes && !IsHeadMajor(tile)) {
    for (std::int64_t t = 0; t < tile.tokens; ++t) {
      RotatePairs(first, last, tensor, tile.heads, in, out, cos, sin, tile.n);
      in += tensor.in_strides.token;
      out += tensor.out_strides.token;
      cos += tile.row_stride;
      sin += tile.row_stride;
    }
    return;
  }
  constexpr std::size_t kMost = kSpreadEntries / First::kSpreadPerPair;
  for (std::size_t i = 0; i < tile.n; i += kMost) {
    const std::size_t n = std::min(kMost, tile.n - i);
    const std::size_t at = i * First::kChannelsPerPair;
    const std::size_t prefetched =
        tile.call_bytes > kStreamBytes ? (distance + n) * sizeof(E) : 0;
    RotateStream(first, last, n, prefetched, in + at, out + at, cos + i,
                 sin + i, tile);
  }
}

template <class E, class T>
HWY_INLINE void RotateInterleaved(const E* in, E* out, const T* cos,
                                  const T* sin, const Tile& tile) {
  const InterleavedRotator<E> rotator{{}, SignOf<T>(tile.direction)};
  RotateAllPairs(rotator, rotator, tile.n, in, out, cos, sin, tile);
}

template <class E, class T>
HWY_INLINE void RotateHalfSplit(const E* in, E* out, const T* cos, const T* sin,
                                const Tile& tile, std::size_t distance) {
  const T sign = SignOf<T>(tile.direction);
  RotateAllPairs(FirstSplitRotator<E>(distance, sign),
                 SplitRotator<E>{{}, distance, sign}, distance, in, out, cos,
                 sin, tile);
}

}  // namespace HWY_NAMESPACE
}  // namespace ropeproof::fast
HWY_AFTER_NAMESPACE();

#endif  // ROPEPROOF_FAST_HEADS_INL_H_
