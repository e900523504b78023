// packed-inl.h -- rows of cosines and sines, two vectors of doubles rounded into
// one of floats, per SIMD target: a position at a time, or runs of consecutive
// ones. As in angles-inl.h, every result is rounded correctly.
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
  // Which of both are so far from a tie that an error below kHalfWidth last
  // places does not matter: see IsFarFromTie.
  template <std::uint64_t kHalfWidth>
  static HWY_INLINE hn::Mask<U32> AreFarFromTies(V lower, V upper) {
    return IsFarFromTie<kHalfWidth>(U32(), Words(lower, upper));
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

  const auto is_good =
      hn::And(Both::template AreFarFromTies<kQuickHalfWidth>(c_0, c_1),
              Both::template AreFarFromTies<kQuickHalfWidth>(s_0, s_1));
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

// Consecutive positions by addition of angles: with p at the beginning of a run,
//
//     turn(p + a + r) = (turn(p) turn(a)) turn(r),   a a multiple of kSteps.
//
// Error, u = 2^-53, m = 1. turn(p) is off by 4.9u, turn(a) and turn(r) by 3.9u.
// As a vector a product is off by what its factors are, 2^-100 aside, and 3u
// for its two roundings and its sum without FMA: 4.9 + 3.9 + 3 + 3.9 + 3 = 18.7u
// < 19u for the cosine and the sine, absolutely; the 0.3u left hold twice the
// angle's error, 2^-102 of at most 2^43 rad.
//
// - If |cos sin| >= 19 * 2^-16, then both are at least 19 * 2^-16 and 19u are
//   at most 2^-37 of the value: no more than 2^16 last places. The product is
//   formed in f32, whence the threshold's last bits.
// - If p >= 0 and the angle is below an eighth turn, not reduced, then all
//   factors are positive: the sine is off by 19u of itself, the cosine exceeds
//   0.7.
// Elsewhere, about one value in 2,000, the angle is formed directly.
constexpr std::uint64_t kRunHalfWidth = 1 << 16;
constexpr double kCancelled = 0x1.30002p-12;

#if HWY_TARGET != HWY_SCALAR

// Pairs whose run is formed at once.
constexpr std::size_t kRunPairs = 256;

// The beginning of kSteps rows: cos and sin; and what |cos sin| must be at least.
struct Anchors {
  HWY_ALIGN double cos[kRunPairs], sin[kRunPairs];
  HWY_ALIGN float least[kRunPairs];
};

// The product of turn(p), `from`, and turn(kSteps * leap).
template <class D>
HWY_INLINE void Leap(D d64, const Plan& plan, std::size_t pair,
                     std::size_t leap, const Anchors& from, std::size_t i,
                     Anchors& to) {
  const std::size_t at = leap * plan.pairs() + pair;
  const auto c_p = hn::LoadU(d64, from.cos + i);
  const auto s_p = hn::LoadU(d64, from.sin + i);
  const auto c_a = hn::LoadU(d64, plan.leap_cos() + at);
  const auto s_a = hn::LoadU(d64, plan.leap_sin() + at);
  hn::StoreU(hn::MulSub(c_p, c_a, hn::Mul(s_p, s_a)), d64, to.cos + i);
  hn::StoreU(hn::MulAdd(s_p, c_a, hn::Mul(c_p, s_a)), d64, to.sin + i);
}

// Twice Lanes(d64) pairs of a row, from `pair` on, at position p: anchor i and
// following, turned by `step_cos` and `step_sin`.
template <bool kIsStreamed, bool kIsChecked, class D>
HWY_INLINE void AddStep(D d64, const Plan& plan, std::size_t pair, double p,
                        const Anchors& anchors, std::size_t i,
                        const double* step_cos, const double* step_sin,
                        float* cos, float* sin) {
  using Both = Packed<D>;
  using V = hn::Vec<D>;
  const typename Both::F32 d32;
  const typename Both::U32 u32;
  const std::size_t lanes = hn::Lanes(d64);
  V c_0, s_0, c_1, s_1;
  const auto add = [&](std::size_t k, V& c, V& s) ROPEPROOF_FAST_LAMBDA {
    const V c_a = hn::LoadU(d64, anchors.cos + i + k);
    const V s_a = hn::LoadU(d64, anchors.sin + i + k);
    const V c_r = hn::LoadU(d64, step_cos + k);
    const V s_r = hn::LoadU(d64, step_sin + k);
    c = hn::MulSub(c_a, c_r, hn::Mul(s_a, s_r));
    s = hn::MulAdd(s_a, c_r, hn::Mul(c_a, s_r));
  };
  add(0, c_0, s_0);
  add(lanes, c_1, s_1);
  auto c = Both::Floats(c_0, c_1), s = Both::Floats(s_0, s_1);
  const auto is_apart =
      hn::Ge(hn::Abs(hn::Mul(c, s)), hn::LoadU(d32, anchors.least + i));
  const auto is_good =
      hn::And(hn::And(Both::template AreFarFromTies<kRunHalfWidth>(c_0, c_1),
                      Both::template AreFarFromTies<kRunHalfWidth>(s_0, s_1)),
              hn::RebindMask(u32, is_apart));
  if (kIsChecked && HWY_UNLIKELY(!hn::AllTrue(u32, is_good))) {
    HWY_ALIGN float buffer[2 * hn::MaxLanes(d32)];
    float* again = buffer + hn::MaxLanes(d32);
    FormRow(plan, pair, 2 * lanes, p, plan.amplitudes() + pair, buffer, again);
    c = hn::Load(d32, buffer);
    s = hn::Load(d32, again);
  }
  if constexpr (kIsStreamed) {  // a line once, not again to mend it
    hn::Stream(c, d32, cos);
    hn::Stream(s, d32, sin);
  } else {
    hn::StoreU(c, d32, cos);
    hn::StoreU(s, d32, sin);
  }
}

// Pairs [pair, pair + n), n <= kRunPairs and a multiple of 2 Lanes(d64), at
// positions p, p + 1, ..., p + rows - 1; rows are `stride` apart. Not kIsChecked:
// without looking for ties, to measure what that costs.
template <bool kIsStreamed, bool kIsChecked, class D>
HWY_INLINE void FormRunPairs(D d64, const Plan& plan, std::size_t pair,
                             std::size_t n, double p, std::size_t rows,
                             std::size_t stride, float* cos, float* sin) {
  using V = hn::Vec<D>;
  const hn::Rebind<float, D> d32;
  const std::size_t lanes = hn::Lanes(d64), pairs = plan.pairs();
  const double* HWY_RESTRICT hi = plan.turns_hi() + pair;
  const double* HWY_RESTRICT lo = plan.turns_lo() + pair;
  const V m = hn::Set(d64, plan.amplitude());
  Anchors first, anchors;
  for (std::size_t i = 0; i < n; i += lanes) {
    V c, s;
    CosSinTurns<false>(d64, hn::Set(d64, p), hn::LoadU(d64, hi + i),
                       hn::LoadU(d64, lo + i), c, s);
    hn::StoreU(hn::Mul(c, m), d64, first.cos + i);
    hn::StoreU(hn::Mul(s, m), d64, first.sin + i);
  }
  const V limit =
      hn::Set(d64, kCancelled * plan.amplitude() * plan.amplitude());
  for (std::size_t begin = 0; begin < rows; begin += Plan::kSteps) {
    const std::size_t end = std::min(rows, begin + Plan::kSteps);
    const V last = hn::Set(d64, p + static_cast<double>(begin + Plan::kSteps));
    for (std::size_t i = 0; i < n; i += lanes) {
      Leap(d64, plan, pair + i, begin / Plan::kSteps, first, i, anchors);
      const auto is_small = hn::Lt(hn::Mul(hn::LoadU(d64, hi + i), last),
                                   hn::Set(d64, 0.125 * (1 - 0x1p-40)));
      const V least = p >= 0 ? hn::IfThenZeroElse(is_small, limit) : limit;
      hn::StoreU(hn::DemoteTo(d32, least), d32, anchors.least + i);
    }
    const double* step_cos = plan.step_cos() + pair;
    const double* step_sin = plan.step_sin() + pair;
    for (std::size_t r = begin; r < end; ++r) {
      const double here = p + static_cast<double>(r);
      for (std::size_t i = 0; i < n; i += 2 * lanes) {
        AddStep<kIsStreamed, kIsChecked>(d64, plan, pair + i, here, anchors, i,
                                         step_cos + i, step_sin + i, cos + i,
                                         sin + i);
      }
      step_cos += pairs;
      step_sin += pairs;
      cos += stride;
      sin += stride;
    }
  }
}

#endif  // HWY_TARGET != HWY_SCALAR

// Pairs [first, first + n) of a plan at consecutive positions.
template <bool kIsStreamed, bool kIsChecked>
HWY_INLINE void FormRunTo(const Plan& plan, std::size_t first, std::size_t n,
                          double p, std::size_t rows, std::size_t stride,
                          float* cos, float* sin) {
  std::size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  i = ForEachPacked(n, [&](auto d64, std::size_t at) ROPEPROOF_FAST_LAMBDA {
    const std::size_t pairs = 2 * hn::Lanes(d64);
    const std::size_t count = std::min(n - at, kRunPairs) / pairs * pairs;
    FormRunPairs<kIsStreamed, kIsChecked>(d64, plan, first + at, count, p, rows,
                                          stride, cos + at, sin + at);
    return count;
  });
#endif
  for (; i < n; ++i) {  // the pairs that are left, without SIMD all of them
    for (std::size_t r = 0; r < rows; ++r) {
      FormPairs(hn::CappedTag<double, 1>(), plan, first + i,
                p + static_cast<double>(r), cos + r * stride + i,
                sin + r * stride + i);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace ropeproof::fast
HWY_AFTER_NAMESPACE();

#endif  // ROPEPROOF_FAST_PACKED_INL_H_
