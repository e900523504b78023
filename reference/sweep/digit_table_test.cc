// Products of digits beside the oracle: errors below the bounds.
#include "reference/sweep/digit_table.h"

#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cfenv>
#include <cmath>
#include <iostream>
#include <random>
#include <vector>

#include "reference/sweep/arithmetic.h"
#include "reference/sweep/rows.h"
#include "reference/test_oracle.h"

namespace ropeproof::reference::sweep {
namespace {

using Catch::Matchers::ContainsSubstring;

// Of close numbers: both differences are exact.
double difference(DoubleDouble a, const WideGolden& b) {
  return (a.hi - value(b.hi)) + (a.lo - value(b.lo));
}

Spec plain(std::int64_t d, double base) {
  return {leading(d, d, Pairing::kHalfSplit), {base}};
}

// Positions 1 .. limit - 1, spread evenly over their logarithms, with the last.
std::vector<double> sample(std::int64_t limit, int count) {
  std::mt19937_64 engine(static_cast<std::uint64_t>(limit));
  std::vector<double> positions{static_cast<double>(limit - 1)};
  const double octaves = std::log2(static_cast<double>(limit));
  while (static_cast<int>(positions.size()) < count) {
    const double part = static_cast<double>(engine() >> 11) * 0x1p-53;
    const double p = std::floor(std::exp2(part * octaves));
    if (p < static_cast<double>(limit)) positions.push_back(p);
  }
  return positions;
}

struct Grid {
  double base;
  std::int64_t d, limit;
};
const Grid kGrids[] = {{10000, 128, 131072}, {1e7, 64, kMaxLimit}};

TEST_CASE("a rotation is within kCosSinError of the certified one",
          "[reference][sweep][bounds][certificate]") {
  if (!available(Oracle::kMpfi)) SKIP("built without MPFI");
  double worst = 0;
  for (const Grid& grid : kGrids) {
    const Spec spec = plain(grid.d, grid.base);
    const DigitTable table(Oracle::kMpfi, grid.base, grid.d, grid.limit);
    const auto width = static_cast<std::size_t>(table.pairs());
    const std::vector<double> positions =
        sample(grid.limit, static_cast<int>(30000 / width));
    const auto want = Goldens(Oracle::kMpfi, spec, positions).wide_table();
    std::vector<CosSin> got(width);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      table.cos_sin(static_cast<std::int64_t>(positions[i]), got);
      for (std::size_t j = 0; j < width; ++j) {
        const WideCosSin& sum = want[i * width + j];
        const double c = difference(got[j].c, sum.cos);
        const double s = difference(got[j].s, sum.sin);
        worst = std::max(worst, std::sqrt(c * c + s * s));
      }
    }
  }
  std::cout << "worst rotation: 2^" << std::log2(worst) << " of 2^"
            << std::log2(kCosSinError) << "\n";
  // A golden sum is itself off by sqrt(2) 2^-108 at most.
  CHECK(worst + kEntryError <= kCosSinError);
  // Products of four entries do lose bits: the comparison can see an error.
  CHECK(worst > kU2);
}

TEST_CASE("a rotated pair is within kRotationError of the certified one",
          "[reference][sweep][bounds][certificate]") {
  const Oracle oracle = best_oracle();
  const Spec spec{leading(64, 64, Pairing::kInterleaved), {500000}};
  const DigitTable table(oracle, 500000, 64, 70000);
  std::mt19937_64 engine(7);
  for (const std::int64_t position : {1, 4095, 65791, 69999}) {
    std::vector<double> x, x_u, x_v;
    for (int j = 0; j < 32; ++j) {
      for (auto* part : {&x_u, &x_v}) {
        part->push_back(static_cast<double>(engine() >> 11) * 0x1p-53);
        x.push_back(part->back());
      }
    }
    std::vector<CosSin> row(32);
    std::vector<DoubleDouble> y_u(32), y_v(32);
    table.cos_sin(position, row);
    rotate_row(row, x_u.data(), x_v.data(), y_u.data(), y_v.data());
    const double p[] = {static_cast<double>(position)};
    const auto want = Goldens(oracle, spec, p).wide_rope(1, x);
    for (std::size_t j = 0; j < 32; ++j) {
      const double size = x_u[j] + x_v[j];
      CHECK(std::abs(difference(y_u[j], want[2 * j])) <= kRotationError * size);
      CHECK(std::abs(difference(y_v[j], want[2 * j + 1])) <=
            kRotationError * size);
    }
  }
}

TEST_CASE("a digit table refuses what it has no bound for",
          "[reference][sweep]") {
  const auto refuses = [&](std::int64_t limit, const std::string& why) {
    CHECK_THROWS_WITH(DigitTable(best_oracle(), 10000, 8, limit),
                      ContainsSubstring(why));
  };
  refuses(0, "limit is 0");
  refuses(kMaxLimit + 1, "limit is 4294967297");
  const DigitTable table(best_oracle(), 10000, 8, 10);
  std::vector<CosSin> row(4);
  std::fesetround(FE_UPWARD);
  CHECK_THROWS_AS(table.cos_sin(3, row), ArithmeticError);
  std::fesetround(FE_TONEAREST);
}

}  // namespace
}  // namespace ropeproof::reference::sweep
