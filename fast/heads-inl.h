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

#include "fast/chunks-inl.h"
#include "fast/rotate-inl.h"
#include "fast/turn.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace ropeproof::fast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// What to fetch ahead of the channels at hand: nothing, or what lies so many bytes on.
struct FetchNothing {};
struct FetchAhead {
  std::ptrdiff_t bytes;
};

template <class Step, class D, class E>
HWY_INLINE void Fetch(const Step&, D, FetchNothing, const E*) {}

template <class Step, class D, class E>
HWY_INLINE void Fetch(const Step& step, D d, FetchAhead ahead, const E* in) {
  const auto* line = reinterpret_cast<const char*>(in);
  const std::size_t bytes = Step::Channels(d) * sizeof(E);
  for (std::size_t i = 0; i < bytes; i += 64, line += 64) {
    hwy::Prefetch(line + ahead.bytes / Step::kCloser);
    if constexpr (Step::kFetchesApart) {
      hwy::Prefetch(line + ahead.bytes + step.distance * sizeof(E));
    }
  }
}

// Turns the vectors of one head. Each step takes its cosines and sines off the
// front of `turns`: a pack, not an array, so that they stay in registers and
// may be of a sizeless type.
template <class Step, class D, class Ahead, class E>
HWY_INLINE void TurnVectors(const Step&, D, Ahead, const E*, const E*, E*) {}

template <class Step, class D, class Ahead, class E, class V, class... Rest>
HWY_INLINE void TurnTwo(const Step& step, D d, Ahead ahead, const E* in,
                        const E* again, E* out, V c_even, V s_even, V c_odd,
                        V s_odd, Rest... rest) {
  step.Turn(d, in, again, out, c_even, s_even, c_odd, s_odd);
  TurnVectors(step, d, ahead, in + Step::Channels(d), again + Step::Channels(d),
              out + Step::Channels(d), rest...);
}

template <class Step, class D, class Ahead, class E, class V, class... Rest>
HWY_INLINE void TurnVectors(const Step& step, D d, Ahead ahead, const E* in,
                            const E* again, E* out, V c, V s, Rest... rest) {
  Fetch(step, d, ahead, in);
  if constexpr (Step::kTakesTwo) {
    TurnTwo(step, d, ahead, in, again, out, c, s, rest...);
  } else {
    step.Turn(d, in, again, out, c, s);
    TurnVectors(step, d, ahead, in + Step::Channels(d),
                again + Step::Channels(d), out + Step::Channels(d), rest...);
  }
}

// The same pointer, unknown to the compiler. What is read through both is loaded
// twice: x86 spreads even and odd lanes within a load, otherwise it takes an
// operation each.
template <class E>
HWY_INLINE const E* HiddenCopy(const E* pointer) {
  asm("" : "+r"(pointer));
  return pointer;
}

// Loads the cosines and sines of kSteps steps, then turns all heads of a token
// by them.
template <std::size_t kSteps, class Step, class D, class Ahead, class E,
          class T, class... V>
HWY_INLINE void TurnChunk(const Step& step, D d, Ahead ahead,
                          const Tensor& tensor, std::int64_t heads, const E* in,
                          E* out, const T* cos, const T* sin, V... turns) {
  if constexpr (kSteps > 0) {
    const T *next_cos = cos + Step::Pairs(d), *next_sin = sin + Step::Pairs(d);
    hn::Vec<D> c, s;
    if constexpr (Step::kTakesTwo) {
      hn::Vec<D> c_odd, s_odd;
      step.Load(d, cos, sin, c, s, c_odd, s_odd);
      TurnChunk<kSteps - 1>(step, d, ahead, tensor, heads, in, out, next_cos,
                            next_sin, turns..., c, s, c_odd, s_odd);
    } else {
      step.Load(d, cos, sin, c, s);
      TurnChunk<kSteps - 1>(step, d, ahead, tensor, heads, in, out, next_cos,
                            next_sin, turns..., c, s);
    }
  } else {
    const std::int64_t in_stride = tensor.in_strides.head;
    const std::int64_t out_stride = tensor.out_strides.head;
    const E* again = HiddenCopy(in);
    for (std::int64_t h = heads; h > 0; --h) {
      TurnVectors(step, d, ahead, in, again, out, turns...);
      in += in_stride;
      again += in_stride;
      out += out_stride;
    }
  }
}

// The steps of the largest chunk: cosines and sines may take half of the registers.
template <class Step>
constexpr std::size_t kMostSteps = (HWY_TARGET > HWY_AVX3 ? 16 : 32) /
                                   (Step::kTakesTwo ? 8 : 4);

template <std::size_t kSteps>
using Steps = std::integral_constant<std::size_t, kSteps>;

