// heads-inl.h -- the loop over heads of one token, with cosines and sines in
// registers, per SIMD target.
#if defined(ROPEPROOF_FAST_HEADS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROPEPROOF_FAST_HEADS_INL_H_
#undef ROPEPROOF_FAST_HEADS_INL_H_
#else
#define ROPEPROOF_FAST_HEADS_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "fast/rotate-inl.h"
#include "fast/rotate_heads.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace ropeproof::fast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Returns `pointer` without the compiler knowing: data read through both are
// loaded twice. x86 duplicates even or odd lanes as part of a load; in a
// register each costs an operation.
template <class E>
HWY_INLINE const E* HiddenCopy(const E* pointer) {
  asm("" : "+r"(pointer));
  return pointer;
}

// Calls body(rotator, d, i) for groups that cover pairs [i, n), i being the
// first: full vectors by `first`, what that leaves by `last`, ever narrower.
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

// One token: the cosines and sines of a chunk of groups stay in registers while
// all heads pass.

// Rotates the groups of one head. Each takes its cosines and sines off the
// front of a parameter pack: not an array, so that they stay in registers and
// may be of a sizeless type.
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

// Heads one after the other: how many, and channels from one to the next.
struct Walk {
  std::int64_t count, in_step, out_step;
};

HWY_INLINE Walk HeadsOf(const Tensor& tensor, std::int64_t heads) {
  return {heads, tensor.in_strides.head, tensor.out_strides.head};
}

// A head needs nothing else.
struct NoMore {
  template <class E>
  HWY_INLINE void operator()(const E*, const E*, E*) const {}
};

// Loads the cosines and sines of kGroups groups, then rotates all heads by
// them. Calls more(in, again, out) for each, afterwards: memory is to be read
// in its order.
template <std::size_t kGroups, class Rotator, class D, class E, class T,
          class More, class... V>
HWY_INLINE void RotateChunk(Rotator rotator, D d, const Walk& walk, const E* in,
                            E* out, const T* cos, const T* sin,
                            const More& more, V... loaded) {
  if constexpr (kGroups > 0) {
    const T* next_cos = cos + Rotator::Pairs(d);
    const T* next_sin = sin + Rotator::Pairs(d);
    hn::Vec<D> c, s;
    if constexpr (Rotator::kTakesTwo) {
      hn::Vec<D> c_odd, s_odd;
      rotator.Load(d, cos, sin, c, s, c_odd, s_odd);
      RotateChunk<kGroups - 1>(rotator, d, walk, in, out, next_cos, next_sin,
                               more, loaded..., c, s, c_odd, s_odd);
    } else {
      rotator.Load(d, cos, sin, c, s);
      RotateChunk<kGroups - 1>(rotator, d, walk, in, out, next_cos, next_sin,
                               more, loaded..., c, s);
    }
  } else {
    const E* again = HiddenCopy(in);
    for (std::int64_t left = walk.count; left > 0; --left) {
      RotateGroups(rotator, d, in, again, out, loaded...);
      more(in, again, out);
      in += walk.in_step;
      again += walk.in_step;
      out += walk.out_step;
    }
  }
}

template <std::size_t kGroups>
using Groups = std::integral_constant<std::size_t, kGroups>;

// Rotates n pairs of every head of a token: chunks of many groups first, then
// single ones.
template <class First, class Last, class E, class T>
HWY_INLINE void RotatePairs(First first, Last last, const Walk& walk,
                            const E* in, E* out, const T* cos, const T* sin,
                            std::size_t n) {
  std::size_t done = 0;
  const hn::ScalableTag<T> d;
  const auto run = [&](auto groups) ROPEPROOF_FAST_LAMBDA {
    constexpr std::size_t kGroups = decltype(groups)::value;
    if constexpr (kGroups > 1) {
      const std::size_t pairs = kGroups * First::Pairs(d);
      for (; done + pairs <= n; done += pairs) {
        RotateChunk<kGroups>(first, d, walk, in, out, cos + done, sin + done,
                             NoMore());
        in += kGroups * First::Channels(d);
        out += kGroups * First::Channels(d);
      }
    }
  };
  run(Groups<First::kMostGroups>());
  run(Groups<First::kMostGroups / 2>());
  run(Groups<First::kMostGroups / 4>());
  cos += done;
  sin += done;
  ForEachGroup<T>(first, last, n - done,
                  [&](auto rotator, auto narrow, std::size_t i)
                      ROPEPROOF_FAST_LAMBDA {
                        const std::size_t at = i * First::kChannelsPerPair;
                        RotateChunk<1>(rotator, narrow, walk, in + at, out + at,
                                       cos + i, sin + i, NoMore());
                      });
}

// Rotates kGroups groups of every head of a token, from channel `offset` on.
// Out of line, with its arguments in registers, it needs no stack, nor does a
// caller that ends with it.
template <std::size_t kGroups, class E, class Rotator, class D, class T>
HWY_NOINLINE void RotateHeads(Rotator rotator, D d, const Tensor& tensor,
                              std::int64_t offset, const T* cos, const T* sin) {
  RotateChunk<kGroups>(rotator, d, HeadsOf(tensor, tensor.heads),
                       static_cast<const E*>(tensor.in) + offset,
                       static_cast<E*>(tensor.out) + offset, cos, sin,
                       NoMore());
}

// Rotates n pairs of every head of a token if they are one chunk; else returns
// false. First kMost / 2 groups: f32 heads of 128 channels with 512 bits.
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
  constexpr std::size_t kMost = Rotator::kMostGroups;
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

}  // namespace HWY_NAMESPACE
}  // namespace ropeproof::fast
HWY_AFTER_NAMESPACE();

#endif  // ROPEPROOF_FAST_HEADS_INL_H_
