#include "conformance/judge/tolerance.h"

#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <cmath>
#include <cstdio>
#include <functional>
#include <variant>
#include <vector>

#include "conformance/judge/scaling_tolerance.h"
#include "reference/golden.h"

namespace ropeproof::conformance::judge {
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
  CHECK_THAT(local_error(claim, false, false),
             WithinRel(0x1p-8 + 4 * kU, 1e-5));
  claim.rounding = ROPEPROOF_ROUND_EACH;
  claim.table = Format::kBF16;
  CHECK_THAT(local_error(claim, false, false), WithinRel(3 * 0x1p-8, 1e-2));
}

TEST_CASE("the angle term grows with the position and stops at 2",
          "[conformance][tolerance]") {
  const Claim claim = f32_claim(ROPEPROOF_A1);
  CHECK(angle_error(claim, {0, 128, 1, 0}) == 0);
  // Pair 0 turns by the position itself: one rounding, the product's.
  CHECK_THAT(angle_error(claim, {0, 128, 1, 1000}), WithinRel(1000 * kU, 1e-6));
  CHECK_THAT(angle_error(claim, {48, 128, 1e-3, 1000}),
             WithinRel(4 * kU, 1e-6));
  // An f32 position beyond 2^24 costs one rounding more.
  const double exact = angle_error(claim, {20, 128, 1e-6, 1 << 24});
  const double rounded = angle_error(claim, {20, 128, 1e-6, (1 << 24) + 1});
  CHECK(rounded > exact * 1.2);
  CHECK(angle_error(claim, {0, 128, 1, 1ll << 31}) == kVacuous);
  CHECK(angle_error(f32_claim(ROPEPROOF_A0), {0, 128, 1, 1ll << 31}) == 0);
}

