// rotate-inl.h -- rotation of many heads by one token's cosines and sines (R4),
// per SIMD target.
#if defined(ROPEPROOF_FAST_ROTATE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROPEPROOF_FAST_ROTATE_INL_H_
#undef ROPEPROOF_FAST_ROTATE_INL_H_
#else
#define ROPEPROOF_FAST_ROTATE_INL_H_
#endif

#include <type_traits>

#include "fast/elements-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace ropeproof::fast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A rotator rotates a group of consecutive pairs of one head, which fill one or
// two vectors:
//
//   kTakesTwo       whether two vectors, each with cosines and sines of its own
//   kTakesEachOnce  whether Rotate uses each vector of cosines and sines once
//   kMostGroups     how many groups' cosines and sines a loop over heads keeps
//   kSpreadPerPair  how many numbers Load makes of a pair's cosine and sine
//   kMinLanes       the narrowest vector that it serves
//   Pairs(d)        how many pairs a group has
//   Channels(d)     from the first channel of a group to that of the next one
//   Load            cosines and sines as Rotate takes them, two vectors each;
//                   `sign` is -1 for the adjoint
//   Rotate          in to out; `again` is `in`, see HiddenCopy
//
// All compute y_u = fma(x_u, c, -(x_v s)) and y_v as in RotatedV, so that no
// bit depends on which of them took a pair.
//
// Error, no underflow, r = |(x_u, x_v)|, q = |(c, s)|. By Cauchy-Schwarz,
// |x_u c| + |x_v s| <= r q, and |y| <= r q; y_v likewise.
//
// c and s taken as exact: let U be one norm-ulp, 2^e <= r q < 2^(e+1), so that
// rounding costs U/2 in this binade and U/4 below it.
//     products  U/2 with FMA, which rounds one of them; else U/2 + U/4, for
//               only one of the two can reach 2^e
//     sum       U/2; where the products' errors lift it above 2^(e+1), it
//               rounds back to 2^(e+1), no farther from y than they took it
// Hence |got - want| <= 1.25 U on every target, U with FMA.  -> kRotateBound
//
// With c and s formed by rope, in units of u r m, u = 2^-24 (f64: 2^-53), m the
// amplitude:
//     table     kTableBound ulp <= (1 + 2^-15) u (|x_u c| + |x_v s|)  1 + 2^-15
//     angle     (kAngleBound + 2^12 kFrequencyBound) |phi| r m        2^-14
//     products  u/(1+u) (|x_u c| + |x_v s|)                           1
//     sum       u/(1+u) (|y| + the lines above)                       1
// and 2^-21 for the second order. u r m < U.  -> kRopeBound
// (f64: the angle's line holds for |phi| <= 2^24.)
//
// A 16-bit result is that of f32 rounded once more: half an ulp of its own, and
// what the f32 error can add across a tie, 2^-13 of it (f16; bf16: 2^-16) per
// norm-ulp.
//   -> kRotateBoundF16, kRotateBoundBf16, kRopeBoundF16, kRopeBoundBf16

// fma(x_v, c, x_u s); in f32 fma(x_u, s, x_v c), which interleaved pairs come
// to where x_u and x_v are spread over both lanes of a pair.
template <class E, class V>
HWY_INLINE V RotatedV(V x_u, V x_v, V c, V s) {
  if constexpr (std::is_same_v<E, float>) {
    return hn::MulAdd(x_u, s, hn::Mul(x_v, c));
  } else {
    return hn::MulAdd(x_v, c, hn::Mul(x_u, s));
  }
}

// Whether 16 registers are all there are; and whether instructions take
// operands from memory, of any alignment.
constexpr bool kFewRegisters = HWY_ARCH_X86 && HWY_TARGET > HWY_AVX3;
constexpr bool kTakesOperands = HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2;

// What rotators have in common, unless they say otherwise.
template <class E, std::size_t kPairsPerTwoLanes, std::size_t kChannelsPerLane,
          bool kTwo = false>
struct RotatorBase {
  static constexpr bool kTakesTwo = kTwo;
  static constexpr bool kTakesEachOnce = kPairsPerTwoLanes == 1;
  // 16 vectors; with AVX2 some of them are operands.
  static constexpr std::size_t kMostGroups =
      kIsUnrolled<E>
          ? (kFewRegisters && !kTakesOperands ? 8 : 16) / (kTwo ? 4 : 2)
          : 1;
  static constexpr std::size_t kMinLanes = 1;
  static constexpr std::size_t kChannelsPerPair =
      2 * kChannelsPerLane / kPairsPerTwoLanes;
  static constexpr std::size_t kSpreadPerPair =
      (kTwo ? 8 : 4) / kPairsPerTwoLanes;

