#include "tools/prove/second_oracle/pattern.h"

#include <catch2/catch_test_macros.hpp>

#include "tools/prove/second_oracle/number.h"

namespace ropeproof::second_oracle {
namespace {

constexpr std::uint64_t kOne = 0x3ff0000000000000;
constexpr std::uint64_t kMinusOne = 0xbff0000000000000;
constexpr std::uint64_t kLargest = 0x7fefffffffffffff;

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

}  // namespace
}  // namespace ropeproof::second_oracle
