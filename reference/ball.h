// ball.h -- cpp_bin_float with an error radius: the oracle without MPFR.
//
// A Ball is a midpoint and a radius; the real number lies within. Midpoints are
// cpp_bin_float, which shares no code with MPFR or GMP. Its documentation
// bounds no error, so every inexact operation adds kSlackUnits ulp to the
// radius: measured against MPFR at 700 bits on 20,000 arguments, pow is off by
// at most 148 ulp, log by 27, sin and cos by 8, and + - * / and sqrt by one. An
// argued bound is not a proof: where this oracle stands alone, a golden is
// uncertified.
#pragma once

#include <algorithm>
#include <boost/math/constants/constants.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <concepts>

#include "reference/golden.h"

namespace ropeproof::reference {

template <unsigned kDigits>
class Ball {
 public:
  using Mid = boost::multiprecision::number<
      boost::multiprecision::cpp_bin_float<kDigits>,
      boost::multiprecision::et_off>;
  static constexpr int kBits = std::numeric_limits<Mid>::digits;
  static constexpr int kSlackUnits = 4096;

  // A double or an integer up to 2^53: exact.
  explicit Ball(double value)
      : mid_(value), exact_bits_(is_power_of_two(mid_) ? 1 : 53) {}
  template <std::integral Integer>
  explicit Ball(Integer value)
      : mid_(value), exact_bits_(is_power_of_two(mid_) ? 1 : 53) {}

  static Ball pi() {
    const Mid mid = boost::math::constants::pi<Mid>();
    return rounded(mid, Mid(0), mid);
  }

  Mid lower() const { return mid_ - radius_; }
  Mid upper() const { return mid_ + radius_; }

  friend Ball operator-(const Ball& a) {
    return Ball(Mid(-a.mid_), a.radius_, a.exact_bits_);
  }
  // Exact as long as the significand fits.
  friend Ball operator+(const Ball& a, const Ball& b) {
    if (a.is_zero()) return b;
    if (b.is_zero()) return a;
    const Mid mid = a.mid_ + b.mid_;
    if (a.is_exact() && b.is_exact()) {
      // The sum spans the last bit of either to the first, and a carry.
      const int bits =
          std::max(a.top(), b.top()) + 1 -
          std::min(a.top() - a.exact_bits_, b.top() - b.exact_bits_);
      if (bits <= kBits) return Ball(mid, Mid(0), bits);
    }
    return rounded(mid, a.radius_ + b.radius_, abs(mid));
  }
  friend Ball operator-(const Ball& a, const Ball& b) { return a + (-b); }
  Ball& operator-=(const Ball& b) { return *this = *this - b; }

  // Exact as long as the significands fit, as at position 0.
  friend Ball operator*(const Ball& a, const Ball& b) {
    if (a.is_zero()) return a;
    if (b.is_zero()) return b;
    const Mid mid = a.mid_ * b.mid_;
    if (a.is_exact() && b.is_exact()) {
      // A power of two has one bit and adds none.
      const int bits = a.exact_bits_ == 1   ? b.exact_bits_
                       : b.exact_bits_ == 1 ? a.exact_bits_
                                            : a.exact_bits_ + b.exact_bits_;
      if (bits <= kBits) return Ball(mid, Mid(0), bits);
    }
    const Mid spread = abs(a.mid_) * b.radius_ + abs(b.mid_) * a.radius_ +
                       a.radius_ * b.radius_;
    return rounded(mid, spread, abs(mid));
  }

  // |a/b - A/B| <= (|a| rb + |b| ra) / (|b| (|b| - rb)), and 2 pays for the
  // last term: a radius is far below half of its midpoint here.
  friend Ball operator/(const Ball& a, const Ball& b) {
    if (a.is_zero()) return a;
    const Mid mid = a.mid_ / b.mid_;
    if (is_exact_quotient(a, b, mid)) {
      return Ball(mid, Mid(0),
                  b.exact_bits_ == 1 ? a.exact_bits_ : kBits - b.exact_bits_);
    }
    require(2 * b.radius_ <= abs(b.mid_));
    const Mid spread = 2 * (a.radius_ + abs(mid) * b.radius_) / abs(b.mid_);
    return rounded(mid, spread, abs(mid));
  }

