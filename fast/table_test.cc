#include <omp.h>

#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstring>
#include <vector>

#include "fast/bounds.h"
#include "fast/rope_fast.h"
#include "fast/testing.h"
#include "reference/format.h"
#include "reference/golden.h"

namespace ropeproof::fast {
namespace {

using reference::Oracle;

const Oracle kOracle =
    reference::available(Oracle::kMpfi) ? Oracle::kMpfi : Oracle::kBinFloat;

reference::Spec spec_of(std::int64_t rotary_dim, double base,
                        double amplitude) {
  reference::Spec spec;
  spec.layout = reference::leading(rotary_dim, rotary_dim,
                                   reference::Pairing::kInterleaved);
  spec.frequencies.base = base;
  spec.frequencies.amplitude = amplitude;
  return spec;
}

// The error of a cosine or sine in ulp, beyond what an angle of error
// `angle_error` excuses.
double excess_ulp(float got, double want, double angle_error) {
  const double error = std::abs(double{got} - want) - angle_error;
  if (error <= 0) return 0;
  return error / reference::ulp(reference::Format::kF32, want);
}

// Calls check(got, want, angle_error) for every cosine and sine of `table`.
template <class Check>
void for_each_value(const OwnTable& table,
                    const std::vector<reference::GoldenCosSin>& want,
                    std::span<const std::int64_t> positions,
                    std::span<const double> theta, const Check& check) {
  const double bound =
      kAngleBound + kFrequencyBound * 2 * static_cast<double>(theta.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    const double phi = static_cast<double>(positions[i / theta.size()]) *
                       theta[i % theta.size()];
    const double angle_error = 2 * std::abs(phi) * bound;  // amplitude < 2
    check(table.cos[i], std::bit_cast<double>(want[i].cos.bits), angle_error);
    check(table.sin[i], std::bit_cast<double>(want[i].sin.bits), angle_error);
  }
}

TEST_CASE("cosines and sines stay within their stated bound", "[fast][R2]") {
  const Shape shape{1, kPositions.size()};
  for (const std::int64_t r : kRotaryDims) {
    for (const double amplitude : {1.0, 1.3465735902799727}) {
      const auto pairs = static_cast<std::size_t>(r / 2);
      std::vector<double> theta(pairs), theta_lo(pairs);
      frequencies(10000, theta, theta_lo);
      const Plan plan(theta, theta_lo, amplitude);
      const auto want = reference::golden_table(
          kOracle, spec_of(r, 10000, amplitude), kPositions);
      on_every_target([&](const std::string& target) {
        OwnTable got(kPositions.size(), r / 2);
        table(plan, shape, {kPositions.data(), 0, 0}, got.out());
        double worst = 0;
        for_each_value(got, want, kPositions, theta,
                       [&](float g, double w, double angle_error) {
                         const double ulps = excess_ulp(g, w, angle_error);
                         worst = std::max(worst, ulps);
                       });
        CAPTURE(target, r, amplitude);
        CHECK(worst <= kTableBound);
        record("table", target, "ulp", kTableBound, worst);
      });
    }
  }
}

// Around an eighth of a circle the polynomials are worst. Here every cosine or
// sine is within 2^-26 ulp of the middle between two floats, half of them
// nearer than kCosSinBound can tell.
TEST_CASE("values next to a tie round correctly", "[fast][R2]") {
  const std::int64_t position = 1;
  const std::size_t pairs = 4096;
  std::vector<double> theta(pairs), theta_lo(pairs, 0.0);
  for (std::size_t j = 0; j < pairs; ++j) {
    const double t = static_cast<double>(j) / pairs;  // [0, 1)
    const auto value = static_cast<float>(0.7071 * (0.99 + 0.02 * t));
    const double offset = 0x1p-27 * (static_cast<double>(j % 65) / 32 - 1);
    const double near_middle = value + 0x1p-24 * (0.5 + offset);
    theta[j] = j % 2 == 0 ? std::acos(near_middle) : std::asin(near_middle);
  }
  reference::Spec spec = spec_of(2 * pairs, 10000, 1);
  spec.frequencies.inv_freq = theta;
  const auto want =
      reference::golden_table(kOracle, spec, std::span(&position, 1));
  // What binary64 alone makes of it, shown by libm's, good to 0.6 ulp.
  OwnTable naive(1, pairs);
  std::transform(theta.begin(), theta.end(), naive.cos.begin(),
                 [](double x) { return static_cast<float>(std::cos(x)); });
  std::transform(theta.begin(), theta.end(), naive.sin.begin(),
                 [](double x) { return static_cast<float>(std::sin(x)); });
  double worst_naive = 0;
  for_each_value(naive, want, std::span(&position, 1), theta,
                 [&](float g, double w, double) {
                   worst_naive = std::max(worst_naive, excess_ulp(g, w, 0));
                 });
  CHECK(worst_naive > kTableBound);
  on_every_target([&](const std::string& target) {
    OwnTable got(1, pairs);
    table(Plan(theta, theta_lo), {1, 1}, {&position, 0, 0}, got.out());
    double worst = 0;
    for_each_value(got, want, std::span(&position, 1), theta,
                   [&](float g, double w, double) {
                     worst = std::max(worst, excess_ulp(g, w, 0));
                   });
    CAPTURE(target);
    CHECK(worst <= kTableBound);
    record("table", target, "ulp", kTableBound, worst);
  });
}

// Numerators of the continued fraction of pi: nowhere else are sines of
// integers so small, and an angle with an absolute error so wrong.
TEST_CASE("sines next to multiples of pi keep all their digits", "[fast][R2]") {
  const std::vector<std::int64_t> positions = {
      22,        355,        104348,      312689,        1146408,
      5419351,   80143857,   245850922,   411557987,     1068966896,
      -80143857, 6167950454, 14885392687, 1783366216531, 6134899525417045};
  const Shape shape{1, static_cast<std::int64_t>(positions.size())};
  const auto want =
      reference::golden_table(kOracle, spec_of(2, 10000, 1), positions);
  const double theta[] = {1};
  on_every_target([&](const std::string& target) {
    OwnTable got(positions.size(), 1);
    table(plan_of(10000, 2), shape, {positions.data(), 0, 0}, got.out());
    for_each_value(got, want, positions, theta,
                   [&](float g, double w, double angle_error) {
                     CAPTURE(target, g, w);
                     CHECK(excess_ulp(g, w, angle_error) <= kTableBound);
                   });
  });
}

TEST_CASE("the table's bound notices an angle rounded to f32", "[fast][R2]") {
  const std::int64_t position = 257;
  const std::int64_t r = 64;
  const auto want = reference::golden_table(kOracle, spec_of(r, 10000, 1),
                                            std::span(&position, 1));
  double worst = 0;
  for (std::size_t j = 0; j < want.size(); ++j) {
    const auto theta = static_cast<float>(
        std::pow(10000.0, -2.0 * static_cast<double>(j) / r));
    const float phi = static_cast<float>(position) * theta;
    worst =
        std::max(worst, excess_ulp(static_cast<float>(std::cos(double{phi})),
                                   std::bit_cast<double>(want[j].cos.bits), 0));
  }
  CHECK(worst > 4 * kTableBound);
}

TEST_CASE("opposite positions have opposite sines, to the bit", "[fast][R2]") {
  std::vector<std::int64_t> opposite;
  for (const std::int64_t p : kPositions) opposite.push_back(-p);
  const Shape shape{1, kPositions.size()};
  const Plan plan = plan_of(500000, 72);
  on_every_target([&](const std::string& target) {
    OwnTable a(kPositions.size(), 36), b(kPositions.size(), 36);
    table(plan, shape, {kPositions.data(), 0, 0}, a.out());
    table(plan, shape, {opposite.data(), 0, 0}, b.out());
    CAPTURE(target);
    CHECK(same_bits(a.cos, b.cos));
    for (std::size_t i = 36; i < b.sin.size(); ++i) b.sin[i] = -b.sin[i];
    CHECK(same_bits(a.sin, b.sin));
  });
}

TEST_CASE("each pair rotates by the position on its own axis", "[fast][R2]") {
  const std::int64_t pairs = 20;
  const std::vector<std::int64_t> positions = {3, 70000, -5};  // one token
  std::vector<std::int32_t> axis;
  for (std::int32_t j = 0; j < pairs; ++j) axis.push_back(j % 3);
  std::vector<double> theta(pairs), theta_lo(pairs);
  frequencies(10000, theta, theta_lo);
  on_every_target([&](const std::string& target) {
    OwnTable got(1, pairs), own_axis(3, pairs);
    table(Plan(theta, theta_lo, 1, axis), {1, 1}, {positions.data(), 1, 0},
          got.out());
    table(Plan(theta, theta_lo), {1, 3}, {positions.data(), 0, 0},
          own_axis.out());
    for (std::size_t j = 0; j < theta.size(); ++j) {
      const std::size_t row = static_cast<std::size_t>(axis[j]) * theta.size();
      CAPTURE(target, j);
      CHECK(got.cos[j] == own_axis.cos[row + j]);
      CHECK(got.sin[j] == own_axis.sin[row + j]);
    }
  });
}

TEST_CASE("rows of a strided table have untouched gaps", "[fast][R2]") {
  const std::int64_t pairs = 9, gap = 5, row = pairs + gap;
  const Shape shape{2, 3};
  const std::vector<std::int64_t> positions = {4, 5, 6, -1, 70, 80, 90};
  const std::vector<std::int64_t> dense_positions = {4, 5, 6, 70, 80, 90};
  on_every_target([&](const std::string& target) {
    OwnTable got(6, row), dense(6, pairs);
    table(plan_of(10000, 18), shape, {positions.data(), 0, 4},
          {got.cos.data(), got.sin.data(), 3 * row, row});
    table(plan_of(10000, 18), {1, 6}, {dense_positions.data(), 0, 0},
          dense.out());
    OwnTable want(6, row);
    for (std::size_t t = 0; t < 6; ++t) {
      const std::size_t from = t * pairs, to = t * row;
      std::copy_n(&dense.cos[from], pairs, &want.cos[to]);
      std::copy_n(&dense.sin[from], pairs, &want.sin[to]);
    }
    CAPTURE(target);
    CHECK(same_bits(got.cos, want.cos));
    CHECK(same_bits(got.sin, want.sin));
  });
}

TEST_CASE("a table does not depend on the number of threads", "[fast]") {
  std::vector<std::int64_t> positions(1001);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    positions[i] = static_cast<std::int64_t>(i * i);
  }
  const Shape shape{1, 1001};
  OwnTable one(1001, 64), two(1001, 64);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  table(plan_of(10000, 128), shape, {positions.data(), 0, 0}, one.out());
  omp_set_num_threads(2);
  table(plan_of(10000, 128), shape, {positions.data(), 0, 0}, two.out());
  omp_set_num_threads(threads);
  CHECK(same_bits(one.cos, two.cos));
  CHECK(same_bits(one.sin, two.sin));
}

}  // namespace
}  // namespace ropeproof::fast