  template <class D>
  static HWY_INLINE std::size_t Pairs(D d) {
    return hn::Lanes(d) * kPairsPerTwoLanes / 2;
  }
  template <class D>
  static HWY_INLINE std::size_t Channels(D d) {
    return hn::Lanes(d) * kChannelsPerLane;
  }
};

// The cosines and sines of Lanes(d) pairs, one per lane.
template <class E, class D, class T, class V>
HWY_INLINE void LoadCosSin(D d, T sign, const T* cos, const T* sin, V& c,
                           V& s) {
  c = hn::LoadU(d, cos);
  s = hn::Mul(hn::LoadU(d, sin), hn::Set(d, sign));
  if constexpr (std::is_same_v<E, Bf16>) {
    c = WithPlainNan(d, c);
    s = WithPlainNan(d, s);
  }
}

// Pairs (u + i, u + distance + i). With AVX2 x_v is loaded twice, as an operand
// of either product: it leaves a register for a cosine.
template <class E>
struct SplitRotator : RotatorBase<E, 2, 1> {
  using T = Compute<E>;
  static constexpr bool kLoadsAgain =
      kFewRegisters && kTakesOperands && sizeof(E) == sizeof(T);
  std::size_t distance;
  T sign;

  template <class D, class V>
  HWY_INLINE void Load(D d, const T* cos, const T* sin, V& c, V& s) const {
    LoadCosSin<E>(d, sign, cos, sin, c, s);
  }
  template <class D, class V>
  HWY_INLINE void Rotate(D d, const E* in, const E* again, E* out, V c,
                         V s) const {
    const V x_u = Widen(d, in);
    const V x_v = Widen(d, in + distance);
    Narrow(hn::MulSub(x_u, c, hn::Mul(x_v, s)), d, out);
    const V v_again = kLoadsAgain ? Widen(d, again + distance) : x_v;
    Narrow(RotatedV<E>(x_u, v_again, c, s), d, out + distance);
  }
};

#if HWY_TARGET == HWY_SCALAR

// Pairs (2j, 2j + 1), one at a time.
template <class E>
struct InterleavedRotator : RotatorBase<E, 2, 2> {
  using T = Compute<E>;
  T sign;

  template <class D, class V>
  HWY_INLINE void Load(D d, const T* cos, const T* sin, V& c, V& s) const {
    LoadCosSin<E>(d, sign, cos, sin, c, s);
  }
  template <class D, class V>
  HWY_INLINE void Rotate(D d, const E* in, const E* again, E* out, V c,
                         V s) const {
    SplitRotator<E>{{}, 1, sign}.Rotate(d, in, again, out, c, s);
  }
};

#else

// [a, a, b, b, ...] from [a, b, ...].
template <class D>
HWY_INLINE hn::Vec<D> LoadTwice(D d, const hn::TFromD<D>* from) {
  const hn::Half<D> half;
  const hn::RebindToUnsigned<D> bits;
  const auto lane = hn::BitCast(
      hn::RebindToSigned<D>(),
      hn::ShiftRight<1>(hn::Iota(bits, hn::TFromD<decltype(bits)>{0})));
  return hn::TableLookupLanes(hn::ZeroExtendVector(d, hn::LoadU(half, from)),
                              hn::IndicesFromVec(d, lane));
}

// Pairs (2j, 2j + 1) as they lie: y = fma(x, [c, c], swapped x * [-s, s]).
template <class E>
struct InterleavedRotator : RotatorBase<E, 1, 1> {
  using T = Compute<E>;
  static constexpr std::size_t kMinLanes = 2;
  T sign;

  template <class D, class V>
  HWY_INLINE void Load(D d, const T* cos, const T* sin, V& c, V& s) const {
    const V signs = hn::OddEven(hn::Set(d, sign), hn::Set(d, -sign));
    c = LoadTwice(d, cos);
    s = hn::Mul(LoadTwice(d, sin), signs);
  }
  template <class D, class V>
  HWY_INLINE void Rotate(D d, const E* in, const E*, E* out, V c, V s) const {
    const V x = Widen(d, in);
    Narrow(hn::MulAdd(x, c, hn::Mul(hn::Reverse2(d, x), s)), d, out);
  }
};

