// mpfi_family.h -- MPFI intervals as a family of decide.h: 38 -> 77 -> 154 ->
// 1233 digits (128, 257, 513, 4098 bits).
//
// Two traps of Boost's wrapper are avoided: comparing overlapping
// intervals terminates the program, so ends are compared as MPFR numbers; and
// converting an interval rounds its midpoint twice, so ends are rounded by
// format.h.
#pragma once

#include <algorithm>
#include <array>
#include <boost/multiprecision/mpfi.hpp>
#include <boost/multiprecision/mpfr.hpp>
#include <cstdint>
#include <limits>
#include <utility>

#include "reference/decide.h"

namespace ropeproof::reference {

// The number is 0.s * 2^e, s being the significand's limbs, the highest last
// and its top bit set.
inline Pieces pieces_of_limbs(mpfr_srcptr x) {
  static_assert(GMP_NUMB_BITS == 64);
  constexpr int kDropped = 64 - kPiecesBits;
  const auto* limbs =
      static_cast<const mp_limb_t*>(mpfr_custom_get_significand(x));
  const std::ptrdiff_t last = (mpfr_get_prec(x) - 1) / 64;
  const bool has_fraction =
      limbs[last] << kPiecesBits != 0 ||
      std::any_of(limbs, limbs + last,
                  [](mp_limb_t limb) { return limb != 0; });
  return {mpfr_signbit(x) != 0, limbs[last] >> kDropped,
          std::int64_t{mpfr_get_exp(x)} - kPiecesBits, has_fraction};
}

// cos and sin of an angle phi = a + t, |t| <= r: by Taylor
//     |cos phi - cos a| <= |sin a| r + r^2,
//     |sin phi - sin a| <= |cos a| r + r^2.
// MPFR forms both of a at once; MPFI's own functions form each at both ends.
template <class Real>
class MpfiAngle {
 public:
  explicit MpfiAngle(const Real& phi) : cos_(1), sin_(phi) {
    const mpfi_srcptr x = phi.backend().data();
    if (mpfi_is_zero(x) != 0) return;
    MPFR_DECL_INIT(a, kBits);
    MPFR_DECL_INIT(r, kBits);
    MPFR_DECL_INIT(s, kBits);
    MPFR_DECL_INIT(c, kBits);
    mpfr_add(a, &x->left, &x->right, MPFR_RNDN);
    mpfr_div_2ui(a, a, 1, MPFR_RNDN);
    mpfr_sub(s, a, &x->left, MPFR_RNDU);
    mpfr_sub(r, &x->right, a, MPFR_RNDU);
    mpfr_max(r, r, s, MPFR_RNDU);
    mpfr_sin_cos(s, c, a, MPFR_RNDN);
    enclose(cos_.backend().data(), c, s, r);
    enclose(sin_.backend().data(), s, c, r);
  }

  friend const Real& cos(const MpfiAngle& x) { return x.cos_; }
  friend const Real& sin(const MpfiAngle& x) { return x.sin_; }

 private:
  static constexpr unsigned kBits = std::numeric_limits<Real>::digits + 32;

  // y +- (|slope| r + r^2), y and the slope being rounded to nearest.
  static void enclose(mpfi_ptr result, mpfr_srcptr y, mpfr_srcptr slope,
                      mpfr_srcptr r) {
    MPFR_DECL_INIT(error, 64u);
    MPFR_DECL_INIT(end, kBits);
    mpfr_abs(error, slope, MPFR_RNDU);
    mpfr_nextabove(error);
    mpfr_add(error, error, r, MPFR_RNDU);
    mpfr_mul(error, error, r, MPFR_RNDU);
    mpfr_set(end, y, MPFR_RNDN);
    mpfr_nextbelow(end);
    mpfr_sub(&result->left, end, error, MPFR_RNDD);
    mpfr_set(end, y, MPFR_RNDN);
    mpfr_nextabove(end);
    mpfr_add(&result->right, end, error, MPFR_RNDU);
  }

  Real cos_, sin_;
};

struct MpfiFamily {
  static constexpr std::array<unsigned, 4> kRungs{38, 77, 154, 1233};

  template <unsigned kDigits>
  using Real = boost::multiprecision::number<
      boost::multiprecision::mpfi_float_backend<kDigits>,
      boost::multiprecision::et_off>;

  template <unsigned kDigits>
  static constexpr int kBits =
      static_cast<int>(boost::multiprecision::detail::digits10_2_2(kDigits));

  template <class Real>
  static Real pi() {
    Real result;
    mpfi_const_pi(result.backend().data());
    return result;
  }

  template <class Real>
  static MpfiAngle<Real> angle(const Real& phi) {
    return MpfiAngle<Real>(phi);
  }

  template <unsigned kDigits>
  static std::pair<Pieces, Pieces> ends(
      const boost::multiprecision::number<
          boost::multiprecision::mpfi_float_backend<kDigits>,
          boost::multiprecision::et_off>& x) {
    // The ends carry the precision of x: copying them is exact.
    using End = boost::multiprecision::number<
        boost::multiprecision::mpfr_float_backend<kDigits>,
        boost::multiprecision::et_off>;
    const auto pieces = [](mpfr_srcptr end) {
      return mpfr_regular_p(end) != 0 ? pieces_of_limbs(end)
                                      : pieces_of(End(end));
    };
    return {pieces(&x.backend().data()->left),
            pieces(&x.backend().data()->right)};
  }
};

}  // namespace ropeproof::reference
