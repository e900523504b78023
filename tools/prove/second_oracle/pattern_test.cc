#include "tools/prove/second_oracle/pattern.h"

#include <catch2/catch_test_macros.hpp>
#include <stdexcept>

#include "tools/prove/second_oracle/number.h"
#include "tools/prove/second_oracle/power.h"
#include "tools/prove/second_oracle/special.h"

namespace ropeproof::second_oracle {
namespace {

constexpr std::uint64_t kOne = 0x3ff0000000000000;
constexpr std::uint64_t kMinusOne = 0xbff0000000000000;
constexpr std::uint64_t kLargest = 0x7fefffffffffffff;

Rational ratio(std::int64_t n, std::int64_t d) {
  return Rational(n) / Rational(d);
}

Ball exact(const Rational& x) { return Ball(x, 4096); }

// All reals within 2^radius of x.
Ball around(const Rational& x, slong radius) {
  Ball ball = exact(x);
  arb_add_error_2exp_si(ball.get(), radius);
  return ball;
}

Rational after_one(std::int64_t numerator, std::int64_t exponent) {
  return Rational(1) + Rational::scaled(numerator, exponent);
}

TEST_CASE("an odd golden is proved strictly between its neighbours",
          "[second_oracle]") {
  // 1 + ulp has the neighbours 1 and 1 + 2 ulp.
  const std::uint64_t odd = kOne + 1;
  CHECK(is_rounded_to_odd(exact(after_one(1, -52)), odd) == Verdict::kProved);
  CHECK(is_rounded_to_odd(exact(after_one(1, -300)), odd) == Verdict::kProved);
  CHECK(is_rounded_to_odd(around(after_one(1, -52), -53), odd) ==
        Verdict::kProved);
  CHECK(is_rounded_to_odd(exact(Rational(1)), odd) == Verdict::kRefuted);
  CHECK(is_rounded_to_odd(exact(after_one(2, -52)), odd) == Verdict::kRefuted);
  CHECK(is_rounded_to_odd(exact(after_one(-1, -300)), odd) ==
        Verdict::kRefuted);
  CHECK(is_rounded_to_odd(around(after_one(1, -52), -51), odd) ==
        Verdict::kUndecided);
  CHECK(is_rounded_to_odd(exact(after_one(1, -52)), odd | kMinusOne) ==
        Verdict::kRefuted);
}

TEST_CASE("an even golden is proved by the number itself alone",
          "[second_oracle]") {
  CHECK(is_rounded_to_odd(exact(Rational(1)), kOne) == Verdict::kProved);
  CHECK(is_rounded_to_odd(exact(Rational(-1)), kMinusOne) == Verdict::kProved);
  CHECK(is_rounded_to_odd(around(Rational(1), -4000), kOne) ==
        Verdict::kUndecided);
  CHECK(is_rounded_to_odd(exact(after_one(1, -3000)), kOne) ==
        Verdict::kRefuted);
  CHECK(is_rounded_to_odd(exact(Rational(0)), 0) == Verdict::kProved);
  CHECK(is_rounded_to_odd(exact(Rational(0)), std::uint64_t{1} << 63) ==
        Verdict::kRefuted);
}

TEST_CASE("rounding to odd never gives zero or an infinity",
          "[second_oracle]") {
  const Ball tiny = exact(Rational::scaled(1, -3000));
  CHECK(is_rounded_to_odd(tiny, 1) == Verdict::kProved);
  CHECK(is_rounded_to_odd(tiny, 0) == Verdict::kRefuted);
  const Ball huge = exact(Rational::scaled(3, 1022));
  CHECK(is_rounded_to_odd(huge, 0x7fe8000000000000) == Verdict::kProved);
  CHECK(is_rounded_to_odd(
            exact(Rational::scaled((std::int64_t{1} << 54) - 1, 970)),
            kLargest) == Verdict::kProved);
  CHECK(is_rounded_to_odd(huge, 0x7ff0000000000000) == Verdict::kRefuted);
}

TEST_CASE("to nearest, a tie goes to the even pattern", "[second_oracle]") {
  const Ball tie = exact(after_one(1, -53));
  CHECK(is_nearest(tie, kOne) == Verdict::kProved);
  CHECK(is_nearest(tie, kOne + 1) == Verdict::kRefuted);
  CHECK(is_nearest(exact(after_one(3, -54)), kOne) == Verdict::kRefuted);
  CHECK(is_nearest(exact(after_one(3, -54)), kOne + 1) == Verdict::kProved);
  CHECK(is_nearest(exact(after_one(3, -55)), kOne) == Verdict::kProved);
  CHECK(is_nearest(around(after_one(1, -53), -60), kOne) ==
        Verdict::kUndecided);
  // Below a power of two the neighbour is half as far.
  CHECK(is_nearest(exact(after_one(-3, -55)), kOne) == Verdict::kRefuted);
  CHECK(is_nearest(exact(after_one(-3, -55)), kOne - 1) == Verdict::kProved);
}

TEST_CASE("a pair is nearest, and then nearest to what is left",
          "[second_oracle]") {
  const Ball third = Ball(ratio(1, 3), 300);
  const std::uint64_t hi = 0x3fd5555555555555, lo = 0x3c75555555555555;
  CHECK(is_nearest_pair(third, hi, lo, 300) == Verdict::kProved);
  CHECK(is_nearest_pair(third, hi, lo + 1, 300) == Verdict::kRefuted);
  CHECK(is_nearest_pair(third, hi + 1, lo, 300) == Verdict::kRefuted);
  CHECK(is_nearest_pair(exact(Rational(1)), kOne, 0, 300) == Verdict::kProved);
}

TEST_CASE("patterns of every format mean their numbers", "[second_oracle]") {
  CHECK(decode(0x7bff, format_named("f16")).value() == Rational(65504));
  CHECK(decode(0x0001, format_named("f16")).value() ==
        Rational::scaled(1, -24));
  CHECK(decode(0xbf80, format_named("bf16")).value() == Rational(-1));
  CHECK(decode(0x00000001, format_named("f32")).value() ==
        Rational::scaled(1, -149));
  CHECK(decode(0x7f80, format_named("bf16")).kind == Element::Kind::kInfinite);
  CHECK(decode(0x7fc00000, format_named("f32")).kind == Element::Kind::kNan);
  CHECK_THROWS_AS(format_named("f8"), std::runtime_error);
  CHECK_THROWS_AS(f64_value(kMustBeNan), std::runtime_error);
}

TEST_CASE("a power is exact where it is rational", "[second_oracle]") {
  CHECK(rational_power(Rational(10000), ratio(-1, 2)) == ratio(1, 100));
  CHECK(rational_power(ratio(4, 9), ratio(3, 2)) == ratio(8, 27));
  CHECK(rational_power(Rational(1024), ratio(-3, 10)) == ratio(1, 8));
  CHECK(rational_power(Rational(1), ratio(1, 3)) == Rational(1));
  CHECK_FALSE(rational_power(Rational(10000), ratio(-1, 8)).has_value());
  CHECK_FALSE(rational_power(Rational(8), ratio(1, 2)).has_value());
}

TEST_CASE("infinite products add up where their signs are sure",
          "[second_oracle]") {
  const Element inf = decode(0x7f800000, format_named("f32"));
  const Element minus = decode(0xff800000, format_named("f32"));
  const Element nan = decode(0x7fc00000, format_named("f32"));
  const Element one = decode(0x3f800000, format_named("f32"));
  CHECK(sum_without_number(nan, 1, one, 1) == kMustBeNan);
  CHECK(sum_without_number(nan, 1, inf, 1) == kMustNotBeFinite);
  CHECK(sum_without_number(inf, -1, one, 0) == 0xfff0000000000000);
  CHECK(sum_without_number(inf, 1, minus, -1) == 0x7ff0000000000000);
  CHECK(sum_without_number(inf, 1, inf, -1) == kMustBeNan);
  CHECK(sum_without_number(inf, 0, one, 1) == kMustNotBeFinite);
  CHECK(sure_sign(exact(ratio(-1, 8)), exact(Rational(-8))) == -1);
  CHECK(sure_sign(exact(ratio(1, 9)), exact(Rational(1))) == 0);
  CHECK(sure_sign(exact(Rational(1)), exact(ratio(81, 10))) == 0);
}

}  // namespace
}  // namespace ropeproof::second_oracle