// [x_0, x_0, x_2, x_2, ...], or with kOdd [x_1, x_1, x_3, x_3, ...]. x86 has
// instructions that do that while they load, on no port that computes.
template <bool kOdd, class D>
HWY_INLINE hn::Vec<D> LoadHalfTwice(D d, const float* from) {
  const auto x = hn::LoadU(d, from);
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE4
#if HWY_TARGET <= HWY_AVX3
  if constexpr (sizeof(x) == 64) {
    return hn::Vec<D>{kOdd ? _mm512_movehdup_ps(x.raw)
                           : _mm512_moveldup_ps(x.raw)};
  }
#endif
#if HWY_TARGET <= HWY_AVX2
  if constexpr (sizeof(x) == 32) {
    return hn::Vec<D>{kOdd ? _mm256_movehdup_ps(x.raw)
                           : _mm256_moveldup_ps(x.raw)};
  }
#endif
  if constexpr (sizeof(x) == 16) {
    return hn::Vec<D>{kOdd ? _mm_movehdup_ps(x.raw) : _mm_moveldup_ps(x.raw)};
  }
#endif
  if constexpr (kOdd) return hn::DupOdd(x);
  return hn::DupEven(x);
}

// The rotator of f32: y = fma([x_u, x_u], [c, s], [x_v, x_v] * [-s, c]). It
// loads two vectors for one that it stores: no time is left for operands from
// memory.
template <>
struct InterleavedRotator<float> : RotatorBase<float, 1, 1> {
  static constexpr std::size_t kMostGroups = kFewRegisters ? 4 : 8;
  static constexpr std::size_t kMinLanes = 2;
  float sign;

  template <class D, class V>
  HWY_INLINE void Load(D d, const float* cos, const float* sin, V& by_u,
                       V& by_v) const {
    const V c = LoadTwice(d, cos), s = LoadTwice(d, sin);
    by_u = hn::OddEven(hn::Mul(s, hn::Set(d, sign)), c);
    by_v = hn::OddEven(c, hn::Mul(s, hn::Set(d, -sign)));
  }
  template <class D, class V>
  HWY_INLINE void Rotate(D d, const float* in, const float* again, float* out,
                         V by_u, V by_v) const {
    const V x_u = LoadHalfTwice<false>(d, in);
    const V x_v = LoadHalfTwice<true>(d, again);
    hn::StoreU(hn::MulAdd(x_u, by_u, hn::Mul(x_v, by_v)), d, out);
  }
};

#if HWY_TARGET == HWY_AVX2

// The even and the odd lanes of [a, b], from each 16 bytes those of `a` first.
template <class D, class V>
HWY_INLINE void TakeApart(D d, V a, V b, V& even, V& odd) {
  if constexpr (sizeof(V) == 16 && hn::MaxLanes(D()) < 4) {
    even = hn::InterleaveLower(d, a, b);
    odd = hn::InterleaveUpper(d, a, b);
  } else if constexpr (sizeof(V) == 16) {
    even = hn::ConcatEven(d, b, a);
    odd = hn::ConcatOdd(d, b, a);
  }
  if constexpr (sizeof(V) == 32) {
    even = V{_mm256_shuffle_ps(a.raw, b.raw, 0x88)};
    odd = V{_mm256_shuffle_ps(a.raw, b.raw, 0xdd)};
  }
}

// InterleavedRotator<float> of a stream where registers are few: half as many
// cosines and sines to load or to keep, as two vectors are taken apart and put
// together, for as many shuffles. With 32 registers there is nothing to keep,
// and one port of the two that compute is the only one that shuffles: AVX-512
// on Granite Rapids, 4096 tokens, 0.85 to 0.93 times as fast by it. With 16
// bytes it costs everywhere.
struct SeparatingRotator : RotatorBase<float, 2, 2> {
  float sign;

