// packed-inl.h -- rows of cosines and sines at any position, two vectors of
// doubles rounded into one of floats, per SIMD target. As in angles-inl.h, every
// result is rounded correctly.
#if defined(ROPEPROOF_FAST_PACKED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROPEPROOF_FAST_PACKED_INL_H_
#undef ROPEPROOF_FAST_PACKED_INL_H_
#else
#define ROPEPROOF_FAST_PACKED_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "fast/angles-inl.h"
#include "fast/plan.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace ropeproof::fast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

// Whether Packed takes parts of vectors: not on SVE_256, where ConcatEven of
// Highway 1.0.3 takes the lower half of whole vectors whatever its tag says.
constexpr bool kPacksParts = HWY_TARGET != HWY_SVE_256;

// Two vectors of doubles, and what floats and words of both make up.
template <class D>
struct Packed {
  using V = hn::Vec<D>;
  using F32 = hn::Repartition<float, D>;
  using U32 = hn::RebindToUnsigned<F32>;

  // Rounded to nearest.
  static HWY_INLINE hn::Vec<F32> Floats(V lower, V upper) {
    const hn::Rebind<float, D> half;
    const auto lower_half = hn::DemoteTo(half, lower);
    const auto upper_half = hn::DemoteTo(half, upper);
#if HWY_TARGET <= HWY_AVX3
    if constexpr (sizeof(V) == 64) {  // Combine clears the upper half first
      return hn::Vec<F32>{_mm512_insertf32x8(
          _mm512_castps256_ps512(lower_half.raw), upper_half.raw, 1)};
    }
#endif
    return hn::Combine(F32(), upper_half, lower_half);
  }
  // Their low words.
  static HWY_INLINE hn::Vec<U32> Words(V lower, V upper) {
    const U32 u32;
    return hn::ConcatEven(u32, hn::BitCast(u32, upper),
                          hn::BitCast(u32, lower));
  }
  // Which of `among` are so far from a tie that an error below kHalfWidth last
  // places does not matter: see IsFarFromTie.
  template <std::uint64_t kHalfWidth>
  static HWY_INLINE hn::Mask<U32> AreFarFromTies(hn::Mask<U32> among, V lower,
                                                 V upper) {
    return IsFarFromTie<kHalfWidth>(U32(), among, Words(lower, upper));
  }
};

// Calls body(d64, at) for as long as twice Lanes(d64) of n pairs are left, with full
// vectors first, then with parts of them. It forms pairs from `at` on and returns
// how many. Returns how many pairs were formed.
template <class Body>
HWY_INLINE std::size_t ForEachPacked(std::size_t n, const Body& body) {
  std::size_t at = 0;
  const auto run = [&](auto d64) ROPEPROOF_FAST_LAMBDA {
    while (at + 2 * hn::Lanes(d64) <= n) at += body(d64, at);
  };
  const hn::ScalableTag<double> d64;
  run(d64);
  if constexpr (kPacksParts && hn::MaxLanes(d64) > 4) {
    run(hn::CappedTag<double, 4>());
  }
  if constexpr (kPacksParts && hn::MaxLanes(d64) > 2) {
    run(hn::CappedTag<double, 2>());
  }
  return at;
}

