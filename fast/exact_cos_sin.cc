#include "fast/exact_cos_sin.h"

#include <bit>
#include <cmath>
#include <cstdint>

#include "fast/dispatch.h"

// Compiled for each target, as most have an instruction for std::fma and
// std::nearbyint; the bits are the same.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fast/exact_cos_sin.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace ropeproof::fast {
namespace HWY_NAMESPACE {
namespace {

// pi/2, within 2^-109 relative. Python, mpmath with prec = 300:
//   x = pi/2; hi = float(x); lo = float(x - hi); hi.hex(), lo.hex()
constexpr DoubleDouble kQuarterCircle = {0x1.921fb54442d18p+0,
                                         0x1.1a62633145c07p-54};

// cos x and (sin x)/x of z = x^2: for n = 1 and n = 2,
//     1 - z/(n (n+1)) (1 - z/((n+2) (n+3)) (1 - ...)).
// The two go side by side, as a step waits for the last.
//
// Error, with z <= 0.618 and n >= 1: a step multiplies the error of the
// bracket by z/(n (n+1)) <= 0.309 and adds 8 u^2 for the product and the
// quotient, of which again 0.309 arrive, and 3 u^2 for the sum, relative to a
// bracket of at least 0.69. The fixed point is 10 u^2. Brackets from n = 19 on
// are doubles: of their error, 2 u, z^9/18! arrive, u^2/16.
template <int kN>
HWY_INLINE CosSin Brackets(DoubleDouble z) {
  constexpr int kLast = 25, kFirstDouble = 19;
  constexpr double kCos = kN * (kN + 1), kSin = (kN + 1) * (kN + 2);
  if constexpr (kN > kLast) {
    return {{1, 0}, {1, 0}};
  } else {
    const auto [cos, sin] = Brackets<kN + 2>(z);
    if constexpr (kN >= kFirstDouble) {
      return {{1 - z.hi * cos.hi / kCos, 0}, {1 - z.hi * sin.hi / kSin, 0}};
    } else {
      return {DoubleDouble{1, 0} + -(z * cos / kCos),
              DoubleDouble{1, 0} + -(z * sin / kSin)};
    }
  }
}

// The sign's bit where bit 1 of a number of quarter circles is set.
HWY_INLINE std::uint64_t SignOf(std::uint64_t quarters) {
  return (quarters & 2) << 62;
}

}  // namespace

// Error, relative to the value, u^2 = 2^-106. The angle's products are exact,
// but for what is below u^2 of them, and so is taking whole quarter circles off
// their parts. The sum of what is left is within 3 u^2, with axis weights
// 6 u^2; beyond 2^51 quarter circles, where the parts may be 1 together,
// absolutely. x = r pi/2 adds 6 u^2, which cosine and sine pass on at most once
// (x cot x <= 1, x tan x <= pi/4). Taylor's series end with x^27,
// |x| <= pi/4 + 2^-50: the first terms left out, with 28! and 29!, are below
// 2^-107. The brackets: 11 u^2; sine's product 5 u^2, the amplitude's 5 u^2.
// Sum: 30 u^2 + 2^-107 < 2^-101.  -> kExactCosSinBound
HWY_INLINE CosSin ExactOf(DoubleDouble position, DoubleDouble circles,
                          double amplitude) {
  double quarters = 0;
  const auto without_whole = [&](double x) HWY_ATTR {
    const double whole = std::nearbyint(x);
    quarters += whole - 4 * std::nearbyint(whole / 4);
    return x - whole;
  };
  const auto remainder_of = [&](double p, double t) HWY_ATTR {
    const DoubleDouble product = product_of(4 * p, t);
    return sum_of(without_whole(product.hi), without_whole(product.lo));
  };
  const DoubleDouble sum = remainder_of(position.hi, circles.hi) +
                           remainder_of(position.hi, circles.lo) +
                           remainder_of(position.lo, circles.hi);
  const double left = without_whole(sum.hi);
  const DoubleDouble r = sum_of(left, sum.lo);
  const DoubleDouble x = r * kQuarterCircle;
  const DoubleDouble z = x * x;
  const DoubleDouble m{amplitude, 0};
  const CosSin brackets = Brackets<1>(z);
  const DoubleDouble c = m * brackets.cos;
  const DoubleDouble s = m * (x * brackets.sin);
  // Odd quarters exchange the two. Bits, for branches would keep the compiler
  // from making vectors of this.
  const auto quarter = static_cast<std::uint64_t>(static_cast<int>(quarters));
  const std::uint64_t is_odd = -(quarter & 1);
  const auto chosen_of = [&](double even, double odd,
                             std::uint64_t sign) HWY_ATTR {
    const auto bits = std::bit_cast<std::uint64_t>(even);
    const auto exchange = (bits ^ std::bit_cast<std::uint64_t>(odd)) & is_odd;
    return std::bit_cast<double>(bits ^ exchange ^ sign);
  };
  const std::uint64_t cos_sign = SignOf(quarter + 1),
                      sin_sign = SignOf(quarter);
  return {{chosen_of(c.hi, s.hi, cos_sign), chosen_of(c.lo, s.lo, cos_sign)},
          {chosen_of(s.hi, c.hi, sin_sign), chosen_of(s.lo, c.lo, sin_sign)}};
}

CosSin ExactCosSin(DoubleDouble position, DoubleDouble circles,
                   double amplitude) {
  return ExactOf(position, circles, amplitude);
}

void ExactCosSins(ExactPairs& pairs, std::size_t n) {
  // Whole vectors: what is left would be formed one by one.
  constexpr std::size_t kStep = HWY_MAX_BYTES >= 32 ? 8 : 1;
  const std::size_t all = (n + kStep - 1) / kStep * kStep;
  for (std::size_t i = 0; i < all; ++i) {
    const auto [cos, sin] =
        ExactOf({pairs.position.hi[i], pairs.position.lo[i]},
                {pairs.circles.hi[i], pairs.circles.lo[i]}, pairs.amplitude[i]);
    pairs.cos.hi[i] = cos.hi;
    pairs.cos.lo[i] = cos.lo;
    pairs.sin.hi[i] = sin.hi;
    pairs.sin.lo[i] = sin.lo;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace ropeproof::fast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ropeproof::fast {
namespace {

ROPEPROOF_FAST_EXPORT(ExactCosSin);
ROPEPROOF_FAST_EXPORT(ExactCosSins);

}  // namespace

CosSin exact_cos_sin(DoubleDouble position, DoubleDouble circles,
                     double amplitude) noexcept {
  return ROPEPROOF_FAST_DISPATCH(ExactCosSin)(position, circles, amplitude);
}

void exact_cos_sins(ExactPairs& pairs, std::size_t n) noexcept {
  ROPEPROOF_FAST_DISPATCH(ExactCosSins)(pairs, n);
}

// First to odd: an inexact x takes, of the two doubles around it, the one with
// the odd last bit. Those bits suffice to round correctly to any format of at
// most 51 bits (Boldo, Melquiond 2008).
float round_to_float(DoubleDouble x) noexcept {
  auto bits = std::bit_cast<std::uint64_t>(x.hi);
  if (x.lo != 0 && bits % 2 == 0) bits += (x.lo > 0) == (x.hi > 0) ? 1u : -1ull;
  return static_cast<float>(std::bit_cast<double>(bits));
}

}  // namespace ropeproof::fast
#endif  // HWY_ONCE
