// The certificate: MPFI intervals, 38 -> 77 -> 154 -> 1233 digits (128, 257,
// 513, 4098 bits).
//
// Two traps of Boost's wrapper are avoided: comparing overlapping
// intervals terminates the program, so ends are compared as MPFR numbers; and
// converting an interval rounds its midpoint twice, so ends are rounded by
// format.h.
#include "reference/oracle.h"

#ifdef ROPEPROOF_HAVE_MPFI

#include <array>
#include <boost/multiprecision/mpfi.hpp>
#include <boost/multiprecision/mpfr.hpp>

#include "reference/prover.h"

namespace ropeproof::reference {
namespace {

namespace mp = boost::multiprecision;

struct MpfiFamily {
  static constexpr std::array<unsigned, 4> kRungs{38, 77, 154, 1233};

  template <unsigned kDigits>
  using Real = mp::number<mp::mpfi_float_backend<kDigits>, mp::et_off>;

  template <unsigned kDigits>
  static constexpr int kBits =
      static_cast<int>(mp::detail::digits10_2_2(kDigits));

  template <class Real>
  static Real pi() {
    Real result;
    mpfi_const_pi(result.backend().data());
    return result;
  }

  template <unsigned kDigits>
  static std::pair<Pieces, Pieces> ends(
      const mp::number<mp::mpfi_float_backend<kDigits>, mp::et_off>& x) {
    // The ends carry the precision of x: copying them is exact.
    using End = mp::number<mp::mpfr_float_backend<kDigits>, mp::et_off>;
    End low, high;
    mpfi_get_left(low.backend().data(), x.backend().data());
    mpfi_get_right(high.backend().data(), x.backend().data());
    return {pieces_of(low), pieces_of(high)};
  }
};

}  // namespace

MakeProver* mpfi_oracle() { return &make_prover<MpfiFamily>; }

}  // namespace ropeproof::reference

#else

namespace ropeproof::reference {
MakeProver* mpfi_oracle() { return nullptr; }
}  // namespace ropeproof::reference

#endif