// Turns n pairs of every head, from `from` to `to` on; all of them, but for the
// last if the step takes two and n is odd. Returns how many. Chunks of many
// vectors first, then single ones, then the tail by the same code, ever
// narrower.
template <class Step, class Ahead, class E, class T>
HWY_INLINE std::size_t TurnPairs(const Step& step, Ahead ahead,
                                 const Tile& tile, const E* from, E* to,
                                 const T* cos, const T* sin, std::size_t n) {
  std::size_t done = 0;
  const auto run = [&](auto d, auto steps) ROPEPROOF_FAST_LAMBDA {
    constexpr std::size_t kSteps = decltype(steps)::value;
    if constexpr (kSteps > 0 && hn::MaxLanes(d) >= Step::kMinLanes) {
      std::conditional_t<(kSteps > 1), Ahead, FetchNothing> fetch{};
      if constexpr (kSteps > 1) fetch = ahead;
      const std::size_t pairs = kSteps * Step::Pairs(d);
      for (; done + pairs <= n; done += pairs) {
        const E* in = from;
        E* out = to;
        const T *c = cos + done, *s = sin + done;
        for (std::int64_t t = tile.tokens; t > 0; --t) {
          TurnChunk<kSteps>(step, d, fetch, tile.tensor, tile.heads, in, out, c,
                            s);
          in += tile.tensor.in_strides.token;
          out += tile.tensor.out_strides.token;
          c += tile.row_stride;
          s += tile.row_stride;
        }
        from += kSteps * Step::Channels(d);
        to += kSteps * Step::Channels(d);
      }
    }
  };
  constexpr std::size_t kMost = kMostSteps<Step>;
  const hn::ScalableTag<T> d;
  run(d, Steps<kMost>());
  run(d, Steps<kMost / 2>());
  run(d, Steps<(kMost > 4 ? kMost / 4 : 0)>());
  if (HWY_LIKELY(done == n)) return n;
  run(d, Steps<1>());
  if constexpr (hn::MaxLanes(d) > 8) run(hn::CappedTag<T, 8>(), Steps<1>());
  if constexpr (hn::MaxLanes(d) > 4) run(hn::CappedTag<T, 4>(), Steps<1>());
  if constexpr (hn::MaxLanes(d) > 2) run(hn::CappedTag<T, 2>(), Steps<1>());
  if constexpr (hn::MaxLanes(d) > 1 && Step::kMinLanes == 1) {
    run(hn::CappedTag<T, 1>(), Steps<1>());
  }
  return done;
}

// Turns kSteps steps of every head of a token, from channel `offset` on. By itself,
// with its arguments in registers, it needs nothing of the stack, nor does a caller
// that ends with it.
template <std::size_t kSteps, class E, class Step, class D, class T>
HWY_NOINLINE void TurnHeads(Step step, D d, const Tensor& tensor,
                            std::int64_t offset, const T* cos, const T* sin) {
  TurnChunk<kSteps>(step, d, FetchNothing(), tensor, tensor.heads,
                    static_cast<const E*>(tensor.in) + offset,
                    static_cast<E*>(tensor.out) + offset, cos, sin);
}

// Turns n pairs of every head of a token if they make up one chunk; else returns
// false. First kMost / 2 steps: with 512 bits, f32 heads of 128 channels.
template <class E, class Step, class T>
HWY_INLINE bool TurnIfOneChunk(const Step& step, const Tensor& tensor,
                               std::int64_t offset, const T* cos, const T* sin,
                               std::size_t n) {
  const hn::ScalableTag<T> d;
  const auto run = [&](auto steps) ROPEPROOF_FAST_LAMBDA {
    constexpr std::size_t kSteps = decltype(steps)::value;
    if constexpr (kSteps > 0) {
      if (n != kSteps * Step::Pairs(d)) return false;
      TurnHeads<kSteps, E>(step, d, tensor, offset, cos, sin);
      return true;
    }
    return false;
  };
  constexpr std::size_t kMost = kMostSteps<Step>;
  return run(Steps<kMost / 2>()) || run(Steps<kMost>()) ||
         run(Steps<(kMost > 4 ? kMost / 4 : 0)>());
}

// The steps to begin with: those that take two vectors where there are such.
template <class E>
HWY_INLINE auto MakeFirstInterleavedStep(Compute<E> sign) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (std::is_same_v<E, float>) {
    return InterleavedTwoStep{sign};
  } else
#endif
  {
    return MakeInterleavedStep<E>(sign);
  }
}
template <class E>
HWY_INLINE auto MakeFirstSplitStep(std::size_t distance, Compute<E> sign) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (std::is_same_v<E, Bf16>) {
    return SplitWordsStep{distance, sign};
  } else
#endif
  {
    return SplitStep<E>{distance, sign};
  }
}

template <class T>
HWY_INLINE T SignOf(Direction direction) {
  return direction == Direction::kForward ? 1 : -1;
}

// The tile.n pairs from tile.first on of all heads of tile.tokens tokens, one chunk
// of pairs after the other. `in` and `out` are at the first of them. Each its own
// function: the registers of one must not cost the other.
template <class Ahead, class E, class T>
HWY_NOINLINE void TurnInterleaved(Ahead ahead, const E* in, E* out,
                                  const T* cos, const T* sin,
                                  const Tile& tile) {
  const T sign = SignOf<T>(tile.direction);
  const auto two = MakeFirstInterleavedStep<E>(sign);
  const auto one = MakeInterleavedStep<E>(sign);
  const std::size_t n = tile.n;
  const std::size_t done = TurnPairs(two, ahead, tile, in, out, cos, sin, n);
  if constexpr (!std::is_same_v<decltype(two), decltype(one)>) {
    if (HWY_LIKELY(done == n)) return;
    TurnPairs(one, ahead, tile, in + 2 * done, out + 2 * done, cos + done,
              sin + done, n - done);
  }
}

template <class Ahead, class E, class T>
HWY_NOINLINE void TurnSplit(Ahead ahead, const E* in, E* out, const T* cos,
                            const T* sin, const Tile& tile,
                            std::size_t distance) {
  const T sign = SignOf<T>(tile.direction);
  const auto two = MakeFirstSplitStep<E>(distance, sign);
  const SplitStep<E> one{distance, sign};
  const std::size_t n = tile.n;
  const std::size_t done = TurnPairs(two, ahead, tile, in, out, cos, sin, n);
  if constexpr (!std::is_same_v<decltype(two), decltype(one)>) {
    if (HWY_LIKELY(done == n)) return;
    TurnPairs(one, ahead, tile, in + done, out + done, cos + done, sin + done,
              n - done);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace ropeproof::fast
HWY_AFTER_NAMESPACE();

#endif  // ROPEPROOF_FAST_HEADS_INL_H_
