#include "fast/exact_cos_sin.h"

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "fast/bounds.h"
#include "fast/rope_fast.h"
#include "fast/testing.h"
#include "reference/golden.h"

namespace ropeproof::fast {
namespace {

using Real = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<
    300, boost::multiprecision::digit_base_2>>;

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

TEST_CASE("a sum of two doubles rounds to float once", "[fast][exact]") {
  CHECK(round_to_float({1 + 0x1p-24, 0}) == 1.0f);  // a tie, to even
  CHECK(round_to_float({1 + 0x1p-24, 0x1p-80}) == 1 + 0x1p-23f);
  CHECK(round_to_float({1 + 0x1p-24, -0x1p-80}) == 1.0f);
  CHECK(round_to_float({-1 - 0x1p-24, -0x1p-80}) == -1 - 0x1p-23f);
  CHECK(round_to_float({1 + 0x1.8p-23, -0x1p-80}) == 1 + 0x1p-23f);
  CHECK(round_to_float({0, 0}) == 0);
}

// Rows `positions` of a table, formed at once or each on its own.
OwnTable formed(const Plan& plan, const std::vector<std::int64_t>& positions,
                bool at_once) {
  OwnTable result(positions.size(), static_cast<std::int64_t>(plan.pairs()));
  const auto pairs = static_cast<std::int64_t>(plan.pairs());
  if (at_once) {
    table(plan, {1, static_cast<std::int64_t>(positions.size())},
          {positions.data(), 0, 0}, result.out());
    return result;
  }
  for (std::size_t t = 0; t < positions.size(); ++t) {
    const auto row = static_cast<std::int64_t>(t) * pairs;
    table(plan, {1, 1}, {&positions[t], 0, 0},
          {result.cos.data() + row, result.sin.data() + row, 0, pairs});
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

// How many entries differ from the exact value, rounded once.
std::size_t misrounded(const Plan& plan,
                       const std::vector<std::int64_t>& positions,
                       const OwnTable& got) {
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
          "[fast][R2]") {
  for (const std::int64_t first :
       {std::int64_t{0}, std::int64_t{-20}, std::int64_t{131000},
        (std::int64_t{1} << 31) - 40, (std::int64_t{1} << 52)}) {
    for (const double base : {10000.0, 500000.0, 1e30}) {
      for (const std::int64_t r : {128, 46}) {
        const Plan plan = plan_of(base, r, 1.0693);
        const auto positions = consecutive(first, 50);
        std::vector<OwnTable> all;
        on_every_target([&](const std::string&) {
          all.push_back(formed(plan, positions, true));
          all.push_back(formed(plan, positions, false));
        });
        for (const OwnTable& other : all) {
          CAPTURE(first, base, r);
          CHECK(same_bits(other.cos, all[0].cos));
          CHECK(same_bits(other.sin, all[0].sin));
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
    CHECK(misrounded(plan, positions, formed(plan, positions, true)) == 0);
  });
}

TEST_CASE("tables are rounded correctly, positions sampled", "[fast][R2]") {
  for (const double base : {10000.0, 500000.0, 1000000.0}) {
    const Plan plan = plan_of(base, 128);
    for (std::int64_t first = 0; first < 131072; first += 8191) {
      const auto positions = consecutive(first, 32);
      on_every_target([&](const std::string& target) {
        CAPTURE(target, base, first);
        CHECK(misrounded(plan, positions, formed(plan, positions, true)) == 0);
      });
    }
    std::mt19937 random(11);
    std::vector<std::int64_t> anywhere(64);
    for (std::int64_t& p : anywhere) p = static_cast<std::int32_t>(random());
    on_every_target([&](const std::string& target) {
      CAPTURE(target, base);
      CHECK(misrounded(plan, anywhere, formed(plan, anywhere, true)) == 0);
    });
  }
}

// The minute that this takes is for whoever changes a kernel: run
// fast_test "[sweep]".
TEST_CASE("tables are rounded correctly at every position below 131,072",
          "[.][sweep]") {
  for (const double base : {10000.0, 500000.0, 1000000.0}) {
    const Plan plan = plan_of(base, 128);
    for (std::int64_t first = 0; first < 131072; first += 4096) {
      const auto positions = consecutive(first, 4096);
      CAPTURE(base, first);
      CHECK(misrounded(plan, positions, formed(plan, positions, true)) == 0);
    }
    std::mt19937 random(13);
    std::vector<std::int64_t> anywhere(65536);
    for (std::int64_t& p : anywhere) p = static_cast<std::int32_t>(random());
    CHECK(misrounded(plan, anywhere, formed(plan, anywhere, true)) == 0);
  }
}

}  // namespace
}  // namespace ropeproof::fast
