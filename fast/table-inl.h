// table-inl.h -- cosines and sines of (R2), per SIMD target.
//
// Included once per target by rope_fast.cc (Highway's foreach_target), hence
// the unusual guard.
#if defined(ROPEPROOF_FAST_TABLE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROPEPROOF_FAST_TABLE_INL_H_
#undef ROPEPROOF_FAST_TABLE_INL_H_
#else
#define ROPEPROOF_FAST_TABLE_INL_H_
#endif

#include "fast/chunks-inl.h"
#include "fast/plan.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace ropeproof::fast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// x splits exactly into a high part of 26 bits, which is returned, and a rest
// of 26 bits with a sign (Veltkamp).
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

// The angle of `position` * (hi + lo) full turns, reduced: `quadrant` quarter
// turns (its low two bits count) plus `rest` quarter turns, |rest| <= 1/2 +
// 2^-50.
//
// Error. Let P = position * hi, rounded; every |position| <= 2^53 is exact.
//   P + error      exact
//   d = P - N      exact: N is the integer nearest to P
//   t              the part below P: two roundings, at most
//                  (2^-105 + 2^-106)|P|
//   4d - quarters  exact: a multiple of 4d's last place, at most 1/2 + 4|t|
//   rest           one rounding, 2^-53 |rest|: relative, so it cannot hurt a
//                  sine near zero
// With the plan, whose (hi, lo) is within 6*2^-106 + 2^-107 of the given
// theta/(2 pi), itself within 2^-104 of the true one, the angle is off by less
// than (1.65 * 2^-103) |phi|.  -> kAngleBound
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ReduceAngle(D d64, V position, V hi, V lo,
                         hn::Vec<hn::RebindToUnsigned<D>>& quadrant) {
  const hn::RebindToUnsigned<D> u64;
  const V four = hn::Set(d64, 4.0);
  // Adding it rounds to an integer; the low bits of the sum hold it mod 4.
  const V magic = hn::Set(d64, 0x1.8p52);

  const V product = hn::Mul(position, hi);
  const V error = ProductError(position, hi, product);
  const V d = hn::Sub(product, hn::Round(product));
  const V t = hn::MulAdd(position, lo, error);
  const V shifted = hn::MulAdd(hn::Add(d, t), four, magic);
  quadrant = hn::BitCast(u64, shifted);
  const V quarters = hn::Sub(shifted, magic);
  return hn::MulAdd(t, four, hn::MulSub(d, four, quarters));
}

// cos and sin of a quarter turn times `rest`, |rest| <= 1/2 + 2^-50, by
// Taylor's series in a = (pi/2) rest, |a| <= pi/4.
//
// Error. The series alternate and their terms shrink, so the first term left
// out bounds the rest (Lagrange), relative to the value:
//     sin   a^14/15! * a/sin(a)  < 2^-44.9
//     cos   a^14/14! / cos(a)    < 2^-40.7
// Horner's rule, the rounding of `rest` and the amplitude add less than 2^-50.
// One ulp of f32 is at least 2^-24 of the value; so the sum is below 2^-16 ulp,
// and the final rounding adds 0.5 ulp.  -> kTableBound
//
// Coefficients: Python, mpmath with prec = 300, k = 0 .. 6:
//   sin  float((-1)**k * (pi/2)**(2*k+1) / factorial(2*k+1)).hex()
//   cos  float((-1)**k * (pi/2)**(2*k) / factorial(2*k)).hex()
template <class D, class V = hn::Vec<D>>
HWY_INLINE void CosSinQuarter(D d64, V rest, V& cos, V& sin) {
  const V z = hn::Mul(rest, rest);
  const auto next = [&](V sum, double coefficient) HWY_ATTR {
    return hn::MulAdd(sum, z, hn::Set(d64, coefficient));
  };
  V s = hn::Set(d64, 0x1.e8f434d018d63p-25);
  s = next(s, -0x1.e3074fde8871fp-19);
  s = next(s, 0x1.50783487ee782p-13);
  s = next(s, -0x1.32d2cce62bd86p-8);
  s = next(s, 0x1.466bc6775aae2p-4);
  s = next(s, -0x1.4abbce625be53p-1);
  s = next(s, 0x1.921fb54442d18p+0);
  sin = hn::Mul(s, rest);

  V c = hn::Set(d64, 0x1.f9d38a3763cc3p-22);
  c = next(c, -0x1.a6d1f2a204a8cp-16);
  c = next(c, 0x1.e1f506891babbp-11);
  c = next(c, -0x1.55d3c7e3cbffap-6);
  c = next(c, 0x1.03c1f081b5ac4p-2);
  c = next(c, -0x1.3bd3cc9be45dep+0);
  cos = next(c, 1.0);
}

// cos and sin of the whole angle: a quarter turn maps (cos, sin) to
// (-sin, cos).
template <class D, class V = hn::Vec<D>>
HWY_INLINE void CosSinTurns(D d64, V position, V hi, V lo, V& cos, V& sin) {
  const hn::RebindToUnsigned<D> u64;
  hn::Vec<decltype(u64)> quadrant;
  const V rest = ReduceAngle(d64, position, hi, lo, quadrant);
  V c, s;
  CosSinQuarter(d64, rest, c, s);

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

// m cos and m sin of pairs [first, first + n) of the plan, at a position per
// pair: entry i of all arrays but the plan's belongs to pair first + i.
HWY_INLINE void TableBlock(const Plan& plan, std::size_t first, std::size_t n,
                           const double* HWY_RESTRICT position,
                           float* HWY_RESTRICT cos, float* HWY_RESTRICT sin) {
  const double* HWY_RESTRICT hi = plan.turns_hi() + first;
  const double* HWY_RESTRICT lo = plan.turns_lo() + first;
  ForEachChunk<double>(n, [&](auto d64, std::size_t i) HWY_ATTR {
    const hn::Rebind<float, decltype(d64)> d32;
    const auto amplitude = hn::Set(d64, plan.amplitude());
    hn::Vec<decltype(d64)> c, s;
    CosSinTurns(d64, hn::LoadU(d64, position + i), hn::LoadU(d64, hi + i),
                hn::LoadU(d64, lo + i), c, s);
    hn::StoreU(hn::DemoteTo(d32, hn::Mul(c, amplitude)), d32, cos + i);
    hn::StoreU(hn::DemoteTo(d32, hn::Mul(s, amplitude)), d32, sin + i);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace ropeproof::fast
HWY_AFTER_NAMESPACE();

#endif  // ROPEPROOF_FAST_TABLE_INL_H_
