#include "tools/prove/second_oracle/power.h"

#include <cstdlib>

namespace ropeproof::second_oracle {
namespace {

// Results of more bits are left to the balls; no golden has as many.
constexpr slong kMaxBits = 1 << 16;

// Replaces x > 0 by its root, if that is an integer.
bool take_root(fmpz* x, ulong degree) {
  fmpz_t root, again;
  fmpz_init(root);
  fmpz_init(again);
  fmpz_root(root, x, static_cast<slong>(degree));
  fmpz_pow_ui(again, root, degree);
  const bool is_exact = fmpz_equal(again, x) != 0;
  if (is_exact) fmpz_set(x, root);
  fmpz_clear(root);
  fmpz_clear(again);
  return is_exact;
}

}  // namespace

std::optional<Rational> rational_power(const Rational& base,
                                       const Rational& exponent) {
  if (base == Rational(1) || exponent.sign() == 0) return Rational(1);
  if (!fmpz_fits_si(exponent.numerator()) ||
      !fmpz_fits_si(exponent.denominator())) {
    return std::nullopt;
  }
  const slong n = fmpz_get_si(exponent.numerator());
  const slong d = fmpz_get_si(exponent.denominator());
  Rational root = base;
  const auto size = static_cast<slong>(fmpz_bits(base.numerator()) +
                                       fmpz_bits(base.denominator()));
  if (d > size || std::abs(n) > kMaxBits / size) {
    // Above 1, no number of so few bits has a root of this degree.
    return std::nullopt;
  }
  if (!take_root(fmpq_numref(root.get()), static_cast<ulong>(d)) ||
      !take_root(fmpq_denref(root.get()), static_cast<ulong>(d))) {
    return std::nullopt;
  }
  fmpq_pow_si(root.get(), root, n);
  return root;
}

Ball power(const Rational& base, const Rational& exponent, slong bits) {
  if (const auto exact = rational_power(base, exponent)) {
    return Ball(*exact, bits);
  }
  // A large exponent multiplies the error of the logarithm.
  const auto more = static_cast<slong>(fmpz_bits(exponent.numerator()));
  Ball result;
  arb_pow(result.get(), Ball(base, bits + more), Ball(exponent, bits + more),
          bits + more);
  arb_set_round(result.get(), result, bits);
  return result;
}

}  // namespace ropeproof::second_oracle
