// heads-inl.h -- the loop over heads, with cosines and sines in registers, per
// SIMD target.
#if defined(ROPEPROOF_FAST_HEADS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROPEPROOF_FAST_HEADS_INL_H_
#undef ROPEPROOF_FAST_HEADS_INL_H_
#else
#define ROPEPROOF_FAST_HEADS_INL_H_
#endif

#include <cstdint>
#include <type_traits>

#include "fast/rotate-inl.h"
#include "fast/rotate_heads.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace ropeproof::fast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Whether to prefetch: not at all, or `bytes` after the channels at hand.
struct NoPrefetch {};
struct PrefetchAt {
  std::ptrdiff_t bytes;
};

template <class Rotator, class D, class E>
HWY_INLINE void PrefetchGroup(const Rotator&, D, NoPrefetch, const E*) {}

template <class Rotator, class D, class E>
HWY_INLINE void PrefetchGroup(const Rotator& rotator, D d, PrefetchAt at,
                              const E* in) {
  const auto* line = reinterpret_cast<const char*>(in);
  const std::size_t bytes = Rotator::Channels(d) * sizeof(E);
  for (std::size_t i = 0; i < bytes; i += 64, line += 64) {
    hwy::Prefetch(line + at.bytes / Rotator::kNearer);
    if constexpr (Rotator::kPrefetchesBoth) {
      hwy::Prefetch(line + at.bytes + rotator.distance * sizeof(E));
    }
  }
}

// Rotates the groups of one head. Each takes its cosines and sines off the front
// of a parameter pack: not an array, so that they stay in registers and may be of
// a sizeless type.
template <class Rotator, class D, class Prefetch, class E>
HWY_INLINE void RotateGroups(const Rotator&, D, Prefetch, const E*, const E*,
                             E*) {}

template <class Rotator, class D, class Prefetch, class E, class V,
          class... More>
HWY_INLINE void RotateTwo(const Rotator& rotator, D d, Prefetch prefetch,
                          const E* in, const E* again, E* out, V c_even,
                          V s_even, V c_odd, V s_odd, More... more) {
  rotator.Rotate(d, in, again, out, c_even, s_even, c_odd, s_odd);
  const std::size_t next = Rotator::Channels(d);
  RotateGroups(rotator, d, prefetch, in + next, again + next, out + next,
               more...);
}

template <class Rotator, class D, class Prefetch, class E, class V,
          class... More>
HWY_INLINE void RotateGroups(const Rotator& rotator, D d, Prefetch prefetch,
                             const E* in, const E* again, E* out, V c, V s,
                             More... more) {
  PrefetchGroup(rotator, d, prefetch, in);
  if constexpr (Rotator::kTakesTwo) {
    RotateTwo(rotator, d, prefetch, in, again, out, c, s, more...);
  } else {
    rotator.Rotate(d, in, again, out, c, s);
    const std::size_t next = Rotator::Channels(d);
    RotateGroups(rotator, d, prefetch, in + next, again + next, out + next,
                 more...);
  }
}

// The same pointer, without the compiler knowing: data read through both are loaded
// twice. x86 duplicates even or odd lanes as part of a load; in a register each
// costs an operation.
template <class E>
HWY_INLINE const E* HiddenCopy(const E* pointer) {
  asm("" : "+r"(pointer));
  return pointer;
}

// Loads the cosines and sines of kGroups groups, then rotates all heads of a token
// by them.
template <std::size_t kGroups, class Rotator, class D, class Prefetch, class E,
          class T, class... V>