TEST_CASE("an exponent that is no f32 costs the logarithm of the frequency",
          "[conformance][tolerance]") {
  const Claim claim = f32_claim(ROPEPROOF_A1);
  const double theta = 1e-3;
  const double exact = frequency_roundings(claim, {48, 128, theta, 1});
  const double inexact = frequency_roundings(claim, {36, 96, theta, 1});
  CHECK(exact == 3);
  CHECK(frequency_roundings(claim, {7, 96, theta, 1}) > exact);
  CHECK(inexact == 3);  // 2*36/96 = 3/4
  CHECK(frequency_roundings(claim, {7, 96, theta, 1}) - 3 >= -std::log(theta));
  CHECK(frequency_roundings(claim, {7, 96, theta, 1}) - 3 <=
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
          const double bound =
              angle_error(claim, {j, r, theta, static_cast<double>(p)});
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

TEST_CASE(
    "the bound of f16 angles covers frequencies that are subnormal in f16",
    "[conformance][tolerance]") {
  Claim claim = f32_claim(ROPEPROOF_A3);
  claim.angle_dtype = Format::kF16;
  double worst = 0;
  for (const double base : {1e4, 5e5, 1e6}) {
    for (std::int64_t j = 0; j < 64; ++j) {
      const double theta = f32_power(base, j, 128);
      const double stored = decode(Format::kF16, encode(Format::kF16, theta));
      for (const double p : {1.0, 100.0, 2000.0}) {
        const double bound = angle_error(claim, {j, 128, theta, p});
        if (bound < kVacuous) {
          worst = std::max(worst, p * std::abs(stored - theta) / bound);
        }
      }
    }
  }
  INFO(worst);
  CHECK(worst <= 1);
  CHECK(worst >= 0.25);
}

// The scalings as engines compute them, every operation in f32.
float f32_theta(const reference::Spec& spec, std::int64_t j) {
  return static_cast<float>(
      f32_power(spec.frequencies.base, j, spec.layout.rotary_dim));
}

float f32_llama3(const reference::Spec& spec, std::int64_t j) {
  const auto& s = std::get<reference::Llama3>(spec.frequencies.scaling);
  const float theta = f32_theta(spec, j);
  const auto length = static_cast<float>(s.original_length);
  const auto low = static_cast<float>(s.low_freq_factor);
  const auto high = static_cast<float>(s.high_freq_factor);
  const auto factor = static_cast<float>(s.factor);
  const float wavelength = 6.2831855f / theta;
  if (wavelength < length / high) return theta;
  if (wavelength > length / low) return theta / factor;
  const float sigma = (length / wavelength - low) / (high - low);
  return (1 - sigma) * theta / factor + sigma * theta;
}

// low and high: the ramp of the model, from its documents.
float f32_yarn(const reference::Spec& spec, std::int64_t j, float low,
               float high) {
  const auto& s = std::get<reference::Yarn>(spec.frequencies.scaling);
  const float theta = f32_theta(spec, j);
  const float ramp = std::min(
      1.0f, std::max(0.0f, (static_cast<float>(j) - low) / (high - low)));
  const float keep = 1 - ramp;
  return theta / static_cast<float>(s.factor) * (1 - keep) + theta * keep;
}

float f32_dynamic(const reference::Spec& spec, std::int64_t j) {
  const auto& s = std::get<reference::DynamicNtk>(spec.frequencies.scaling);
  const auto d = static_cast<float>(spec.layout.rotary_dim);
  const auto factor = static_cast<float>(s.factor);
  const float alpha = factor * static_cast<float>(s.seq_len) /
                          static_cast<float>(s.max_position) -
                      (factor - 1);
  const float base =
      static_cast<float>(spec.frequencies.base) * std::pow(alpha, d / (d - 2));
  return 1.0f / std::pow(base, static_cast<float>(2 * j) / d);
}

TEST_CASE("bounds of scalings hold where a kernel computes them in f32",
          "[conformance][tolerance]") {
  reference::Yarn qwen, deepseek;
  qwen.factor = 4, qwen.original_length = 32768;
  deepseek.factor = 40, deepseek.original_length = 4096;
  const struct {
    const char* name;
    std::int64_t rotary_dim;
    double base;
    reference::Scaling scaling;
    std::function<float(const reference::Spec&, std::int64_t)> compute;
  } rows[] = {
      {"llama3 s=8", 128, 5e5, reference::Llama3{8, 1, 4, 8192}, f32_llama3},
      {"llama3 s=32", 64, 5e5, reference::Llama3{32, 1, 4, 8192}, f32_llama3},
      {"yarn s=4", 128, 1e6, qwen,
       [](const auto& spec, auto j) { return f32_yarn(spec, j, 23, 40); }},
      {"yarn s=40", 64, 1e4, deepseek,
       [](const auto& spec, auto j) { return f32_yarn(spec, j, 10, 23); }},
      {"dynamic NTK", 96, 1e4, reference::DynamicNtk{2, 2048, 2100},
       f32_dynamic}};
  for (const auto& row : rows) {
    reference::Spec spec;
    spec.layout = reference::leading(row.rotary_dim, row.rotary_dim,
                                     reference::Pairing::kHalfSplit);
    spec.frequencies.base = row.base;
    spec.frequencies.scaling = row.scaling;
    const auto golden = golden_frequencies(reference::Oracle::kBinFloat, spec);
    const std::vector<double> scaling =
        scaling_roundings(f32_claim(ROPEPROOF_A1), spec);
    double worst = 0;
    for (std::int64_t j = 0; j < row.rotary_dim / 2; ++j) {
      const double theta =
          std::bit_cast<double>(golden[static_cast<std::size_t>(j)].hi);
      PairAngle pair{j, row.rotary_dim, theta, 1};
      pair.scaling = scaling[static_cast<std::size_t>(j)];
      const double error = std::abs(double{row.compute(spec, j)} - theta);
      worst =
          std::max(worst, error / angle_error(f32_claim(ROPEPROOF_A1), pair));
    }
    std::printf("scaling bound %-12s largest error/bound %.3f\n", row.name,
                worst);
    INFO(row.name);
    CHECK(worst <= 1);
    CHECK(worst >= 0.1);
  }
}

}  // namespace
}  // namespace ropeproof::conformance::judge
