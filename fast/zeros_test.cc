#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fast/double_double.h"
#include "fast/rope_fast.h"
#include "fast/testing.h"

namespace ropeproof::fast {
namespace {

TEST_CASE("a sine next to zero, far away, has the same bits on every target",
          "[fast][R2]") {
  // Of theta = 1, next to a tie too: a rounding more or less in the reduction
  // of the angle would show.
  const std::vector<std::int64_t> positions = {
      249386555770417, 1044855258382529, 8081718799111211, 8081755726670078};
  const Plan plan = plan_of(10000, 128);
  std::vector<float> first;
  on_every_target([&](const std::string& target) {
    const OwnTable got = table_at(plan, positions);
    if (first.empty()) first = got.sin;
    CAPTURE(target);
    CHECK(same_bits(got.sin, first));
  });
}

TEST_CASE("a sine next to zero keeps all its digits however it is formed",
          "[fast][R2]") {
  // Each pair has made whole circles but for 2^-30 to 2^-62 quarter circles at
  // p: what is left of its angle is what two products all but cancel to.
  const std::int64_t p = 987654321;
  const double fourfold = 4 * static_cast<double>(p);
  const DoubleDouble radians_per_circle = {0x1.921fb54442d18p+2,
                                           0x1.1a62633145c07p-52};
  const std::size_t pairs = 66;
  std::vector<double> theta(pairs), theta_lo(pairs), whole(pairs);
  for (std::size_t j = 0; j < pairs; ++j) {
    whole[j] = 4 * (0x1p26 + 12345.0 * static_cast<double>(j));
    const double remainder =
        std::ldexp(j % 2 == 0 ? 1 : -1.25, -30 - static_cast<int>(j) / 2);
    const DoubleDouble circles =
        DoubleDouble{whole[j], 0} + DoubleDouble{remainder, 0};
    const DoubleDouble angle = circles / fourfold * radians_per_circle;
    theta[j] = angle.hi;
    theta_lo[j] = angle.lo;
  }
  const std::vector<std::int32_t> axis(pairs, 0);
  const std::vector<double> weights(pairs, 1.0);
  const Plan plan(theta, theta_lo), with_axes(theta, theta_lo, 1, axis),
      with_weights(theta, theta_lo, 1, {}, weights);
  std::vector<float> want(pairs);
  for (std::size_t j = 0; j < pairs; ++j) {
    const DoubleDouble high = product_of(fourfold, plan.circles_hi()[j]);
    const DoubleDouble low = product_of(fourfold, plan.circles_lo()[j]);
    const DoubleDouble remainder =
        DoubleDouble{high.hi - whole[j], high.lo} + low;
    REQUIRE(std::abs(remainder.hi) < 0x1p-29);
    const DoubleDouble sine = remainder * radians_per_circle;
    want[j] = static_cast<float>(sine.hi / 4);
  }
  // Alone, with others, in a run, with axes, with weights.
  struct Path {
    const Plan& plan;
    std::vector<std::int64_t> positions;
  };
  const Path paths[] = {{plan, {p}},
                        {plan, {5, p}},
                        {plan, {p - 1, p, p + 1}},
                        {with_axes, {p}},
                        {with_weights, {p}}};
  // Beside a pair of another axis, far along it.
  theta.push_back(1);
  theta_lo.push_back(0);
  std::vector<std::int32_t> last_is_other = axis;
  last_is_other.push_back(1);
  const Plan beside_far(theta, theta_lo, 1, last_is_other);
  const std::int64_t near_and_far[] = {p, std::int64_t{1} << 52};
  on_every_target([&](const std::string& target) {
    for (const Path& path : paths) {
      const OwnTable got = table_at(path.plan, path.positions);
      const std::size_t row = path.positions[0] == p ? 0 : 1;
      CAPTURE(target, path.positions);
      CHECK(same_bits(std::span(got.sin).subspan(row * pairs, pairs), want));
    }
    OwnTable got(1, pairs + 1);
    table(beside_far, {1, 1}, {near_and_far, 1, 0}, got.out());
    CAPTURE(target);
    CHECK(same_bits(std::span(got.sin).first(pairs), want));
  });
}

TEST_CASE("a tie next to zero is decided by the angle itself", "[fast][R2]") {
  // Found by search; sines by 113-bit arithmetic on the plan's circles.
  struct Found {
    std::int64_t position;
    double theta, theta_lo;
    float sine;
  };
  const Found found[] = {{244528673, 0x1.ca08e7c76df2fp+0,
                          -0x1.435cca8f339d2p-60, 2.343277177e-19f},
                         {214124997, 0x1.c49f5277f90c4p+0,
                          -0x1.14abc349e9a77p-55, 2.052435856e-17f}};
  for (const Found& f : found) {
    const Plan plan({&f.theta, 1}, {&f.theta_lo, 1});
    on_every_target([&](const std::string& target) {
      const OwnTable got = table_at(plan, {&f.position, 1});
      CAPTURE(target, f.position);
      CHECK(got.sin[0] == f.sine);
    });
  }
}

TEST_CASE("beyond 2^53 quarter circles a table is the same on every target",
          "[fast][R2]") {
  const std::int64_t position = (std::int64_t{1} << 53) - 399;
  const double theta[] = {3, 74, 0x1.9eb0b2ee64e81p+6, 1e6, -1e6};
  const double theta_lo[] = {0, 0, -0x1.73df3bac0d219p-48, 0, 0};
  const Plan plan(theta, theta_lo);
  std::vector<float> first;
  on_every_target([&](const std::string& target) {
    const OwnTable got = table_at(plan, {&position, 1});
    CAPTURE(target);
    for (std::size_t j = 0; j < 5; ++j) {
      CHECK(std::abs(std::hypot(got.cos[j], got.sin[j]) - 1) < 1e-6);
    }
    if (first.empty()) first = got.sin;
    CHECK(same_bits(got.sin, first));
  });
}

TEST_CASE("a sine of zero is +0 whatever signs led to it", "[fast][R2]") {
  const double theta[] = {0, 0, -0.3, -1, -1};
  const double theta_lo[] = {0, 0, 0, 1e-18, -1e-18};
  const Plan plan(theta, theta_lo);
  const std::int64_t origin[] = {0, 0}, below[] = {-5};
  const std::vector<float> zero(10, 0.0f);
  on_every_target([&](const std::string& target) {
    const OwnTable at_origin = table_at(plan, origin);
    const OwnTable at_below = table_at(plan, below);
    CAPTURE(target);
    CHECK(same_bits(at_origin.sin, zero));
    CHECK(
        same_bits(std::span(at_below.sin).first(2), std::span(zero).first(2)));
  });
}

TEST_CASE("positions 0 and -0 have cosine m and sine +0", "[fast][R2]") {
  const double minus_zero[] = {-0.0, -0.0};
  const std::int64_t zero[] = {0, 0};
  for (const double amplitude : {1.0, 1.5}) {
    const Plan plan = plan_of(10000, 80, amplitude);
    on_every_target([&](const std::string& target) {
      for (const std::size_t tokens : {1u, 2u}) {
        const OwnTable at_zero = table_at(plan, std::span(zero).first(tokens));
        OwnTable want(tokens, 40), at_minus_zero(tokens, 40);
        std::fill(want.cos.begin(), want.cos.end(),
                  static_cast<float>(amplitude));
        std::fill(want.sin.begin(), want.sin.end(), 0.0f);
        table(plan, {1, static_cast<std::int64_t>(tokens)},
              {nullptr, 0, 0, minus_zero}, at_minus_zero.out());
        CAPTURE(target, tokens);
        CHECK(same_bits(at_zero, want));
        CHECK(same_bits(at_minus_zero, want));
      }
    });
  }
}

}  // namespace
}  // namespace ropeproof::fast
