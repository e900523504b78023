// angles-inl.h -- cosines and sines of (R2), per SIMD target.
//
// Every f32 result that is not subnormal is the real number m cos(phi) or m
// sin(phi) rounded correctly: a value that its error might carry across a tie
// is formed again in double-double. So no bit depends on the SIMD target, or on
// which of the paths in README.md formed the angle.
//
// Included once per target by angles.cc (Highway's foreach_target), hence the
// unusual guard.
#if defined(ROPEPROOF_FAST_ANGLES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROPEPROOF_FAST_ANGLES_INL_H_
#undef ROPEPROOF_FAST_ANGLES_INL_H_
#else
#define ROPEPROOF_FAST_ANGLES_INL_H_
#endif

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "fast/elements-inl.h"
#include "fast/exact_cos_sin.h"
#include "fast/plan.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace ropeproof::fast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// x splits exactly into a high part of 26 bits, which is returned, and a low
// part of 26 bits with a sign (Veltkamp).
template <class V>
HWY_INLINE V HighPart(V x) {
  const auto scaled = hn::Mul(x, hn::Set(hn::DFromV<V>(), 0x1p27 + 1));
  return hn::Sub(scaled, hn::Sub(scaled, x));
}

// a * b - product, exactly, where product = Mul(a, b).
template <class V>
HWY_INLINE V ProductError(V a, V b, V product) {
#if HWY_NATIVE_FMA
  return hn::MulSub(a, b, product);
#else  // Dekker
  const V a_hi = HighPart(a), a_lo = hn::Sub(a, a_hi);
  const V b_hi = HighPart(b), b_lo = hn::Sub(b, b_hi);
  V error = hn::Sub(hn::Mul(a_hi, b_hi), product);
  error = hn::Add(error, hn::Mul(a_hi, b_lo));
  error = hn::Add(error, hn::Mul(a_lo, b_hi));
  return hn::Add(error, hn::Mul(a_lo, b_lo));
#endif
}

// Adding it rounds to an integer; the low bits of the sum hold it mod 4.
constexpr double kMagic = 0x1.8p52;

// Range reduction. The angle of `position` * (hi + lo) full circles is
// `quadrant` quarter circles (its low two bits count) plus `remainder` quarter
// circles, |remainder| <= 1/2 + 2^-21. Every |position| <= 2^53 is exact. This
// one is for at most 2^31 quarter circles, given four times the position.
//
// With the plan, whose (hi, lo) is within 6*2^-106 + 2^-107 of the given
// theta/(2 pi), itself within 2^-104 of the true one, the angle is off by less
// than (1.65 * 2^-103) |phi|.  -> kAngleBound
//
// Error of `remainder` besides, u = 2^-53: at most 3u, without FMA 5u,
// relative, so that no sine next to zero shows how it was formed. Let 2^k be
// the product of the powers of two next below |fourfold| and |hi|.
//   P = fourfold * hi   a multiple of 2^(k - 104); so is P - N, N an integer
//   d                   P - N, rounded once; exact if |d| <= 2^(k - 51)
//   |fourfold * lo|     at most 2^(k - 52), as |lo| <= 2^-53 next to hi's power
// So where d is not exact it is more than twice what is added to it, and its
// rounding is less than 2u |remainder|. The sum, by FMA, is rounded once.
// Without FMA the product with lo is exact as a sum of two. Adding the first to
// d is off by u of that sum, which is all of `remainder` but the second, at
// most u of the first: where that counts, d is the opposite of the first within
// a factor of 2, and the sum is exact. Else it adds another 2u.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ReduceNearAngle(D d64, V fourfold, V hi, V lo,
                             hn::Vec<hn::RebindToUnsigned<D>>& quadrant) {
  const V magic = hn::Set(d64, kMagic);
#if HWY_NATIVE_FMA
  const V shifted = hn::MulAdd(fourfold, hi, magic);
  // Not MulSub: where all is zero, +0, as without FMA.
  const V d = hn::MulAdd(fourfold, hi, hn::Sub(magic, shifted));
  const V remainder = hn::MulAdd(fourfold, lo, d);
#else
  const V product = hn::Mul(fourfold, hi);
  const V shifted = hn::Add(product, magic);
  const V d = hn::Add(hn::Sub(product, hn::Sub(shifted, magic)),
                      ProductError(fourfold, hi, product));
  const V lesser = hn::Mul(fourfold, lo);
  const V remainder =
      hn::Add(hn::Add(d, lesser), ProductError(fourfold, lo, lesser));
#endif
  quadrant = hn::BitCast(hn::RebindToUnsigned<D>(), shifted);
  return remainder;
}

