// packed-inl.h -- rows of cosines and sines at any position, two vectors of
// doubles rounded into one of floats, per SIMD target. As in angles-inl.h,
// every result is rounded correctly.
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

// Rows of n pairs, one at a fourth of each number of `fourfold`, a vector of
// doubles at a time. Out of line: it is hardly ever called, and inlining it
// costs registers on the hot path.
template <bool kIsNear>
HWY_NOINLINE void FormChunks(const double* hi, const double* lo, std::size_t n,
                             const double* fourfold, std::size_t rows,
                             std::size_t stride, const double* amplitude,
                             float* cos, float* sin) {
  for (std::size_t r = 0; r < rows; ++r) {
    ForEachChunk<double>(n, [&](auto d64, std::size_t i) HWY_ATTR {
      FormChunk<kIsNear>(d64, hn::Set(d64, 0.25 * fourfold[r]), hi + i, lo + i,
                         amplitude + i, cos + r * stride + i,
                         sin + r * stride + i);
    });
  }
}

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
  // The low words of both vectors.
  static HWY_INLINE hn::Vec<U32> Words(V lower, V upper) {
    const U32 u32;
    return hn::ConcatEven(u32, hn::BitCast(u32, upper),
                          hn::BitCast(u32, lower));
  }
  // Whether all of `among` are true and all cosines and sines so far from a tie
  // that an error below kHalfWidth ulp of the double is none: IsFarFromTie.
  template <std::uint64_t kHalfWidth>
  static HWY_INLINE bool AllAreFarFromTies(hn::Mask<U32> among, V c_0, V c_1,
                                           V s_0, V s_1) {
    const U32 u32;
    const auto c = AnyWords(c_0, c_1), s = AnyWords(s_0, s_1);
#if HWY_TARGET <= HWY_AVX3
    among = IsFarFromTie<kHalfWidth>(u32, among, c);
    return hn::AllTrue(u32, IsFarFromTie<kHalfWidth>(u32, among, s));
#else  // one comparison less
    const auto bits = hn::Set(u32, kFarBits<kHalfWidth>);
    const auto least = hn::Min(hn::And(MovedFromTie<kHalfWidth>(u32, c), bits),
                               hn::And(MovedFromTie<kHalfWidth>(u32, s), bits));
    return hn::AllTrue(u32, hn::AndNot(hn::Eq(least, hn::Zero(u32)), among));
#endif
  }

 private:
  // The low words of both vectors, in any order.
  static HWY_INLINE hn::Vec<U32> AnyWords(V lower, V upper) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
    if constexpr (sizeof(V) == 32) {
      return hn::Vec<U32>{_mm256_castps_si256(_mm256_shuffle_ps(
          _mm256_castpd_ps(lower.raw), _mm256_castpd_ps(upper.raw), 0x88))};
    }
#endif
    return Words(lower, upper);
  }
};

// Calls body(d64, at), which forms pairs from `at` on and returns how many,
// while at least 2 Lanes(d64) of the n pairs are left: first with full vectors,
// then with parts of them. Returns how many pairs were formed in all.
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

// x ^ (a & b).
template <class V>
HWY_INLINE V XorAnd(V x, V a, V b) {
#if HWY_TARGET <= HWY_AVX3
  if constexpr (sizeof(V) == 64) {
    constexpr int kXorAnd = 0xf0 ^ (0xcc & 0xaa);
    return V{_mm512_ternarylogic_epi32(x.raw, a.raw, b.raw, kXorAnd)};
  }
#endif
  return hn::Xor(x, hn::And(a, b));
}

