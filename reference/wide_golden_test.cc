// Wide goldens: hi and lo, each rounded once.
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "reference/format.h"
#include "reference/golden.h"

namespace ropeproof::reference {
namespace {

double value(std::uint64_t bits) { return std::bit_cast<double>(bits); }

Oracle any_oracle() {
  const Oracle oracle = GENERATE(Oracle::kMpfi, Oracle::kBinFloat);
  if (!available(oracle)) SKIP("built without MPFI");
  return oracle;
}

Spec full(std::int64_t d, double base, double amplitude) {
  return {leading(d, d, Pairing::kInterleaved),
          {base, {}, amplitude},
          Direction::kForward};
}

std::vector<WideGolden> head(Oracle oracle, const Spec& spec, double position,
                             const std::vector<double>& x) {
  return Goldens(oracle, spec, std::span(&position, 1)).wide_rope(1, x);
}

// Computed by mpmath 1.3 at 6000 bits, and rounded to nearest there.
struct Row {
  double base;
  std::int64_t rotary_dim, j;
  double position, x_u, x_v, amplitude;
  std::uint64_t hi_u, lo_u, hi_v, lo_v;
};

const Row kRows[] = {
    {10000, 128, 1, 131071, 1.5, -0.625, 1, 0xbff98d4359fc5ae6,
     0xbc7d76030a103c4d, 0x3fd33a227fc599ed, 0x3c73e35379c07e0d},
    {500000, 128, 63, 2147483647, 1, 0, 1, 0x3fe6b2f505ea3e30,
     0xbc444abd91c67c89, 0x3fe68e38de3938f2, 0x3c8b998e079cf3b8},
    {1e6, 80, 17, 16777217, 0.1, 3, 1, 0x3ff61424818206bf, 0x3c8197b35563684d,
     0xc005534dd238cece, 0x3ca65c342323b302},
    // y_u cancels 56 bits.
    {10000, 8, 1, kMaxPosition, 0x1.b0760c4b5d594p-3, -0x1.f47472f3e8847p-1, 1,
     0x3c69317a6004c54a, 0xb8e9d1dcc5b376e9, 0x3ff0000000000000,
     0x3c87d2258246fd8a},
    // An angle near 2^352.
    {1e-120, 8, 3, kMaxPosition, 1, 2, 1, 0x400155b5ab75e7d0,
     0x3c8abf281ec7e4fd, 0x3fe1aa64eaa22354, 0xbc8d8ba6305c9f6a},
    {10000, 96, 47, 1, 1, 1e-300, 1, 0x3feffffffc0f5606, 0xbc810b5c9b7320b9,
     0x3f1fc26ca9e90660, 0x3bb2bbe5af6cc8c1},
    {1e7, 64, 5, -77, 3, -5, 1.1386294, 0x400ecd36b5e4423b, 0xbc9e0be9d7b48188,
     0xc015a2b5b7dc591a, 0x3cbdfb7a6e375da9}};

TEST_CASE("wide goldens agree with a third engine, hi and lo",
          "[reference][golden][certificate]") {
  const Oracle oracle = any_oracle();
  for (const Row& row : kRows) {
    CAPTURE(row.base, row.rotary_dim, row.j, row.position);
    std::vector<double> x(static_cast<std::size_t>(row.rotary_dim));
    const auto u = static_cast<std::size_t>(2 * row.j);
    x[u] = row.x_u;
    x[u + 1] = row.x_v;
    const auto y = head(oracle, full(row.rotary_dim, row.base, row.amplitude),
                        row.position, x);
    CHECK(y[u].hi == row.hi_u);
    CHECK(y[u].lo == row.lo_u);
    CHECK(y[u + 1].hi == row.hi_v);
    CHECK(y[u + 1].lo == row.lo_v);
  }
}

TEST_CASE("wide goldens of exact results are exact",
          "[reference][golden][exact]") {
  const Oracle oracle = any_oracle();
  // At position 0 y = m x, a product of 53 by 53 bits.
  const double m = 1 + 0x1p-52, x = 1.5 + 0x1p-52;
  auto y = head(oracle, full(4, 10000, m), 0, {x, -x, 0, 1});
  CHECK(value(y[0].hi) == m * x);
  CHECK(value(y[0].lo) == std::fma(m, x, -(m * x)));
  CHECK(value(y[0].lo) != 0);
  CHECK(value(y[1].hi) == -m * x);
  CHECK(y[2].hi == 0);
  CHECK(y[2].lo == 0);
  CHECK(value(y[3].hi) == m);
  CHECK(value(y[3].lo) == 0);
}

TEST_CASE("a wide golden beyond the largest number is an infinity, without lo",
          "[reference][golden]") {
  const Oracle oracle = any_oracle();
  const auto y = head(oracle, full(2, 10000, 1.5), 1e6, {1e308, 1.7e308});
  CHECK(value(y[0].hi) == std::numeric_limits<double>::infinity());
  CHECK(y[0].lo == 0);
}

TEST_CASE("a wide table holds the same numbers as the table",
          "[reference][golden][R4]") {
  const Oracle oracle = any_oracle();
  const double positions[] = {0, 1, 131071, -5};
  const Goldens goldens(oracle, full(16, 5e5, 1.25), positions);
  const auto table = goldens.table();
  const auto wide = goldens.wide_table();
  REQUIRE(wide.size() == table.size());
  // Rounded to odd and to nearest: the same, or neighbours.
  const auto are_near = [](const Golden& odd, const WideGolden& nearest) {
    const std::uint64_t a = odd.bits, b = nearest.hi;
    return a == b ? nearest.lo == 0 || a % 2 == 1 : a + 1 == b || b + 1 == a;
  };
  for (std::size_t i = 0; i < table.size(); ++i) {
    CAPTURE(i);
    CHECK(are_near(table[i].cos, wide[i].cos));
    CHECK(are_near(table[i].sin, wide[i].sin));
    CHECK(table[i].amplitude.bits == wide[i].amplitude.bits);
  }
}

}  // namespace
}  // namespace ropeproof::reference