// Range reduction for at most 2^51 quarter circles, given the position.
// `remainder` is formed as ReduceNearAngle does without FMA, with that error.
// At most 1/2 of the product is left; what lies below it, up to 1/4 each, may
// take that past 1/2 again.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ReduceAngle(D d64, V position, V hi, V lo,
                         hn::Vec<hn::RebindToUnsigned<D>>& quadrant) {
  const V fourfold = hn::Mul(position, hn::Set(d64, 4.0));
  const V product = hn::Mul(fourfold, hi);
  const V error = ProductError(fourfold, hi, product);
  const V lesser = hn::Mul(fourfold, lo);
  const V whole = hn::Round(product);
  const V left = hn::Sub(product, whole);
  const V more = hn::Round(hn::Add(left, hn::Add(error, lesser)));
  const V shifted = hn::Add(hn::Add(whole, more), hn::Set(d64, kMagic));
  quadrant = hn::BitCast(hn::RebindToUnsigned<D>(), shifted);
  const V d = hn::Add(hn::Sub(left, more), error);
  return hn::Add(hn::Add(d, lesser), ProductError(fourfold, lo, lesser));
}

// cos and sin of a quarter circle times `remainder`, by minimax polynomials;
// |remainder| <= 1/2 + 2^-21.
//
// Error, relative to the value, u = 2^-53, without FMA (with it, less):
//     sin   2^-54.4 the polynomial's, 1.5u its evaluation, u the product
//     cos   2^-53.8 the polynomial's, 2.3u its evaluation
// `remainder` is off by 5u, which is at most 5u in the result. Sum: 7.9u, the
// amplitude included 8.9u.  -> kCosSinBound
//
// Coefficients: Sollya, d = [2^-12; 1/2 + 2^-40], D = binary64:
//   sin  fpminimax(sin(pi/2*x)/x, [|0,2,4,6,8,10,12|], [|D...|], d, relative)
//   cos  fpminimax(cos(pi/2*x), [|2,4,6,8,10,12|], [|D...|], d, relative,
//        floating, 1)
// and the errors: supnorm(polynomial, function, [0; 1/2 + 2^-21], relative,
// 2^-10), a proof.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void CosSinOfRemainder(D d64, V remainder, V& cos, V& sin) {
  const V z = hn::Mul(remainder, remainder);
  const auto next = [&](V sum, double coefficient) HWY_ATTR {
    return hn::MulAdd(sum, z, hn::Set(d64, coefficient));
  };
  V s = hn::Set(d64, 0x1.e357ef99c0be6p-25);
  s = next(s, -0x1.e2fe76fdff88ap-19);
  s = next(s, 0x1.50782d5f14823p-13);
  s = next(s, -0x1.32d2ccdfe9424p-8);
  s = next(s, 0x1.466bc67754fffp-4);
  s = next(s, -0x1.4abbce625be09p-1);
  s = next(s, 0x1.921fb54442d18p+0);
  sin = hn::Mul(s, remainder);

  V c = hn::Set(d64, 0x1.f3dca85319f23p-22);
  c = next(c, -0x1.a6c9c96ed087fp-16);
  c = next(c, 0x1.e1f4fb8227887p-11);
  c = next(c, -0x1.55d3c7dc3b7f3p-6);
  c = next(c, 0x1.03c1f081b0e01p-2);
  c = next(c, -0x1.3bd3cc9be459dp+0);
  cos = next(c, 1.0);
}

