#include "conformance/verdict/tolerance.h"

#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <cmath>
#include <cstdio>
#include <vector>

#include "reference/golden.h"

namespace ropeproof::conformance {
namespace {

using Catch::Matchers::WithinRel;
using reference::Format;

constexpr double kU = 0x1p-24;

Claim f32_claim(std::uint32_t angle_class) {
  Claim claim;
  claim.angle_class = angle_class;
  return claim;
}

TEST_CASE("local bounds are the sums that their derivation names",
          "[conformance][tolerance]") {
  Claim claim = f32_claim(ROPEPROOF_A0);
  // Given f32 tables: one rounding each for table, product and sum.
  CHECK_THAT(local_error(claim, true, false), WithinRel(3 * kU, 1e-6));
  // Formed by a 1-ulp sin and cos: 2u instead of u.
  CHECK_THAT(local_error(claim, false, false), WithinRel(4 * kU, 1e-6));
  // Amplitude rounded and multiplied: 2u more.
  CHECK_THAT(local_error(claim, false, true), WithinRel(6 * kU, 1e-6));
  claim.trig_ulp = 4;
  CHECK_THAT(local_error(claim, false, false), WithinRel(10 * kU, 1e-6));

  claim = f32_claim(ROPEPROOF_A0);
  claim.output = Format::kBF16;
  CHECK_THAT(local_error(claim, false, false), WithinRel(0x1p-8, 1e-4));
  claim.rounding = ROPEPROOF_ROUND_EACH;
  claim.table = Format::kBF16;
  CHECK_THAT(local_error(claim, false, false), WithinRel(3 * 0x1p-8, 1e-2));
}

TEST_CASE("the angle term grows with the position and stops at 2",
          "[conformance][tolerance]") {
  const Claim claim = f32_claim(ROPEPROOF_A1);
  CHECK(angle_error(claim, {0, 0, 128, 1}) == 0);
  CHECK_THAT(angle_error(claim, {1000, 0, 128, 1}),
             WithinRel(1000 * 4 * kU, 1e-6));
  // An f32 position beyond 2^24 costs one rounding more.
  const double exact = angle_error(claim, {1 << 24, 20, 128, 1e-6});
  const double rounded = angle_error(claim, {(1 << 24) + 1, 20, 128, 1e-6});
  CHECK(rounded > exact * 1.2);
  CHECK(angle_error(claim, {1ll << 31, 0, 128, 1}) == kVacuous);
  CHECK(angle_error(f32_claim(ROPEPROOF_A0), {1ll << 31, 0, 128, 1}) == 0);
}

TEST_CASE("an exponent that is no f32 costs the logarithm of the frequency",
          "[conformance][tolerance]") {
  const Claim claim = f32_claim(ROPEPROOF_A1);
  const double theta = 1e-3;
  const double exact = frequency_roundings(claim, {1, 48, 128, theta});
  const double inexact = frequency_roundings(claim, {1, 36, 96, theta});
  CHECK(exact == 3);
  CHECK(frequency_roundings(claim, {1, 7, 96, theta}) > exact);
  CHECK(inexact == 3);  // 2*36/96 = 3/4
  CHECK(frequency_roundings(claim, {1, 7, 96, theta}) - 3 >= -std::log(theta));
  CHECK(frequency_roundings(claim, {1, 7, 96, theta}) - 3 <=
        -std::log(theta) * 1.02);
}

// The pipelines of PRECISION: f32 angle by power, by exp2 and by recurrence.
double f32_power(double base, std::int64_t j, std::int64_t r) {
  const float e = static_cast<float>(2 * j) / static_cast<float>(r);
  return double{1.0f / std::pow(static_cast<float>(base), e)};
}

double f32_exp2(double base, std::int64_t j, std::int64_t r) {
  const float e = static_cast<float>(2 * j) / static_cast<float>(r);
  return double{std::exp2(-e * std::log2(static_cast<float>(base)))};
}

double f32_iterated(double base, std::int64_t j, std::int64_t r) {
  const float scale =
      std::pow(static_cast<float>(base), -2.0f / static_cast<float>(r));
  float theta = 1;
  for (std::int64_t i = 0; i < j; ++i) theta *= scale;
  return double{theta};
}

// The largest error of a pipeline's angle over its bound, on the grid of
// dimensions, bases and positions where engines run. The exact angle is known
// from the golden frequencies to 2^-104.
double worst_angle_ratio(const Claim& claim,
                         double (*frequency)(double, std::int64_t,
                                             std::int64_t)) {
  constexpr std::int64_t kPositions[] = {1,     1000,   4095,    8191,
                                         32767, 131071, 1048575, 16777217};
  double worst = 0;
  for (const std::int64_t r : {64, 80, 96, 128, 160, 256}) {
    for (const double base : {1e4, 5e5, 1e6}) {
      reference::Spec spec;
      spec.layout = reference::leading(r, r, reference::Pairing::kInterleaved);
      spec.frequencies.base = base;
      const auto thetas =
          golden_frequencies(reference::Oracle::kBinFloat, spec);
      for (std::int64_t j = 0; j < r / 2; ++j) {
        const auto& golden = thetas[static_cast<std::size_t>(j)];
        const double theta = std::bit_cast<double>(golden.hi);
        for (const std::int64_t p : kPositions) {
          const auto position = static_cast<float>(p);
          const double got =
              double{position * static_cast<float>(frequency(base, j, r))};
          const double error = std::abs(got - static_cast<double>(p) * theta);
          const double bound = angle_error(claim, {p, j, r, theta});
          if (bound >= kVacuous) continue;
          worst = std::max(worst, error / bound);
        }
      }
    }
  }
  return worst;
}

TEST_CASE("angle bounds hold on the engines' grids and are not loose",
          "[conformance][tolerance]") {
  Claim exp2 = f32_claim(ROPEPROOF_A1);
  exp2.power = ROPEPROOF_EXP2;
  const struct {
    const char* name;
    Claim claim;
    double (*frequency)(double, std::int64_t, std::int64_t);
  } rows[] = {{"A1 by pow", f32_claim(ROPEPROOF_A1), f32_power},
              {"A1 by exp2", exp2, f32_exp2},
              {"A2", f32_claim(ROPEPROOF_A2), f32_iterated}};
  for (const auto& row : rows) {
    const double ratio = worst_angle_ratio(row.claim, row.frequency);
    std::printf("angle bound %-10s largest error/bound %.3f\n", row.name,
                ratio);
    INFO(row.name);
    CHECK(ratio <= 1);
    CHECK(ratio >= 0.25);
  }
  // Teeth: the bound of a finer class does not cover a coarser pipeline.
  CHECK(worst_angle_ratio(f32_claim(ROPEPROOF_A1), f32_iterated) > 1);
  CHECK(worst_angle_ratio(f32_claim(ROPEPROOF_A1), f32_exp2) > 1);
}

}  // namespace
}  // namespace ropeproof::conformance