  friend Ball ldexp(const Ball& a, int power) {
    using boost::multiprecision::ldexp;
    return Ball(Mid(ldexp(a.mid_, power)), Mid(ldexp(a.radius_, power)),
                a.exact_bits_);
  }

  // The relative error of base^e is e^t - 1 <= 2t for t <= 1, where
  //     t = |e| ra/(a - ra) + |ln a| re
  // a being the base. The library forms exp(e ln a), whose error grows with the
  // exponent.
  friend Ball pow(const Ball& base, const Ball& exponent) {
    using boost::multiprecision::log;
    using boost::multiprecision::pow;
    require(2 * base.radius_ <= base.mid_);
    const Mid mid = pow(base.mid_, exponent.mid_);
    const Mid ln = abs(Mid(log(base.mid_))), e = abs(exponent.mid_);
    const Mid t = 2 * e * base.radius_ / base.mid_ + 2 * ln * exponent.radius_;
    require(t <= 1);
    return rounded(mid, 2 * mid * t, mid * (1 + e * ln));
  }

  friend Ball log(const Ball& a) {
    using boost::multiprecision::log;
    require(2 * a.radius_ <= a.mid_);
    const Mid mid = log(a.mid_);
    return rounded(mid, 2 * a.radius_ / a.mid_, 1 + abs(mid));
  }

  friend Ball sqrt(const Ball& a) {
    using boost::multiprecision::sqrt;
    require(2 * a.radius_ <= a.mid_);
    const Mid mid = sqrt(a.mid_);
    return rounded(mid, a.radius_ / mid, mid);
  }

  // |cos'| and |sin'| <= 1. The library reduces the argument in its own
  // precision, so its error may grow with |a|.
  friend Ball cos(const Ball& a) {
    using boost::multiprecision::cos;
    if (a.is_zero()) return Ball(1);
    return rounded(Mid(cos(a.mid_)), a.radius_, 1 + abs(a.mid_));
  }
  friend Ball sin(const Ball& a) {
    using boost::multiprecision::sin;
    if (a.is_zero()) return a;
    return rounded(Mid(sin(a.mid_)), a.radius_, 1 + abs(a.mid_));
  }

 private:
  Ball(const Mid& mid, const Mid& radius, int exact_bits)
      : mid_(mid), radius_(radius), exact_bits_(exact_bits) {}

  static Mid abs(const Mid& x) { return x < 0 ? Mid(-x) : x; }

  // An inexact result: `spread` from the operands, slack for the operation; the
  // last factor pays for the roundings of this computation itself.
  static Ball rounded(const Mid& mid, const Mid& spread, const Mid& scale) {
    using boost::multiprecision::ldexp;
    const Mid slack = ldexp(Mid(kSlackUnits), -kBits) * scale;
    return Ball(mid, (spread + slack) * Mid(1.0625), 0);
  }

  // The bounds above hold for balls that are small beside their midpoints.
  static void require(bool is_small) {
    if (!is_small) throw Undecided("a ball is too wide for its bound");
  }

  // The exponent of the first bit, plus 1. Not zero.
  int top() const {
    using boost::multiprecision::frexp;
    int exponent = 0;
    static_cast<void>(frexp(mid_, &exponent));
    return exponent;
  }

  static bool is_power_of_two(const Mid& x) {
    using boost::multiprecision::frexp;
    int exponent = 0;
    return x != 0 && abs(Mid(frexp(x, &exponent))) == Mid(0.5);
  }

  // The rounded quotient is exact if its product with b, formed without
  // rounding, is a.
  static bool is_exact_quotient(const Ball& a, const Ball& b, const Mid& mid) {
    using boost::multiprecision::frexp;
    using boost::multiprecision::ldexp;
    using boost::multiprecision::trunc;
    if (!a.is_exact() || !b.is_exact()) return false;
    int exponent = 0;
    const Mid shifted =
        ldexp(Mid(frexp(mid, &exponent)), kBits - b.exact_bits_);
    return shifted == trunc(shifted) && mid * b.mid_ == a.mid_;
  }

  bool is_exact() const { return exact_bits_ > 0; }
  bool is_zero() const { return is_exact() && mid_ == 0; }

  Mid mid_;
  Mid radius_ = 0;
  int exact_bits_ = 0;  // width of the significand; 0: not exact
};

}  // namespace ropeproof::reference
