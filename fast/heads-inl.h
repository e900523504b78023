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

// Turns the vectors of one head. Each step takes its cosines and sines off the
// front of `turns`: a pack, not an array, so that they stay in registers and
// may be of a sizeless type.
template <bool kIsFar, class Step, class D, class E>
HWY_INLINE void TurnVectors(const Step&, D, std::ptrdiff_t, const E*, const E*,
                            E*) {}

template <bool kIsFar, class Step, class D, class E, class V, class... Rest>
HWY_INLINE void TurnTwo(const Step& step, D d, std::ptrdiff_t ahead,
                        const E* in, const E* again, E* out, V c_even, V s_even,
                        V c_odd, V s_odd, Rest... rest) {
  step.Turn(d, in, again, out, c_even, s_even, c_odd, s_odd);
  TurnVectors<kIsFar>(step, d, ahead, in + Step::Channels(d),
                      again + Step::Channels(d), out + Step::Channels(d),
                      rest...);
}

template <bool kIsFar, class Step, class D, class E, class V, class... Rest>
HWY_INLINE void TurnVectors(const Step& step, D d, std::ptrdiff_t ahead,
                            const E* in, const E* again, E* out, V c, V s,
                            Rest... rest) {
  if constexpr (kIsFar) {
    const auto* line = reinterpret_cast<const char*>(in) + ahead;
    const std::size_t bytes = Step::Channels(d) * sizeof(E);
    for (std::size_t i = 0; i < bytes; i += 64) {
      hwy::Prefetch(line + i);
      if constexpr (Step::kFetchesApart) {
        hwy::Prefetch(line + i + step.distance * sizeof(E));
      }
    }
  }
  if constexpr (Step::kTakesTwo) {
    TurnTwo<kIsFar>(step, d, ahead, in, again, out, c, s, rest...);
  } else {
    step.Turn(d, in, again, out, c, s);
    TurnVectors<kIsFar>(step, d, ahead, in + Step::Channels(d),
                        again + Step::Channels(d), out + Step::Channels(d),
                        rest...);
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
// by them, from `in` to `out` on.
template <std::size_t kSteps, bool kIsFar, class Step, class D, class E,
          class T, class... V>
HWY_INLINE void TurnChunk(const Step& step, D d, const Tile& tile, const E* in,
                          E* out, const T* cos, const T* sin, V... turns) {
  if constexpr (kSteps > 0) {
    hn::Vec<D> c, s;
    if constexpr (Step::kTakesTwo) {
      hn::Vec<D> c_odd, s_odd;
      step.Load(d, cos, sin, c, s, c_odd, s_odd);
      TurnChunk<kSteps - 1, kIsFar>(step, d, tile, in, out,
                                    cos + Step::Pairs(d), sin + Step::Pairs(d),
                                    turns..., c, s, c_odd, s_odd);
    } else {
      step.Load(d, cos, sin, c, s);
      TurnChunk<kSteps - 1, kIsFar>(step, d, tile, in, out,
                                    cos + Step::Pairs(d), sin + Step::Pairs(d),
                                    turns..., c, s);
    }
  } else {
    const std::int64_t in_stride = tile.tensor.in_strides.head;
    const std::int64_t out_stride = tile.tensor.out_strides.head;
    const std::ptrdiff_t ahead = tile.ahead;
    const E* again = HiddenCopy(in);
    for (std::int64_t h = tile.heads; h > 0; --h) {
      TurnVectors<kIsFar>(step, d, ahead, in, again, out, turns...);
      in += in_stride;
      again += in_stride;
      out += out_stride;
    }
  }
}

// Turns n pairs of every head, from `from` to `to` on; all of them, but for the
// last if the step takes two and n is odd. Returns how many. Chunks of many
// vectors first, then single ones, then the tail by the same code, ever
// narrower.
template <bool kIsFar, class Step, class E, class T>
HWY_INLINE std::size_t TurnPairs(const Step& step, const Tile& tile,
                                 const E* from, E* to, const T* cos,
                                 const T* sin, std::size_t n) {
  std::size_t done = 0;
  const auto run = [&](auto d, auto steps) ROPEPROOF_FAST_LAMBDA {
    constexpr std::size_t kSteps = decltype(steps)::value;
    if constexpr (kSteps > 0 && hn::MaxLanes(d) >= Step::kMinLanes) {
      const std::size_t pairs = kSteps * Step::Pairs(d);
      for (; done + pairs <= n; done += pairs) {
        const E* in = from;
        E* out = to;
        const T *c = cos + done, *s = sin + done;
        for (std::int64_t t = tile.tokens; t > 0; --t) {
          TurnChunk<kSteps, kIsFar && (kSteps > 1)>(step, d, tile, in, out, c,
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
  // Cosines and sines may take half of the registers.
  constexpr std::size_t kRegisters = HWY_TARGET > HWY_AVX3 ? 16 : 32;
  constexpr std::size_t kMost = kRegisters / (Step::kTakesTwo ? 8 : 4);
  const hn::ScalableTag<T> d;
  using One = std::integral_constant<std::size_t, 1>;
  run(d, std::integral_constant<std::size_t, kMost>());
  run(d, std::integral_constant<std::size_t, kMost / 2>());
  run(d, std::integral_constant<std::size_t, (kMost > 4 ? kMost / 4 : 0)>());
  if (HWY_LIKELY(done == n)) return n;
  run(d, One());
  if constexpr (hn::MaxLanes(d) > 8) run(hn::CappedTag<T, 8>(), One());
  if constexpr (hn::MaxLanes(d) > 4) run(hn::CappedTag<T, 4>(), One());
  if constexpr (hn::MaxLanes(d) > 2) run(hn::CappedTag<T, 2>(), One());
  if constexpr (hn::MaxLanes(d) > 1 && Step::kMinLanes == 1) {
    run(hn::CappedTag<T, 1>(), One());
  }
  return done;
}

template <class T>
HWY_INLINE T SignOf(Direction direction) {
  return direction == Direction::kForward ? 1 : -1;
}

// The tile.n pairs from tile.first on of tile.heads heads of tile.tokens tokens,
// one chunk of pairs after the other. `in` and `out` are at the first of them.
// Each its own function: the registers of one must not cost the other.
template <bool kIsFar, class E, class T>
HWY_NOINLINE void TurnInterleaved(const E* in, E* out, const T* cos,
                                  const T* sin, const Tile& tile) {
  const T sign = SignOf<T>(tile.direction);
  const std::size_t n = tile.n;
  std::size_t done = 0;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (std::is_same_v<E, float>) {
    done =
        TurnPairs<kIsFar>(InterleavedTwoStep{sign}, tile, in, out, cos, sin, n);
    if (HWY_LIKELY(done == n)) return;
  }
#endif
  TurnPairs<kIsFar>(MakeInterleavedStep<E>(sign), tile, in + 2 * done,
                    out + 2 * done, cos + done, sin + done, n - done);
}

template <bool kIsFar, class E, class T>
HWY_NOINLINE void TurnSplit(const E* in, E* out, const T* cos, const T* sin,
                            const Tile& tile, std::size_t distance) {
  const T sign = SignOf<T>(tile.direction);
  const std::size_t n = tile.n;
  std::size_t done = 0;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (std::is_same_v<E, Bf16>) {
    done = TurnPairs<kIsFar>(SplitWordsStep{distance, sign}, tile, in, out, cos,
                             sin, n);
    if (HWY_LIKELY(done == n)) return;
  }
#endif
  TurnPairs<kIsFar>(SplitStep<E>{distance, sign}, tile, in + done, out + done,
                    cos + done, sin + done, n - done);
}

}  // namespace HWY_NAMESPACE
}  // namespace ropeproof::fast
HWY_AFTER_NAMESPACE();

#endif  // ROPEPROOF_FAST_HEADS_INL_H_