// m cos and m sin of twice Lanes(d64) pairs at one position, for at most 2^31
// quarter turns. kHasAmplitude: else m is 1.
template <bool kHasAmplitude, class D, class V = hn::Vec<D>>
HWY_INLINE void FormPacked(D d64, V position, const double* hi,
                           const double* lo, const double* amplitude,
                           float* cos, float* sin) {
  using Both = Packed<D>;
  const typename Both::F32 d32;
  const typename Both::U32 u32;
  const std::size_t lanes = hn::Lanes(d64);
  V c_0, s_0, n_0, c_1, s_1, n_1;
  const auto form = [&](std::size_t i, V& c, V& s, V& n) ROPEPROOF_FAST_LAMBDA {
    hn::Vec<hn::RebindToUnsigned<D>> quadrant;
    const V rest = ReduceAngle<true>(d64, position, hn::LoadU(d64, hi + i),
                                     hn::LoadU(d64, lo + i), quadrant);
    n = hn::BitCast(d64, quadrant);
    QuickCosSinQuarter(d64, rest, c, s);
    if constexpr (kHasAmplitude) {
      const V m = hn::LoadU(d64, amplitude + i);
      c = hn::Mul(c, m);
      s = hn::Mul(s, m);
    }
  };
  form(0, c_0, s_0, n_0);
  form(lanes, c_1, s_1, n_1);

  // A quarter turn maps (cos, sin) to (-sin, cos).
  const auto n = Both::Words(n_0, n_1);
  const auto c = Both::Floats(c_0, c_1), s = Both::Floats(s_0, s_1);
  const auto sign_bit = hn::Set(u32, 0x80000000u);
  const auto is_odd = hn::RebindMask(d32, hn::TestBit(n, hn::Set(u32, 1u)));
  const auto sign = hn::BitCast(d32, hn::And(hn::ShiftLeft<30>(n), sign_bit));
  const auto minus_s = hn::Xor(s, hn::BitCast(d32, sign_bit));
  hn::StoreU(hn::Xor(hn::IfThenElse(is_odd, minus_s, c), sign), d32, cos);
  hn::StoreU(hn::Xor(hn::IfThenElse(is_odd, c, s), sign), d32, sin);

  auto is_good = hn::FirstN(u32, hn::Lanes(u32));
  is_good = Both::template AreFarFromTies<kQuickHalfWidth>(is_good, c_0, c_1);
  is_good = Both::template AreFarFromTies<kQuickHalfWidth>(is_good, s_0, s_1);
  if (HWY_LIKELY(hn::AllTrue(u32, is_good))) return;
  for (std::size_t i = 0; i <= lanes; i += lanes) {
    FormChunk<true>(d64, position, hi + i, lo + i, amplitude + i, cos + i,
                    sin + i);
  }
}

#endif  // HWY_TARGET != HWY_SCALAR

// Pairs [first, first + n) of a plan at one position. Two vectors at a time, then
// narrower ones; what is left, without SIMD all pairs, singly.
template <bool kHasAmplitude>
HWY_INLINE void FormNearRow(const Plan& plan, std::size_t first, std::size_t n,
                            double position, const double* amplitude,
                            float* cos, float* sin) {
  const double* hi = plan.turns_hi() + first;
  const double* lo = plan.turns_lo() + first;
  std::size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  i = ForEachPacked(n, [&](auto d64, std::size_t at) ROPEPROOF_FAST_LAMBDA {
    FormPacked<kHasAmplitude>(d64, hn::Set(d64, position), hi + at, lo + at,
                              amplitude + at, cos + at, sin + at);
    return 2 * hn::Lanes(d64);
  });
#endif
  for (; i < n; ++i) {
    const hn::CappedTag<double, 1> one;
    FormChunk<true>(one, hn::Set(one, position), hi + i, lo + i, amplitude + i,
                    cos + i, sin + i);
  }
}

HWY_NOINLINE inline void FormRow(const Plan& plan, std::size_t first,
                                 std::size_t n, double position,
                                 const double* amplitude, float* cos,
                                 float* sin) {
  if (std::abs(position) * plan.most_turns() > 0x1p29) {
    ForEachChunk<double>(n, [&](auto d64, std::size_t i) HWY_ATTR {
      FormChunk<false>(d64, hn::Set(d64, position), plan.turns_hi() + first + i,
                       plan.turns_lo() + first + i, amplitude + i, cos + i,
                       sin + i);
    });
  } else if (amplitude == plan.amplitudes() + first && plan.amplitude() == 1) {
    FormNearRow<false>(plan, first, n, position, amplitude, cos, sin);
  } else {
    FormNearRow<true>(plan, first, n, position, amplitude, cos, sin);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace ropeproof::fast
HWY_AFTER_NAMESPACE();

#endif  // ROPEPROOF_FAST_PACKED_INL_H_
