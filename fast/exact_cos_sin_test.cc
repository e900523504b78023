#include "fast/exact_cos_sin.h"

#include <bit>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "fast/bounds.h"
#include "fast/rope_fast.h"
#include "fast/testing.h"
#include "reference/golden.h"

namespace ropeproof::fast {
namespace {

using Real = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<
    300, boost::multiprecision::digit_base_2>>;

bool same(DoubleDouble x, DoubleDouble y) {
  return std::bit_cast<std::uint64_t>(x.hi) ==
             std::bit_cast<std::uint64_t>(y.hi) &&
         std::bit_cast<std::uint64_t>(x.lo) ==
             std::bit_cast<std::uint64_t>(y.lo);
}

Real real(DoubleDouble x) { return Real(x.hi) + Real(x.lo); }

TEST_CASE("an exact cosine and sine stay within its stated bound",
          "[fast][R2]") {
  std::mt19937_64 random(5);
  const Real two_pi = 8 * atan(Real(1));
  double worst = 0;
  for (int i = 0; i < 4000; ++i) {
    const double p = std::ldexp(
        static_cast<double>(static_cast<std::int64_t>(random())), -11 - i % 50);
    const double hi = std::ldexp(static_cast<double>(random() >> 11), -56);
    const DoubleDouble circles{hi, std::ldexp(hi, -54) * (i % 3 - 1)};
    const CosSin got = exact_cos_sin({p, 0}, circles, 1.25);
    const Real phi = two_pi * Real(p) * real(circles);
    const Real angle_error = abs(phi) * kAngleBound;
    const auto excess = [&](DoubleDouble value, const Real& want) {
      const Real error = abs(real(value) - want) - 1.25 * angle_error;
      return error <= 0 ? 0.0 : static_cast<double>(error / abs(want));
    };
    worst = std::max({worst, excess(got.cos, 1.25 * cos(phi)),
                      excess(got.sin, 1.25 * sin(phi))});
  }
  CHECK(worst <= kExactCosSinBound);
  record("exact cosine and sine", "any", "2^-101", kExactCosSinBound * 0x1p101,
         worst * 0x1p101);
}

TEST_CASE("exact cosines and sines of many pairs have the bits of one",
          "[fast][R2][exact]") {
  std::mt19937_64 random(6);
  for (int round = 0; round < 200; ++round) {
    ExactPairs pairs{};
    const std::size_t n = 1 + random() % ExactPairs::kMost;
    for (std::size_t i = 0; i < n; ++i) {
      const double p = std::ldexp(
          static_cast<double>(static_cast<std::int64_t>(random())), -11);
      pairs.position.hi[i] =
          random() % 2 == 0 ? p : std::nearbyint(p * 0x1p-30);
      pairs.position.lo[i] = random() % 2 == 0 ? 0 : std::ldexp(p, -54);
      pairs.circles.hi[i] =
          std::ldexp(static_cast<double>(random() >> 11), -56);
      pairs.circles.lo[i] = std::ldexp(pairs.circles.hi[i], -54);
      pairs.amplitude[i] = 1.25;
    }
    std::vector<CosSin> all;
    on_every_target([&](const std::string& target) {
      CAPTURE(target, round, n);
      exact_cos_sins(pairs, n);
      for (std::size_t i = 0; i < n; ++i) {
        CAPTURE(i);
        const CosSin one = exact_cos_sin(
            {pairs.position.hi[i], pairs.position.lo[i]},
            {pairs.circles.hi[i], pairs.circles.lo[i]}, pairs.amplitude[i]);
        CHECK(same(one.cos, {pairs.cos.hi[i], pairs.cos.lo[i]}));
        CHECK(same(one.sin, {pairs.sin.hi[i], pairs.sin.lo[i]}));
        if (all.size() < n) all.push_back(one);
        CHECK(same(one.cos, all[i].cos));
        CHECK(same(one.sin, all[i].sin));
      }
    });
  }
}

TEST_CASE("a sum of two doubles rounds to float once", "[fast][exact]") {
  CHECK(round_to_float({1 + 0x1p-24, 0}) == 1.0f);  // a tie, to even
  CHECK(round_to_float({1 + 0x1p-24, 0x1p-80}) == 1 + 0x1p-23f);
  CHECK(round_to_float({1 + 0x1p-24, -0x1p-80}) == 1.0f);
  CHECK(round_to_float({-1 - 0x1p-24, -0x1p-80}) == -1 - 0x1p-23f);
  CHECK(round_to_float({1 + 0x1.8p-23, -0x1p-80}) == 1 + 0x1p-23f);
  CHECK(round_to_float({0, 0}) == 0);
}

// The rows of table_at, each formed on its own.
OwnTable table_one_by_one(const Plan& plan,
                          std::span<const std::int64_t> positions) {
  OwnTable result(positions.size(), static_cast<std::int64_t>(plan.pairs()));
  for (std::size_t t = 0; t < positions.size(); ++t) {
    const std::size_t row = t * plan.pairs();
    table(plan, {1, 1}, row_of(positions.subspan(t, 1)),
          {&result.cos[row], &result.sin[row], 0, 0});
  }
  return result;
}

std::vector<std::int64_t> consecutive(std::int64_t first, std::size_t count) {
  std::vector<std::int64_t> positions(count);
  for (std::size_t i = 0; i < count; ++i) {
    positions[i] = first + static_cast<std::int64_t>(i);
  }
  return positions;
}

// How many entries of the table differ from the exact value, rounded once.
std::size_t misrounded(const Plan& plan,
                       std::span<const std::int64_t> positions) {
  const OwnTable got = table_at(plan, positions);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < got.cos.size(); ++i) {
    const std::size_t j = i % plan.pairs();
    const CosSin want = exact_cos_sin(
        {static_cast<double>(positions[i / plan.pairs()]), 0},
        {plan.circles_hi()[j], plan.circles_lo()[j]}, plan.amplitude());
    wrong += got.cos[i] != round_to_float(want.cos);
    wrong += got.sin[i] != round_to_float(want.sin);
  }
  return wrong;
}

TEST_CASE("every target forms the same table, in a run or one by one",
          "[fast][R2][exact]") {
  for (const std::int64_t first :
       {std::int64_t{0}, std::int64_t{-20}, std::int64_t{131000},
        (std::int64_t{1} << 31) - 40, (std::int64_t{1} << 52)}) {
    for (const double base : {10000.0, 500000.0, 1e30}) {
      for (const std::int64_t r : {128, 46}) {
        const Plan plan = plan_of(base, r, 1.0693);
        const auto positions = consecutive(first, 50);
        std::vector<OwnTable> all;
        on_every_target([&](const std::string&) {
          all.push_back(table_at(plan, positions));
          all.push_back(table_one_by_one(plan, positions));
        });
        for (const OwnTable& other : all) {
          CAPTURE(first, base, r);
          CHECK(same_bits(other, all[0]));
        }
      }
    }
  }
}

TEST_CASE("slow angles at positions without halves are rounded correctly",
          "[fast][R2]") {
  std::vector<double> theta(32), theta_lo(32, 0.0);
  for (std::size_t j = 0; j < theta.size(); ++j) {
    theta[j] = 0x1p-12 / static_cast<double>(j + 1);
  }
  const Plan plan(theta, theta_lo);
  REQUIRE(plan.can_add_angles());
  const auto positions = consecutive((std::int64_t{1} << 53) - 60, 50);
  on_every_target([&](const std::string& target) {
    CAPTURE(target);
    CHECK(misrounded(plan, positions) == 0);
  });
}

// Checks `rows` consecutive positions out of each `stride` below 131,072, and
// as many as `anywhere` below 2^31.
void check_rounding(std::size_t rows, std::int64_t stride,
                    std::size_t anywhere) {
  for (const double base : {10000.0, 500000.0, 1000000.0}) {
    const Plan plan = plan_of(base, 128);
    for (std::int64_t first = 0; first < 131072; first += stride) {
      CAPTURE(base, first);
      CHECK(misrounded(plan, consecutive(first, rows)) == 0);
    }
    std::mt19937 random(11);
    std::vector<std::int64_t> positions(anywhere);
    for (std::int64_t& p : positions) p = static_cast<std::int32_t>(random());
    CAPTURE(base);
    CHECK(misrounded(plan, positions) == 0);
  }
}

TEST_CASE("tables are rounded correctly, positions sampled", "[fast][R2]") {
  on_every_target([&](const std::string& target) {
    CAPTURE(target);
    check_rounding(32, 8191, 64);
  });
}

// The minute that this takes is for whoever changes a kernel: run
// fast_test "[sweep]".
TEST_CASE("tables are rounded correctly at every position below 131,072",
          "[.][sweep]") {
  check_rounding(4096, 4096, 65536);
}

}  // namespace
}  // namespace ropeproof::fast
