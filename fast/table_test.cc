#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cmath>
#include <memory>
#include <vector>

#include "fast/bounds.h"
#include "fast/rope_fast.h"
#include "fast/rotate_heads.h"
#include "fast/testing.h"
#include "reference/format.h"
#include "reference/golden.h"

namespace ropeproof::fast {
namespace {

reference::Spec spec_of(std::int64_t rotary_dim) {
  reference::Spec spec;
  spec.layout = reference::leading(rotary_dim, rotary_dim,
                                   reference::Pairing::kInterleaved);
  spec.frequencies.base = 10000;
  return spec;
}

// The worst error in ulp, beyond what an angle at position p that is off by
// p * `angle_bound` excuses.
double worst_ulp(const OwnTable& got, const reference::Spec& spec,
                 std::span<const std::int64_t> positions, double angle_bound) {
  const std::vector<double> exact(positions.begin(), positions.end());
  const auto want =
      reference::Goldens(reference::best_oracle(), spec, exact).table();
  double worst = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    const auto p =
        static_cast<double>(positions[i / static_cast<std::size_t>(got.pairs)]);
    for (const auto& [value, bits] :
         {std::pair(got.cos[i], want[i].cos.bits),
          std::pair(got.sin[i], want[i].sin.bits)}) {
      const auto wanted = std::bit_cast<double>(bits);
      const double error = std::abs(value - wanted) - std::abs(p) * angle_bound;
      worst = std::max(worst,
                       error / reference::ulp(reference::Format::kF32, wanted));
    }
  }
  return worst;
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
  reference::Spec spec = spec_of(2 * pairs);
  spec.frequencies.inv_freq = theta;
  const std::span positions(&position, 1);
  // What binary64 alone makes of it, shown by libm's, good to 0.6 ulp.
  OwnTable naive(1, pairs);
  std::transform(theta.begin(), theta.end(), naive.cos.begin(),
                 [](double x) { return static_cast<float>(std::cos(x)); });
  std::transform(theta.begin(), theta.end(), naive.sin.begin(),
                 [](double x) { return static_cast<float>(std::sin(x)); });
  CHECK(worst_ulp(naive, spec, positions, 0) > kTableBound);
  on_every_target([&](const std::string& target) {
    const OwnTable got = table_at(Plan(theta, theta_lo), positions);
    CAPTURE(target);
    CHECK(worst_ulp(got, spec, positions, 0) <= kTableBound);
  });
}

// Numerators of the continued fraction of pi: nowhere else are sines of
// integers so small, and an angle with an absolute error so wrong.
TEST_CASE("sines next to multiples of pi keep all their digits", "[fast][R2]") {
  const std::vector<std::int64_t> positions = {
      22,        355,        104348,      312689,        1146408,
      5419351,   80143857,   245850922,   411557987,     1068966896,
      -80143857, 6167950454, 14885392687, 1783366216531, 6134899525417045};
  on_every_target([&](const std::string& target) {
    const OwnTable got = table_at(plan_of(10000, 2), positions);
    CAPTURE(target);
    CHECK(worst_ulp(got, spec_of(2), positions,
                    kAngleBound + 2 * kFrequencyBound) <= kTableBound);
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
    OwnTable got(1, pairs);
    table(Plan(theta, theta_lo, 1, axis), {1, 1}, {positions.data(), 1, 0},
          got.out());
    const OwnTable own_axis = table_at(Plan(theta, theta_lo), positions);
    for (std::size_t j = 0; j < theta.size(); ++j) {
      const std::size_t row = static_cast<std::size_t>(axis[j]) * theta.size();
      CAPTURE(target, j);
      CHECK(got.cos[j] == own_axis.cos[row + j]);
      CHECK(got.sin[j] == own_axis.sin[row + j]);
    }
  });
}

// Rows of 16 pairs, of 64, and of more than are formed at once; the gaps
// between them, too, are whole lines.
TEST_CASE("a table that goes past the caches is the same, and so are its gaps",
          "[fast][R2]") {
  const std::int64_t pairs = GENERATE(16, 64, 272);
  const std::int64_t row = pairs + 16;
  const Shape shape{2, kCacheBytes / (2 * 2 * 4 * pairs) + 5};
  std::vector<std::int64_t> positions;  // runs of 1,000
  for (std::int64_t i = 0; i < shape.seq; ++i) {
    positions.push_back(i + i / 1000 * 7);
  }
  const Plan plan = plan_of(10000, 2 * pairs);
  const std::int64_t count = shape.batch * shape.seq * row;
  // With `distance` numbers between its beginning and that of a line.
  const auto table_from = [&](std::size_t distance) {
    const std::size_t size = static_cast<std::size_t>(count) + 32;
    std::vector<float> memory(2 * size, kPoison), got;
    std::array<float*, 2> begin;
    for (std::size_t i = 0; i < 2; ++i) {
      void* at = &memory[i * size];
      std::size_t room = size * sizeof(float);
      begin[i] = static_cast<float*>(std::align(64, 64, at, room)) + distance;
    }
    table(plan, shape, row_of(positions),
          {begin[0], begin[1], shape.seq * row, row});
    for (const float* from : begin) got.insert(got.end(), from, from + count);
    return got;
  };
  on_every_target([&](const std::string& target) {
    CAPTURE(target, pairs);
    CHECK(same_bits(table_from(0), table_from(1)));
  });
}

TEST_CASE("a table does not depend on the number of threads", "[fast]") {
  std::vector<std::int64_t> positions(1001);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    positions[i] = static_cast<std::int64_t>(i * i);
  }
  CHECK(is_same_with_threads({1, 2}, [&] {
    OwnTable all = table_at(plan_of(10000, 128), positions);
    all.cos.insert(all.cos.end(), all.sin.begin(), all.sin.end());
    return all.cos;
  }));
}

}  // namespace
}  // namespace ropeproof::fast
