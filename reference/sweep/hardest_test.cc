// Distances from rounding boundaries, and that the search finds the closest.
#include "reference/sweep/hardest.h"

#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

namespace ropeproof::reference::sweep {
namespace {

TEST_CASE("a boundary is half-way between neighbours of the format",
          "[reference][sweep][hard]") {
  // An ulp of f32 around 1.5 is 2^-23, of f16 2^-10, of bf16 2^-7.
  CHECK(boundary_distance(Format::kF32, {1.5, 0}) == 0.5);
  CHECK(boundary_distance(Format::kF32, {-1.5 - 0x1p-24, 0}) == 0);
  CHECK(boundary_distance(Format::kF32, {1.5 + 0x1p-24, 0x1p-60}) == 0x1p-37);
  CHECK(boundary_distance(Format::kF16, {1.5 + 0x1p-12, 0}) == 0.25);
  CHECK(boundary_distance(Format::kBF16, {1.5 + 0x1p-8 - 0x1p-30, 0}) ==
        0x1p-23);
  // Binary64: the low word alone says it.
  CHECK(boundary_distance(Format::kF64, {1.5, 0x1p-54}) == 0.25);
  CHECK(boundary_distance(Format::kF64, {1.5, -0x1p-53 + 0x1p-90}) == 0x1p-38);
  // Subnormal numbers of f16 have an ulp of 2^-24.
  CHECK(boundary_distance(Format::kF16, {0x1p-20 + 0x1p-26, 0}) == 0.25);
}

const HardSearch kSmall{{10000, 1e6}, {16}, 600, std::int64_t{1} << 31,
                        300,          2,    1,   3};

// What the search has come to, certified.
DoubleDouble golden_of(const HardCase& hard) {
  const Spec spec{
      leading(hard.rotary_dim, hard.rotary_dim, Pairing::kInterleaved),
      {hard.base}};
  const auto position = static_cast<double>(hard.position);
  const Goldens goldens(best_oracle(), spec, std::span(&position, 1));
  const auto pair = static_cast<std::size_t>(hard.pair);
  WideGolden y;
  if (hard.what == Hard::kRotated) {
    std::vector<double> x(static_cast<std::size_t>(hard.rotary_dim));
    x[2 * pair] = hard.x_u;
    x[2 * pair + 1] = hard.x_v;
    y = goldens.wide_rope(1, x)[2 * pair];
  } else {
    const WideCosSin entry = goldens.wide_table()[pair];
    y = hard.what == Hard::kCos ? entry.cos : entry.sin;
  }
  return {std::bit_cast<double>(y.hi), std::bit_cast<double>(y.lo)};
}

// Four digits and three products of them; the two products of a rotation and
// their sum, relative to |x_u| + |x_v|; and the golden itself.
constexpr double kDigitsError = 4 * 0.354 * kU2 + 3 * kCosSinProductError;
constexpr double kRotationError = kDigitsError + kScaledError + kSumError + kU2;

TEST_CASE("the closest to a boundary of all goldens is found",
          "[reference][sweep][hard]") {
  HardSearch search = kSmall;
  search.bases = {10000};
  search.limit = 2;  // the random positions are all 1
  const auto found = find_hardest(best_oracle(), search);
  std::vector<double> positions(599);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    positions[i] = static_cast<double>(i + 1);
  }
  const Spec spec{leading(16, 16, Pairing::kInterleaved), {10000}};
  const auto sums = Goldens(best_oracle(), spec, positions).wide_table();
  for (const Format format :
       {Format::kF64, Format::kF32, Format::kF16, Format::kBF16}) {
    double closest = 1;
    for (const WideCosSin& sum : sums) {
      const DoubleDouble c{std::bit_cast<double>(sum.cos.hi),
                           std::bit_cast<double>(sum.cos.lo)};
      closest = std::min(closest, boundary_distance(format, c));
    }
    const auto first = std::ranges::find_if(found, [&](const HardCase& hard) {
      return hard.format == format && hard.what == Hard::kCos;
    });
    REQUIRE(first != found.end());
    CHECK(std::abs(first->distance - closest) <= 0x1p-45);
    CHECK(first->distance < 0.01);
  }
}

TEST_CASE("every position is found as its golden has it, if all are kept",
          "[reference][sweep][hard]") {
  HardSearch search = kSmall;
  search.bases = {10000};
  search.limit = 2;
  search.rotated = 1;
  search.cos_sin_kept = 599 * 8;
  std::set<std::int64_t> positions;
  for (const HardCase& hard : find_hardest(best_oracle(), search)) {
    if (hard.what == Hard::kRotated || hard.format != Format::kF32) continue;
    if (hard.position % 256 != 0) continue;  // a digit of 0
    positions.insert(hard.position);
    const DoubleDouble golden = golden_of(hard);
    CHECK(std::abs(boundary_distance(hard.format, golden) - hard.distance) <=
          kDigitsError / ulp(hard.format, golden.hi));
  }
  CHECK(positions == std::set<std::int64_t>{256, 512});
}

TEST_CASE("a search keeps the closest, as goldens have them, and repeats",
          "[reference][sweep][hard]") {
  const auto found = find_hardest(best_oracle(), kSmall);
  CHECK(found.size() == 4 * (2 + 2 + 1));
  const auto again = find_hardest(best_oracle(), kSmall);
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i].distance == again[i].distance);
    CHECK(found[i].position == again[i].position);
    CHECK(found[i].x_u == again[i].x_u);
    CHECK(round_to(found[i].format, found[i].x_u) == found[i].x_u);
    const DoubleDouble golden = golden_of(found[i]);
    const double size =
        std::max(std::abs(found[i].x_u) + std::abs(found[i].x_v), 1.0);
    CHECK(std::abs(boundary_distance(found[i].format, golden) -
                   found[i].distance) <=
          kRotationError * size / ulp(found[i].format, golden.hi));
    if (found[i].what == Hard::kRotated) continue;
    CHECK(found[i / 5 * 5 + i % 5 / 2 * 2].distance <= found[i].distance);
  }
}

}  // namespace
}  // namespace ropeproof::reference::sweep