  // Loads c and s in the order in which TakeApart leaves the pairs.
  template <class D, class V>
  HWY_INLINE void Load(D d, const float* cos, const float* sin, V& c,
                       V& s) const {
    LoadCosSin<float>(d, sign, cos, sin, c, s);
    if constexpr (hn::MaxLanes(D()) > 4) {
      const hn::RebindToSigned<D> index;
      const auto i = hn::Iota(index, 0);
      const auto low = hn::And(i, hn::Set(index, 1));
      const auto is_b = hn::And(i, hn::Set(index, 2));
      const auto block = hn::ShiftLeft<1>(hn::ShiftRight<2>(i));
      const auto b = hn::Mul(
          is_b, hn::Set(index, static_cast<std::int32_t>(hn::Lanes(d) / 4)));
      const auto from = hn::IndicesFromVec(d, hn::Add(hn::Add(low, block), b));
      c = hn::TableLookupLanes(c, from);
      s = hn::TableLookupLanes(s, from);
    }
  }
  template <class D, class V>
  HWY_INLINE void Rotate(D d, const float* in, const float*, float* out, V c,
                         V s) const {
    const std::size_t lanes = hn::Lanes(d);
    const V a = LoadOnce(d, in), b = LoadOnce(d, in + lanes);
    if constexpr (hn::MaxLanes(D()) == 1) {
      hn::StoreU(hn::MulSub(a, c, hn::Mul(b, s)), d, out);
      hn::StoreU(RotatedV<float>(a, b, c, s), d, out + lanes);
    } else {
      V x_u, x_v;
      TakeApart(d, a, b, x_u, x_v);
      const V y_u = hn::MulSub(x_u, c, hn::Mul(x_v, s));
      const V y_v = RotatedV<float>(x_u, x_v, c, s);
      hn::StoreU(hn::InterleaveLower(d, y_u, y_v), d, out);
      hn::StoreU(hn::InterleaveUpper(d, y_u, y_v), d, out + lanes);
    }
  }
};

#endif  // HWY_TARGET == HWY_AVX2

template <>
struct InterleavedRotator<Bf16> : RotatorBase<Bf16, 2, 2> {
  float sign;

  template <class D, class V>
  HWY_INLINE void Load(D d, const float* cos, const float* sin, V& c,
                       V& s) const {
    LoadCosSin<Bf16>(d, sign, cos, sin, c, s);
  }
  template <class D, class V>
  HWY_INLINE void Rotate(D d, const Bf16* in, const Bf16*, Bf16* out, V c,
                         V s) const {
    V x_u, x_v;
    LoadWords(d, in, x_u, x_v);
    StoreWords(hn::MulSub(x_u, c, hn::Mul(x_v, s)),
               RotatedV<Bf16>(x_u, x_v, c, s), d, out);
  }
};

// SplitRotator for bf16, two neighbouring pairs per word: the cosines and sines
// are taken apart once for all heads, the channels not at all.
struct SplitWordsRotator : RotatorBase<Bf16, 4, 2, true> {
  std::size_t distance;
  float sign;

  template <class D, class V>
  HWY_INLINE void Load(D d, const float* cos, const float* sin, V& c_even,
                       V& s_even, V& c_odd, V& s_odd) const {
    const V signs = hn::Set(d, sign);
    hn::LoadInterleaved2(d, cos, c_even, c_odd);
    hn::LoadInterleaved2(d, sin, s_even, s_odd);
    c_even = WithPlainNan(d, c_even);
    c_odd = WithPlainNan(d, c_odd);
    s_even = WithPlainNan(d, hn::Mul(s_even, signs));
    s_odd = WithPlainNan(d, hn::Mul(s_odd, signs));
  }
  template <class D, class V>
  HWY_INLINE void Rotate(D d, const Bf16* in, const Bf16*, Bf16* out, V c_even,
                         V s_even, V c_odd, V s_odd) const {
    V u_even, u_odd, v_even, v_odd;
    LoadWords(d, in, u_even, u_odd);
    LoadWords(d, in + distance, v_even, v_odd);
    StoreWords(hn::MulSub(u_even, c_even, hn::Mul(v_even, s_even)),
               hn::MulSub(u_odd, c_odd, hn::Mul(v_odd, s_odd)), d, out);
    StoreWords(RotatedV<Bf16>(u_even, v_even, c_even, s_even),
               RotatedV<Bf16>(u_odd, v_odd, c_odd, s_odd), d, out + distance);
  }
};

#endif  // HWY_TARGET == HWY_SCALAR

// The rotator of interleaved pairs of a stream.
#if HWY_TARGET == HWY_AVX2
template <class E>
using StreamRotator =
    std::conditional_t<std::is_same_v<E, float>, SeparatingRotator,
                       InterleavedRotator<E>>;
#else
template <class E>
using StreamRotator = InterleavedRotator<E>;
#endif

}  // namespace HWY_NAMESPACE
}  // namespace ropeproof::fast
HWY_AFTER_NAMESPACE();

#endif  // ROPEPROOF_FAST_ROTATE_INL_H_
