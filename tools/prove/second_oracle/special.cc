#include "tools/prove/second_oracle/special.h"

namespace ropeproof::second_oracle {
namespace {

constexpr std::uint64_t kPlusInfinity = 0x7ff0000000000000;
constexpr std::uint64_t kMinusInfinity = 0xfff0000000000000;

bool is_nan(const Element& x) { return x.kind == Element::Kind::kNan; }
bool is_infinite(const Element& x) {
  return x.kind == Element::Kind::kInfinite;
}

// The sign of an infinite product.
int sign_of(const Element& x, int factor) {
  return x.is_negative ? -factor : factor;
}

}  // namespace

bool is_copy(const Element& x, std::uint64_t golden) {
  if (is_nan(x)) return golden == kMustBeNan;
  const Element y = decode(golden, Format{});
  if (x.kind != y.kind || x.is_negative != y.is_negative) return false;
  return is_infinite(x) || x.value() == y.value();
}

int sure_sign(const Ball& factor, const Ball& phi) {
  Ball size, angle;
  arb_abs(size.get(), factor);
  arb_abs(angle.get(), phi);
  if (!arb_ge(size, Ball(Rational::scaled(1, -3), 64)) ||
      !arb_le(angle, Ball(Rational(8), 64))) {
    return 0;
  }
  return arb_is_negative(factor) ? -1 : 1;
}

std::uint64_t sum_without_number(const Element& a, int f, const Element& b,
                                 int g) {
  if (is_nan(a) || is_nan(b)) {
    return is_infinite(a) || is_infinite(b) ? kMustNotBeFinite : kMustBeNan;
  }
  const bool is_a = is_infinite(a), is_b = is_infinite(b);
  if ((is_a && f == 0) || (is_b && g == 0)) return kMustNotBeFinite;
  const int first = sign_of(a, f), second = sign_of(b, g);
  if (is_a && is_b && first != second) return kMustBeNan;
  return (is_a ? first : second) > 0 ? kPlusInfinity : kMinusInfinity;
}

Verdict is_beyond(const Ball& y, std::uint64_t golden, const Format& dtype) {
  if (golden != kPlusInfinity && golden != kMinusInfinity) {
    return Verdict::kRefuted;
  }
  const int top = 1 << (dtype.bits - 2 - dtype.fraction_bits);
  const Rational largest = Rational::scaled(1, top) -
                           Rational::scaled(1, top - 1 - dtype.fraction_bits);
  const Ball limit(largest * Rational(19) / Rational(16), 64);
  Ball size;
  arb_set(size.get(), y);
  if (golden == kMinusInfinity) arb_neg(size.get(), y);
  if (arb_ge(size, limit)) return Verdict::kProved;
  return arb_lt(size, limit) ? Verdict::kRefuted : Verdict::kUndecided;
}

}  // namespace ropeproof::second_oracle