HWY_INLINE void RotateChunk(const Rotator& rotator, D d, Prefetch prefetch,
                            const Tensor& tensor, std::int64_t heads,
                            const E* in, E* out, const T* cos, const T* sin,
                            V... loaded) {
  if constexpr (kGroups > 0) {
    const T* next_cos = cos + Rotator::Pairs(d);
    const T* next_sin = sin + Rotator::Pairs(d);
    hn::Vec<D> c, s;
    if constexpr (Rotator::kTakesTwo) {
      hn::Vec<D> c_odd, s_odd;
      rotator.Load(d, cos, sin, c, s, c_odd, s_odd);
      RotateChunk<kGroups - 1>(rotator, d, prefetch, tensor, heads, in, out,
                               next_cos, next_sin, loaded..., c, s, c_odd,
                               s_odd);
    } else {
      rotator.Load(d, cos, sin, c, s);
      RotateChunk<kGroups - 1>(rotator, d, prefetch, tensor, heads, in, out,
                               next_cos, next_sin, loaded..., c, s);
    }
  } else {
    const std::int64_t in_stride = tensor.in_strides.head;
    const std::int64_t out_stride = tensor.out_strides.head;
    const E* again = HiddenCopy(in);
    for (std::int64_t h = heads; h > 0; --h) {
      RotateGroups(rotator, d, prefetch, in, again, out, loaded...);
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

// Rotates n pairs of every head, from `from` to `to` on; all of them, but for the
// last if the rotator takes two and n is odd. Returns how many. Chunks of many
// groups first, then single ones, then the tail by the same code, ever narrower.
template <class Rotator, class Prefetch, class E, class T>
HWY_INLINE std::size_t RotatePairs(const Rotator& rotator, Prefetch prefetch,
                                   const Tile& tile, const E* from, E* to,
                                   const T* cos, const T* sin, std::size_t n) {
  std::size_t done = 0;
  const auto run = [&](auto d, auto groups) ROPEPROOF_FAST_LAMBDA {
    constexpr std::size_t kGroups = decltype(groups)::value;
    if constexpr (kGroups > 0 && hn::MaxLanes(d) >= Rotator::kMinLanes) {
      std::conditional_t<(kGroups > 1), Prefetch, NoPrefetch> of_chunk{};
      if constexpr (kGroups > 1) of_chunk = prefetch;
      const std::size_t pairs = kGroups * Rotator::Pairs(d);
      for (; done + pairs <= n; done += pairs) {
        const E* in = from;
        E* out = to;
        const T *c = cos + done, *s = sin + done;
        for (std::int64_t t = tile.tokens; t > 0; --t) {
          RotateChunk<kGroups>(rotator, d, of_chunk, tile.tensor, tile.heads,
                               in, out, c, s);
          in += tile.tensor.in_strides.token;
          out += tile.tensor.out_strides.token;
          c += tile.row_stride;
          s += tile.row_stride;
        }
        from += kGroups * Rotator::Channels(d);
        to += kGroups * Rotator::Channels(d);
      }
    }
  };
  constexpr std::size_t kMost = kMostGroups<Rotator>;
  const hn::ScalableTag<T> d;
  run(d, Groups<kMost>());
  run(d, Groups<kMost / 2>());
  run(d, Groups<(kMost > 4 ? kMost / 4 : 0)>());
  if (HWY_LIKELY(done == n)) return n;
  run(d, Groups<1>());
  if constexpr (hn::MaxLanes(d) > 8) run(hn::CappedTag<T, 8>(), Groups<1>());
  if constexpr (hn::MaxLanes(d) > 4) run(hn::CappedTag<T, 4>(), Groups<1>());
  if constexpr (hn::MaxLanes(d) > 2) run(hn::CappedTag<T, 2>(), Groups<1>());
  if constexpr (hn::MaxLanes(d) > 1 && Rotator::kMinLanes == 1) {
    run(hn::CappedTag<T, 1>(), Groups<1>());
  }
  return done;
}

// Rotates kGroups groups of every head of a token, from channel `offset` on. Out of
// line, with its arguments in registers, it needs no stack, nor does a caller that
// ends with it.
template <std::size_t kGroups, class E, class Rotator, class D, class T>
HWY_NOINLINE void RotateHeads(Rotator rotator, D d, const Tensor& tensor,
                              std::int64_t offset, const T* cos, const T* sin) {
  RotateChunk<kGroups>(rotator, d, NoPrefetch(), tensor, tensor.heads,
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

// The rotators to begin with: those that take two vectors where there are such.
template <class E>
HWY_INLINE auto FirstInterleavedRotator(Compute<E> sign) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (std::is_same_v<E, float>) {
    return InterleavedTwoRotator{{}, sign};
  } else
#endif
  {
    return InterleavedRotator<E>{{}, sign};
  }
}
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

// Rotates the tile.n pairs of `tile`, by `first` and what that leaves by `last`.
template <class First, class Last, class Prefetch, class E, class T>
HWY_INLINE void RotateAllPairs(const First& first, const Last& last,
                               Prefetch prefetch, const E* in, E* out,
                               const T* cos, const T* sin, const Tile& tile) {
  const std::size_t n = tile.n;
  const std::size_t done =
      RotatePairs(first, prefetch, tile, in, out, cos, sin, n);
  if constexpr (!std::is_same_v<First, Last>) {
    if (HWY_LIKELY(done == n)) return;
    const std::size_t at = done * Last::kChannelsPerPair;
    RotatePairs(last, prefetch, tile, in + at, out + at, cos + done, sin + done,
                n - done);
  }
}

// The tile.n pairs from tile.first on of all heads of tile.tokens tokens, one chunk
// of pairs after the other. `in` and `out` are at the first of them. Out of line:
// the registers of one must not cost the other.
template <class Prefetch, class E, class T>
HWY_NOINLINE void RotateInterleaved(Prefetch prefetch, const E* in, E* out,
                                    const T* cos, const T* sin,
                                    const Tile& tile) {
  const T sign = SignOf<T>(tile.direction);
  RotateAllPairs(FirstInterleavedRotator<E>(sign),
                 InterleavedRotator<E>{{}, sign}, prefetch, in, out, cos, sin,
                 tile);
}

template <class Prefetch, class E, class T>
HWY_NOINLINE void RotateHalfSplit(Prefetch prefetch, const E* in, E* out,
                                  const T* cos, const T* sin, const Tile& tile,
                                  std::size_t distance) {
  const T sign = SignOf<T>(tile.direction);
  RotateAllPairs(FirstSplitRotator<E>(distance, sign),
                 SplitRotator<E>{{}, distance, sign}, prefetch, in, out, cos,
                 sin, tile);
}

}  // namespace HWY_NAMESPACE
}  // namespace ropeproof::fast
HWY_AFTER_NAMESPACE();

#endif  // ROPEPROOF_FAST_HEADS_INL_H_
