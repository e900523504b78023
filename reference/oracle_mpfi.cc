// The certificate.
#include "reference/oracle.h"

#ifdef ROPEPROOF_HAVE_MPFI

#include "reference/mpfi_family.h"
#include "reference/prover.h"

namespace ropeproof::reference {
namespace {

namespace mp = boost::multiprecision;

using First = MpfiFamily::Real<MpfiFamily::kRungs[0]>;
using FirstEnd =
    mp::number<mp::mpfr_float_backend<MpfiFamily::kRungs[0]>, mp::et_off>;

// All within `distance` of a number that is y, but for the rounding to nearest.
First around(const FirstEnd& y, bool is_exact, const FirstEnd& distance) {
  First result;
  const mpfi_ptr all = result.backend().data();
  mpfi_set_fr(all, y.backend().data());
  if (!is_exact) {
    mpfr_nextbelow(&all->left);
    mpfr_nextabove(&all->right);
  }
  mpfr_sub(&all->left, &all->left, distance.backend().data(), MPFR_RNDD);
  mpfr_add(&all->right, &all->right, distance.backend().data(), MPFR_RNDU);
  return result;
}

}  // namespace

// Most of the oracle's time. MPFI evaluates each function at both ends; one end
// will do, for nowhere does either have a slope beyond 1, and the other end is not
// far.
template <>
CosSin<First> cos_sin(const First& m, const First& phi) {
  const mpfi_srcptr ends = phi.backend().data();
  FirstEnd c, s, width;
  const bool is_exact = mpfr_sin_cos(s.backend().data(), c.backend().data(),
                                     &ends->left, MPFR_RNDN) == 0;
  mpfr_sub(width.backend().data(), &ends->right, &ends->left, MPFR_RNDU);
  return {m * around(c, is_exact, width), m * around(s, is_exact, width)};
}

MakeProver* mpfi_oracle() { return &make_prover<MpfiFamily>; }
}  // namespace ropeproof::reference

#else

namespace ropeproof::reference {
MakeProver* mpfi_oracle() { return nullptr; }
}  // namespace ropeproof::reference

#endif