// CosSinOfRemainder by polynomials of a term less each.
//
// Error, relative to the value: sin 2^-47.6 the polynomial's, cos 2^-43.6, and
// besides that 5u for the angle, less than 4u for the evaluation, u for the
// amplitude: less than 2^-43.5.  -> kQuickCosSinBound
// That is less than 2^10 ulp.
//
// Coefficients: Sollya, as for CosSinOfRemainder with a monomial less each;
// errors:
//   sin  supnorm(x*p, sin(pi/2*x), [2^-10; 1/2 + 2^-21], relative, 2^-10),
//        below 2^-10 the constant term alone is off by 2^-47.6
//   cos  supnorm(p, cos(pi/2*x), [0; 1/2 + 2^-21], relative, 2^-10)
constexpr std::uint64_t kQuickHalfWidth = 1 << 10;

// Two of them, their terms alternating, since each term waits for the last one.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void QuickCosSinOfRemainders(D d64, V remainder_0, V remainder_1,
                                        V& cos_0, V& sin_0, V& cos_1,
                                        V& sin_1) {
  const V z_0 = hn::Mul(remainder_0, remainder_0),
          z_1 = hn::Mul(remainder_1, remainder_1);
  V s_0 = hn::Set(d64, -0x1.dd4e0ae5b9ad6p-19), s_1 = s_0;
  V c_0 = hn::Set(d64, -0x1.a0f36a88fca7p-16), c_1 = c_0;
  const auto next = [&](double of_sin, double of_cos) HWY_ATTR {
    const V a = hn::Set(d64, of_sin), b = hn::Set(d64, of_cos);
    s_0 = hn::MulAdd(s_0, z_0, a);
    c_0 = hn::MulAdd(c_0, z_0, b);
    s_1 = hn::MulAdd(s_1, z_1, a);
    c_1 = hn::MulAdd(c_1, z_1, b);
  };
  next(0x1.5071be0a2d3d5p-13, 0x1.e1e7f58583592p-11);
  next(-0x1.32d2c627f47dap-8, -0x1.55d3ba9dbbd1dp-6);
  next(0x1.466bc670fa464p-4, 0x1.03c1f075dd9c1p-2);
  next(-0x1.4abbce6257778p-1, -0x1.3bd3cc9bd6839p+0);
  next(0x1.921fb54442cf8p+0, 1.0);
  cos_0 = c_0;
  cos_1 = c_1;
  sin_0 = hn::Mul(s_0, remainder_0);
  sin_1 = hn::Mul(s_1, remainder_1);
}

// cos and sin of the whole angle: a quarter circle maps (cos, sin) to
// (-sin, cos). At most 2^51 quarter circles; kIsNear: 2^31.
template <bool kIsNear, class D, class V = hn::Vec<D>>
HWY_INLINE void CosSinOfAngle(D d64, V position, V hi, V lo, V& cos, V& sin) {
  const hn::RebindToUnsigned<D> u64;
  hn::Vec<decltype(u64)> quadrant;
  V remainder, c, s;
  if constexpr (kIsNear) {
    remainder = ReduceNearAngle(d64, hn::Mul(position, hn::Set(d64, 4.0)), hi,
                                lo, quadrant);
  } else {
    remainder = ReduceAngle(d64, position, hi, lo, quadrant);
  }
  CosSinOfRemainder(d64, remainder, c, s);

  const auto one = hn::Set(u64, 1);
  const auto sign_bit = hn::Set(u64, std::uint64_t{1} << 63);
  // Bit 1 of n is the sign of sin, bit 1 of n + 1 that of cos.
  const auto sign_of = [&](auto n) HWY_ATTR {
    return hn::BitCast(d64, hn::And(hn::ShiftLeft<62>(n), sign_bit));
  };
  const auto odd = hn::RebindMask(d64, hn::TestBit(quadrant, one));
  cos = hn::Xor(hn::IfThenElse(odd, s, c), sign_of(hn::Add(quadrant, one)));
  sin = hn::Xor(hn::IfThenElse(odd, c, s), sign_of(quadrant));
}

// Which x of `among` have any of `bits`.
template <class DU>
HWY_INLINE hn::Mask<DU> HasAny(DU du, hn::Mask<DU> among, hn::Vec<DU> x,
                               hn::Vec<DU> bits) {
#if HWY_TARGET <= HWY_AVX3
  if constexpr (sizeof(x) == 64 && sizeof(hn::TFromD<DU>) == 4) {
    return {_mm512_mask_test_epi32_mask(among.raw, x.raw, bits.raw)};
  }
  return hn::And(among, hn::TestBit(x, bits));  // for any bits, unlike others
#else
  return hn::And(among, hn::Ne(hn::And(x, bits), hn::Zero(du)));
#endif
}