// m cos and m sin of twice Lanes(d64) pairs at one position, given fourfold as
// ReduceNearAngle takes it. kHasAmplitude: else m is 1.
template <bool kHasAmplitude, class D, class V = hn::Vec<D>>
HWY_INLINE void FormPacked(D d64, V fourfold, const double* hi,
                           const double* lo, const double* amplitude,
                           float* cos, float* sin) {
  using Both = Packed<D>;
  const typename Both::F32 d32;
  const typename Both::U32 u32;
  const std::size_t lanes = hn::Lanes(d64);
  // Reducing both vectors first is faster than one after the other.
  hn::Vec<hn::RebindToUnsigned<D>> n_0, n_1;
  const V remainder_0 = ReduceNearAngle(d64, fourfold, hn::LoadU(d64, hi),
                                        hn::LoadU(d64, lo), n_0);
  const V remainder_1 =
      ReduceNearAngle(d64, fourfold, hn::LoadU(d64, hi + lanes),
                      hn::LoadU(d64, lo + lanes), n_1);
  V c_0, s_0, c_1, s_1;
  QuickCosSinOfRemainders(d64, remainder_0, remainder_1, c_0, s_0, c_1, s_1);
  if constexpr (kHasAmplitude) {
    const V m_0 = hn::LoadU(d64, amplitude);
    const V m_1 = hn::LoadU(d64, amplitude + lanes);
    c_0 = hn::Mul(c_0, m_0);
    s_0 = hn::Mul(s_0, m_0);
    c_1 = hn::Mul(c_1, m_1);
    s_1 = hn::Mul(s_1, m_1);
  }

  // A quarter circle maps (cos, sin) to (-sin, cos).
  const auto n = Both::Words(hn::BitCast(d64, n_0), hn::BitCast(d64, n_1));
  const auto c = Both::Floats(c_0, c_1), s = Both::Floats(s_0, s_1);
  const auto sign_bit = hn::Set(u32, 0x80000000u);
  const auto is_odd = hn::RebindMask(d32, hn::TestBit(n, hn::Set(u32, 1u)));
  const auto sign = hn::ShiftLeft<30>(n);
  const auto minus_s = hn::Xor(s, hn::BitCast(d32, sign_bit));
  const auto store = [&](auto x, float* to) ROPEPROOF_FAST_LAMBDA {
    const auto with_sign = XorAnd(hn::BitCast(u32, x), sign, sign_bit);
    hn::StoreU(hn::BitCast(d32, with_sign), d32, to);
  };
  store(hn::IfThenElse(is_odd, minus_s, c), cos);
  store(hn::IfThenElse(is_odd, c, s), sin);

  const auto all = hn::FirstN(u32, hn::Lanes(u32));
  if (HWY_LIKELY(Both::template AllAreFarFromTies<kQuickHalfWidth>(
          all, c_0, c_1, s_0, s_1))) {
    return;
  }
  const double once = hn::GetLane(fourfold);
  FormChunks<true>(hi, lo, 2 * lanes, &once, 1, 0, amplitude, cos, sin);
}

#endif  // HWY_TARGET != HWY_SCALAR

// Pairs [first, first + n) of a plan at `rows` positions, rows `stride` apart,
// for at most 2^31 quarter circles. Two vectors at a time, then narrower ones;
// what is left, without SIMD all pairs, singly.
template <bool kHasAmplitude>
HWY_INLINE void FormNearRows(const Plan& plan, std::size_t first, std::size_t n,
                             const double* fourfold, std::size_t rows,
                             std::size_t stride, const double* amplitude,
                             float* cos, float* sin) {
  const double* hi = plan.circles_hi() + first;
  const double* lo = plan.circles_lo() + first;
  std::size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  i = ForEachPacked(n, [&](auto d64, std::size_t at) ROPEPROOF_FAST_LAMBDA {
    for (std::size_t r = 0; r < rows; ++r) {
      FormPacked<kHasAmplitude>(d64, hn::Set(d64, fourfold[r]), hi + at,
                                lo + at, amplitude + at, cos + r * stride + at,
                                sin + r * stride + at);
    }
    return 2 * hn::Lanes(d64);
  });
  if (HWY_LIKELY(i == n)) return;
#endif
  FormChunks<true>(hi + i, lo + i, n - i, fourfold, rows, stride, amplitude + i,
                   cos + i, sin + i);
}

HWY_NOINLINE inline void FormNearRow(const Plan& plan, std::size_t first,
                                     std::size_t n, double position,
                                     const double* amplitude, float* cos,
                                     float* sin) {
  const double fourfold = 4 * position;
  FormNearRows<true>(plan, first, n, &fourfold, 1, 0, amplitude, cos, sin);
}

// The less common cases are out of line, as above.
HWY_NOINLINE inline void FormRow(const Plan& plan, std::size_t first,
                                 std::size_t n, double position,
                                 const double* amplitude, float* cos,
                                 float* sin) {
  const double fourfold = 4 * position;
  if (!IsNear(plan, position)) {
    return FormChunks<false>(plan.circles_hi() + first,
                             plan.circles_lo() + first, n, &fourfold, 1, 0,
                             amplitude, cos, sin);
  }
  if (amplitude != plan.amplitudes() + first || plan.amplitude() != 1) {
    return FormNearRow(plan, first, n, position, amplitude, cos, sin);
  }
  FormNearRows<false>(plan, first, n, &fourfold, 1, 0, amplitude, cos, sin);
}

// Rows at any positions, at most Plan::kRun, of the plan's amplitude.
HWY_NOINLINE inline void FormRowsAt(const Plan& plan, std::size_t first,
                                    std::size_t n, const double* position,
                                    std::size_t rows, std::size_t stride,
                                    float* cos, float* sin) {
  const double* amplitude = plan.amplitudes() + first;
  double fourfold[Plan::kRun];
  std::transform(position, position + rows, fourfold,
                 [](double p) { return 4 * p; });
  if (!AreNear(plan, position, rows)) {
    for (std::size_t r = 0; r < rows; ++r) {
      FormRow(plan, first, n, position[r], amplitude, cos + r * stride,
              sin + r * stride);
    }
  } else if (plan.amplitude() == 1) {
    FormNearRows<false>(plan, first, n, fourfold, rows, stride, amplitude, cos,
                        sin);
  } else {
    FormNearRows<true>(plan, first, n, fourfold, rows, stride, amplitude, cos,
                       sin);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace ropeproof::fast
HWY_AFTER_NAMESPACE();

#endif  // ROPEPROOF_FAST_PACKED_INL_H_
