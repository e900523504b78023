#include "conformance/explain/rotations.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <cmath>
#include <numbers>

namespace ropeproof::conformance::explain {
namespace {

using Catch::Matchers::WithinRel;

constexpr double kNoise = 1e-6;

// The angles that x rotates by at `times`, as an output shows them.
std::vector<Multiple> rotated(double x, const std::vector<double>& times) {
  std::vector<Multiple> multiples;
  for (const double t : times) {
    multiples.push_back({t, std::remainder(t * x, 2 * std::numbers::pi)});
  }
  return multiples;
}

TEST_CASE("a frequency is known from positions that leave no other",
          "[conformance][judge]") {
  for (const double x : {0.25, -0.25, 0.001, 2.5}) {
    const auto solved =
        solve(rotated(x, {131071, 513, 4097, 32769}), 3, kNoise, 1);
    REQUIRE(solved);
    CHECK_THAT(solved->x, WithinRel(x, 1e-6));
    CHECK(solved->error < 1e-6);
  }
}

TEST_CASE("of several frequencies the right one is taken for true",
          "[conformance][judge]") {
  const auto one = solve(rotated(1, {513}), 64, kNoise, 1);
  REQUIRE(one);
  CHECK_THAT(one->x, WithinRel(1.0, 1e-6));
  const auto reversed = solve(rotated(-1, {513}), 64, kNoise, 1);
  REQUIRE(reversed);
  CHECK_THAT(reversed->x, WithinRel(-1.0, 1e-6));
}

TEST_CASE("a frequency that may be another one is not known",
          "[conformance][judge]") {
  // One far position; two that a whole circle of the first leaves alone.
  for (const auto& times : {std::vector<double>{513}, {512, 1024}}) {
    const auto solved = solve(rotated(0.3, times), 64, kNoise, 1);
    REQUIRE(solved);
    CHECK(std::isinf(solved->error));
  }
}

TEST_CASE("angles that no frequency explains have none",
          "[conformance][judge]") {
  // Right at 2, clamped there afterwards.
  std::vector<Multiple> multiples = rotated(0.5, {1, 2});
  multiples.push_back({4, 1});
  CHECK_FALSE(solve(multiples, 2, kNoise, 0.5));
  CHECK_FALSE(solve({{0, 0}}, 2, kNoise, 0.5));
}

}  // namespace
}  // namespace ropeproof::conformance::explain
