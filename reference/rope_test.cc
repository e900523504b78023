// Facts about (R1)..(R6) that were known before this code: decimals computed by
// hand or to 60 digits elsewhere, and identities. Evaluated in double, so that
// the mutation check (mutants.txt) can recompile this file in seconds.

#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

#include "reference/test_double.h"  // first: it lends rope.h cos and sin

namespace ropeproof::reference {
namespace {

using Vector = std::vector<double>;
using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

constexpr Pairing kBoth[] = {Pairing::kInterleaved, Pairing::kHalfSplit};

auto close(double want) { return Catch::Matchers::WithinAbs(want, 1e-12); }

Spec spec_of(const Layout& layout) { return {layout, {}, Direction::kForward}; }

Vector rotated(const Spec& spec, std::int64_t position, const Vector& x) {
  return plain_rope(spec, Vector{static_cast<double>(position)}, 1, x);
}

double theta(double base, std::int64_t rotary_dim, std::int64_t j) {
  Spec spec = spec_of(leading(rotary_dim, rotary_dim, Pairing::kInterleaved));
  spec.frequencies.base = base;
  return frequency<double>(spec, j);
}

double dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// 1, 2, 3, ...
Vector counting(std::size_t n) {
  Vector x(n);
  std::iota(x.begin(), x.end(), 1.0);
  return x;
}

Vector waves(std::size_t n, double phase) {
  Vector x(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = std::cos(phase + 1.7 * static_cast<double>(i));
  }
  return x;
}

void check_close(const Vector& got, const Vector& want) {
  REQUIRE(got.size() == want.size());
  for (std::size_t t = 0; t < got.size(); ++t) {
    CAPTURE(t);
    CHECK_THAT(got[t], close(want[t]));
  }
}

TEST_CASE("frequencies agree with decimals computed elsewhere",
          "[reference][R1]") {
  struct Row {
    double base;
    std::int64_t rotary_dim, j;
    double want;
  };
  const Row rows[] = {{10000, 8, 0, 1},
                      {10000, 8, 1, 0.1},
                      {10000, 8, 2, 0.01},
                      {10000, 8, 3, 0.001},
                      {10000, 128, 1, 0.86596432336006535},
                      {10000, 128, 63, 0.00011547819846894582},
                      {10000, 80, 3, 0.501187233627272285},
                      {10000, 20, 7, 0.0015848931924611135},
                      {500000, 128, 1, 0.81461723385654470},
                      {500000, 128, 63, 2.4551407911316089e-6}};
  for (const Row& row : rows) {
    CAPTURE(row.base, row.rotary_dim, row.j);
    CHECK_THAT(theta(row.base, row.rotary_dim, row.j) / row.want, close(1));
  }
}

TEST_CASE("given frequencies are used as they are", "[reference][R1]") {
  Spec spec = spec_of(leading(8, 8, Pairing::kInterleaved));
  spec.frequencies.inv_freq = {0.5, 0, 0.1, -3};
  for (std::int64_t j = 0; j < 4; ++j) {
    CHECK(frequency<double>(spec, j) == at(spec.frequencies.inv_freq, j));
  }
}

TEST_CASE("frequencies are exact where they are powers of two",
          "[reference][R1][exact]") {
  struct Row {
    double base;
    std::int64_t rotary_dim, j;
    std::optional<int> want;
  };
  const Row rows[] = {{65536, 8, 1, -4},
                      {65536, 8, 3, -12},
                      {65536, 6, 1, std::nullopt},
                      {0x1p30, 6, 1, -10},
                      {4, 4, 1, -1},
                      {2, 4, 1, std::nullopt},
                      {0.25, 4, 1, 1},
                      {17, 4, 1, std::nullopt},
                      {0x1p-1074, 4, 1, 537},
                      {1, 64, 17, 0},
                      {10000, 8, 0, 0},
                      {10000, 8, 1, std::nullopt},
                      {10000, 8, 2, std::nullopt},
                      {3, 2, 0, 0}};
  for (const Row& row : rows) {
    CAPTURE(row.base, row.rotary_dim, row.j);
    Spec spec =
        spec_of(leading(row.rotary_dim, row.rotary_dim, Pairing::kHalfSplit));
    spec.frequencies.base = row.base;
    const auto got = exact_frequency({spec, {}}, row.j);
    CHECK(got.has_value() == row.want.has_value());
    if (row.want) CHECK(got == BinaryNumber{1, *row.want});
  }
}

TEST_CASE("the angle is position times frequency, from zero and with its sign",
          "[reference][R2]") {
  CHECK(angle(0.25, 0.0) == 0);
  CHECK(angle(0.25, 1.0) == 0.25);
  CHECK(angle(0.25, -12.0) == -3);
  CHECK(angle(1.0, 0x1p53) == 0x1p53);
  CHECK(angle(1.0, 0x1p24 + 1) == 16777217);
}

TEST_CASE("(1, 0) rotates to (cos p, sin p), at any position",
          "[reference][R2][R4]") {
  struct Row {
    std::int64_t position;
    double cos, sin;
  };
  const Row rows[] = {
      {1, 0.54030230586813972, 0.84147098480789651},
      {2, -0.41614683654714239, 0.90929742682568170},
      {-3, -0.98999249660044546, -0.14112000805986722},
      {1000, 0.56237907629070299, 0.82687954053200256},
      {16777217, 0.99438396391365224, 0.10583256734754364},
      {2147483647, -0.68883669187794383, -0.72491655514455639},
      {kMaxPosition, -0.52851178441308869, -0.84892596481465500}};
  const Pairing pairing = GENERATE(from_range(kBoth));
  for (const Row& row : rows) {
    CAPTURE(row.position);
    check_close(rotated(spec_of(leading(2, 2, pairing)), row.position, {1, 0}),
                {row.cos, row.sin});
    check_close(rotated(spec_of(leading(2, 2, pairing)), row.position, {0, 1}),
                {-row.sin, row.cos});
  }
}

TEST_CASE("the channels that pair up are these", "[reference][R3]") {
  struct Row {
    Layout layout;
    Pairs want;
  };
  const Row rows[] = {
      {leading(8, 8, Pairing::kInterleaved), {{0, 1}, {2, 3}, {4, 5}, {6, 7}}},
      {leading(8, 8, Pairing::kHalfSplit), {{0, 4}, {1, 5}, {2, 6}, {3, 7}}},
      {leading(10, 4, Pairing::kInterleaved), {{0, 1}, {2, 3}}},
      {leading(10, 4, Pairing::kHalfSplit), {{0, 2}, {1, 3}}},
      {trailing(10, 4, Pairing::kInterleaved), {{6, 7}, {8, 9}}},
      {trailing(10, 4, Pairing::kHalfSplit), {{6, 8}, {7, 9}}},
      {{10, 6, 3, Pairing::kInterleaved}, {{3, 4}, {5, 6}, {7, 8}}},
      {{10, 6, 3, Pairing::kHalfSplit}, {{3, 6}, {4, 7}, {5, 8}}}};
  for (const Row& row : rows) {
    CAPTURE(row.layout.rotary_dim, row.layout.rotary_offset);
    for (std::size_t j = 0; j < row.want.size(); ++j) {
      const Pair pair = pair_of(row.layout, static_cast<std::int64_t>(j));
      CHECK(std::pair(pair.u, pair.v) == row.want[j]);
    }

    // The whole map agrees: what goes in at u comes out at u and v only.
    const Spec spec = spec_of(row.layout);
    for (std::size_t t = 0; t < 2 * row.want.size(); ++t) {
      const auto [u, v] = row.want[t / 2];
      const auto in = static_cast<std::size_t>(t % 2 == 0 ? u : v);
      const auto other = static_cast<std::size_t>(t % 2 == 0 ? v : u);
      const double phi = std::pow(10000.0, -2.0 * static_cast<double>(t / 2) /
                                               double(2 * row.want.size()));
      Vector x(static_cast<std::size_t>(row.layout.head_dim)), want = x;
      x[in] = 1;
      want[in] = std::cos(phi);
      want[other] = t % 2 == 0 ? std::sin(phi) : -std::sin(phi);
      check_close(rotated(spec, 1, x), want);
    }
  }
}

TEST_CASE("a quarter rotation maps (a, b) to (-b, a), its adjoint to (b, -a)",
          "[reference][R4]") {
  Spec spec = spec_of(leading(2, 2, Pairing::kInterleaved));
  spec.frequencies.inv_freq = {std::numbers::pi / 2};
  check_close(rotated(spec, 1, {3, 5}), {-5, 3});
  check_close(rotated(spec, -1, {3, 5}), {5, -3});
  spec.direction = Direction::kAdjoint;
  check_close(rotated(spec, 1, {3, 5}), {5, -3});
}

TEST_CASE("the adjoint after the forward map is m squared times the identity",
          "[reference][R4]") {
  Spec spec = spec_of({12, 8, 2, GENERATE(from_range(kBoth))});
  spec.frequencies.amplitude = GENERATE(1.0, 1.5, -0.25);
  const double m = spec.frequencies.amplitude;
  const Vector x = counting(12), z = waves(12, 0.3);
  Spec adjoint = spec;
  adjoint.direction = Direction::kAdjoint;

  const Vector back = rotated(adjoint, 77, rotated(spec, 77, x));
  Vector want = x;
  for (std::size_t t = 2; t < 10; ++t) want[t] = m * m * x[t];
  check_close(back, want);

  // <R x, z> = <x, R^T z>
  CHECK_THAT(dot(rotated(spec, 77, x), z),
             close(dot(x, rotated(adjoint, 77, z))));
}

TEST_CASE("the amplitude stretches the window, at position 0 too",
          "[reference][R4]") {
  Spec spec = spec_of({6, 2, 1, Pairing::kInterleaved});
  spec.frequencies.amplitude = 2;
  CHECK(rotated(spec, 0, {1, 2, 3, 4, 5, 6}) == Vector{1, 4, 6, 4, 5, 6});
  const double c = std::cos(9.0), s = std::sin(9.0);
  check_close(rotated(spec, 9, {1, 2, 3, 4, 5, 6}),
              {1, 4 * c - 6 * s, 4 * s + 6 * c, 4, 5, 6});
}

TEST_CASE("a pair of frequency zero stands still", "[reference][R1][R4]") {
  Spec spec = spec_of(leading(4, 4, Pairing::kHalfSplit));
  spec.frequencies.inv_freq = {0, 1};
  const Vector y = rotated(spec, 1, {3, 1, 5, 0});
  CHECK(y[0] == 3);
  CHECK(y[2] == 5);
  CHECK_THAT(y[1], close(0.54030230586813972));
  CHECK_THAT(y[3], close(0.84147098480789651));
}

TEST_CASE("channels outside the window pass through, to the bit",
          "[reference][R5]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Spec spec = spec_of({8, 4, 2, GENERATE(from_range(kBoth))});
  spec.frequencies.amplitude = 3;
  const Vector x = {nan, -0.0, 1, 1, 1, 1, 0x1p-1074, HUGE_VAL};
  const Vector y = rotated(spec, 5, x);
  for (const std::size_t t : {0u, 1u, 6u, 7u}) {
    CHECK(std::bit_cast<std::uint64_t>(y[t]) ==
          std::bit_cast<std::uint64_t>(x[t]));
  }
}

TEST_CASE("each token of each batch row rotates all heads by its own position",
          "[reference][R6]") {
  const Spec spec = spec_of(leading(4, 4, GENERATE(from_range(kBoth))));
  const Vector positions = {7, 0, 7, -100, 3, 131071};  // [2, 3]
  const std::int64_t heads = GENERATE(1, 2, 4);  // as k and q of one layer
  const Vector x = waves(static_cast<std::size_t>(24 * heads), 0);
  const Vector y = plain_rope(spec, positions, heads, x);
  for (std::int64_t head = 0; head < 6 * heads; ++head) {
    const Vector in(x.begin() + 4 * head, x.begin() + 4 * head + 4);
    const Vector out(y.begin() + 4 * head, y.begin() + 4 * head + 4);
    CAPTURE(head);
    const auto p = static_cast<std::int64_t>(at(positions, head / heads));
    CHECK(out == rotated(spec, p, in));
  }
}

}  // namespace
}  // namespace ropeproof::reference