// The bits of MovedFromTie of which one is set unless the double is within
// kHalfWidth ulp of a tie.
template <std::uint64_t kHalfWidth>
constexpr auto kFarBits = static_cast<std::uint32_t>((std::uint64_t{1} << 29) -
                                                     2 * kHalfWidth);

// The low bits of doubles, 32 at least, moved: those of a tie begin with zeros.
template <std::uint64_t kHalfWidth, class DU>
HWY_INLINE hn::Vec<DU> MovedFromTie(DU du, hn::Vec<DU> low) {
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 28;
  return hn::Add(low, hn::Set(du, hn::TFromD<DU>{kHalf + kHalfWidth}));
}

// Which doubles of `among` cannot round to the wrong float if they are off by
// less than kHalfWidth of their ulp, a power of two: those whose low 29 bits,
// which rounding cuts off, are not that close to a half.
template <std::uint64_t kHalfWidth, class DU>
HWY_INLINE hn::Mask<DU> IsFarFromTie(DU du, hn::Mask<DU> among,
                                     hn::Vec<DU> low) {
  return HasAny(du, among, MovedFromTie<kHalfWidth>(du, low),
                hn::Set(du, hn::TFromD<DU>{kFarBits<kHalfWidth>}));
}

// kCosSinBound = 8.9u of |y| is at most 8.9 ulp of the double y.
constexpr std::uint64_t kCosSinHalfWidth = 16;

// m cos and m sin of a position per lane. kIsNear: at most 2^31 quarters.
template <bool kIsNear, class D, class V = hn::Vec<D>>
HWY_INLINE void FormChunk(D d64, V position, const double* hi, const double* lo,
                          const double* amplitude, float* cos, float* sin) {
  const hn::Rebind<float, D> d32;
  const hn::RebindToUnsigned<D> u64;
  const V m = hn::LoadU(d64, amplitude), circles = hn::LoadU(d64, hi);
  V c, s;
  CosSinOfAngle<kIsNear>(d64, position, circles, hn::LoadU(d64, lo), c, s);
  c = hn::Mul(c, m);
  s = hn::Mul(s, m);
  hn::StoreU(hn::DemoteTo(d32, c), d32, cos);
  hn::StoreU(hn::DemoteTo(d32, s), d32, sin);
  auto is_good = hn::FirstN(u64, hn::Lanes(u64));
  if constexpr (!kIsNear) {
    const V most = hn::Set(d64, 0x1p49);
    is_good =
        hn::RebindMask(u64, hn::Le(hn::Abs(hn::Mul(position, circles)), most));
  }
  is_good = IsFarFromTie<kCosSinHalfWidth>(u64, is_good, hn::BitCast(u64, c));
  is_good = IsFarFromTie<kCosSinHalfWidth>(u64, is_good, hn::BitCast(u64, s));
  if (HWY_LIKELY(hn::AllTrue(u64, is_good))) return;
  HWY_ALIGN double positions[hn::MaxLanes(d64)];
  hn::StoreU(position, d64, positions);
  for (std::size_t i = 0; i < hn::Lanes(d64); ++i) {
    const CosSin value =
        exact_cos_sin({positions[i], 0}, {hi[i], lo[i]}, amplitude[i]);
    cos[i] = round_to_float(value.cos);
    sin[i] = round_to_float(value.sin);
  }
}

// Whether a position, or each of several, is near for all pairs of a plan: at
// most 2^31 quarter circles.
HWY_INLINE bool IsNear(const Plan& plan, double position) {
  return std::abs(position) * plan.max_circles() <= 0x1p29;
}
inline bool AreNear(const Plan& plan, const double* position,
                    std::size_t count) {
  return std::all_of(position, position + count,
                     [&](double p) { return IsNear(plan, p); });
}

}  // namespace HWY_NAMESPACE
}  // namespace ropeproof::fast
HWY_AFTER_NAMESPACE();

#endif  // ROPEPROOF_FAST_ANGLES_INL_H_
