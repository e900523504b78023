// Goldens: exact cases, hard cases, and what decides them.
#include "reference/golden.h"

#include <omp.h>

#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "reference/format.h"
#include "reference/test_oracle.h"

namespace ropeproof::reference {
namespace {

Spec full(std::int64_t d, double base, double amplitude = 1) {
  return {leading(d, d, Pairing::kInterleaved),
          {base, {}, amplitude},
          Direction::kForward};
}

// One head at one position.
std::vector<Golden> head(Oracle oracle, const Spec& spec, auto position,
                         const std::vector<double>& x) {
  return rope_of(oracle, spec, 1, std::array{position}, x);
}

TEST_CASE("an oracle that is not built in says so", "[reference][golden]") {
  CHECK(available(Oracle::kBinFloat));
  if (available(Oracle::kMpfi)) {
    CHECK_NOTHROW(golden_frequencies(Oracle::kMpfi, full(2, 10000)));
  } else {
    CHECK_THROWS_AS(golden_frequencies(Oracle::kMpfi, full(2, 10000)),
                    std::invalid_argument);
  }
}

// Computed by mpmath 1.3 at 6000 bits, without GMP, and rounded to odd there.
// `precision` is the rung of MPFI that decides both: the angle alone costs
// log2|phi| bits, and a cancelling output as many again as it lost.
struct GoldenRow {
  double base;
  std::int64_t rotary_dim, j, position;
  double x_u, x_v, amplitude;
  std::uint64_t y_u, y_v;
  int precision;
};

const GoldenRow kRows[] = {
    {10000, 128, 1, 131071, 1.5, -0.625, 1, 0xbff98d4359fc5ae7,
     0x3fd33a227fc599ed, 128},
    {500000, 128, 63, 2147483647, 1, 0, 1, 0x3fe6b2f505ea3e2f,
     0x3fe68e38de3938f3, 128},
    {1e6, 80, 17, 16777217, 0.1, 3, 1, 0x3ff61424818206bf, 0xc005534dd238cecd,
     128},
    {10000, 96, 47, 1, 1, 1e-300, 1, 0x3feffffffc0f5605, 0x3f1fc26ca9e90661,
     128},
    // Subnormal, and beyond the largest number.
    {1e7, 64, 5, -77, 0x0.0000000000003p-1022, -0x0.0000000000005p-1022, 1,
     0x0000000000000003, 0x8000000000000005, 128},
    {10000, 8, 1, kMaxPosition, 1e308, 1.7e308, 1.5, 0xffefffffffffffff,
     0xffefffffffffffff, 128},
    // x is (sin phi, cos phi) rounded: y_u cancels 56 bits.
    {10000, 8, 1, kMaxPosition, 0x1.b0760c4b5d594p-3, -0x1.f47472f3e8847p-1, 1,
     0x3c69317a6004c549, 0x3ff0000000000001, 257},
    {500000, 128, 1, kMaxPosition - 1, -0x1.e586051d3442dp-1,
     -0x1.450759a6f6d20p-2, 1, 0x3c64698d7e43df1d, 0x3ff0000000000001, 257},
    // Angles near 2^128, 2^352, 2^800.
    {1e-30, 8, 3, kMaxPosition, 1, 2, 1, 0xbff9868ec958133b, 0x3ff9119a8000ac9d,
     257},
    {1e-120, 8, 3, kMaxPosition, 1, 2, 1, 0x400155b5ab75e7d1,
     0x3fe1aa64eaa22353, 513},
    {1e-300, 8, 3, -kMaxPosition, 1, 2, 1, 0xc001e20b519c9d87,
     0x3fac89dde664f971, 4098},
    {0x1p-1074, 8, 3, kMaxPosition, 1, 2, 1, 0x40017a526f602b93,
     0x3fde7d7c42581b31, 4098}};

std::vector<Golden> golden(Oracle oracle, const GoldenRow& row) {
  const Spec spec = full(row.rotary_dim, row.base, row.amplitude);
  std::vector<double> x(static_cast<std::size_t>(row.rotary_dim));
  const auto u = static_cast<std::size_t>(2 * row.j);
  x[u] = row.x_u;
  x[u + 1] = row.x_v;
  const auto y = head(oracle, spec, row.position, x);
  return {y[u], y[u + 1]};
}

TEST_CASE("goldens agree with a third engine, on every rung of the ladder",
          "[reference][golden][certificate]") {
  if (!available(Oracle::kMpfi)) SKIP("built without MPFI");
  for (const GoldenRow& row : kRows) {
    CAPTURE(row.base, row.rotary_dim, row.j, row.position);
    const auto y = golden(Oracle::kMpfi, row);
    CHECK(y[0].bits == row.y_u);
    CHECK(y[1].bits == row.y_v);
    CHECK(std::max(y[0].precision_bits, y[1].precision_bits) == row.precision);
  }
}

TEST_CASE("cpp_bin_float says the same or says that it is undecided",
          "[reference][golden][certificate]") {
  int undecided = 0;
  for (const GoldenRow& row : kRows) {
    CAPTURE(row.base, row.rotary_dim, row.j, row.position);
    if (row.precision == 4098) {  // its last rung has 200 digits
      CHECK_THROWS_AS(golden(Oracle::kBinFloat, row), Undecided);
      ++undecided;
    } else {
      const auto y = golden(Oracle::kBinFloat, row);
      CHECK(y[0].bits == row.y_u);
      CHECK(y[1].bits == row.y_v);
    }
  }
  CHECK(undecided == 2);
}

TEST_CASE("position 0 multiplies by the amplitude, exactly",
          "[reference][golden][exact]") {
  const Oracle oracle = any_oracle();
  Spec spec = full(4, 10000);
  spec.layout.pairing = Pairing::kHalfSplit;
  const std::vector<double> x = {1, -3, 0x1.8p-1040, 0.1};
  auto y = head(oracle, spec, 0, x);
  for (std::size_t t = 0; t < 4; ++t) CHECK(y[t].bits == bits_of(x[t]));

  // 1.5 (1 + 2^-52) and 1.5 (1 + 3 2^-52) lie halfway between two doubles: the
  // odd one is below, then above.
  spec.frequencies.amplitude = 1.5;
  y = head(oracle, spec, 0,
           {1 + 0x1p-52, 1 + 3 * 0x1p-52, -1 - 0x1p-52, 0x1p-1074});
  CHECK(value(y[0].bits) == 1.5 + 0x1p-52);
  CHECK(value(y[1].bits) == 1.5 + 5 * 0x1p-52);
  CHECK(value(y[2].bits) == -1.5 - 0x1p-52);
  CHECK(value(y[3].bits) == 0x1p-1074);
  CHECK(y[0].precision_bits > 0);

  // m = 1 + 2^-12 makes ties of f32 and f16, which the golden keeps.
  spec.frequencies.amplitude = 1 + 0x1p-12;
  y = head(oracle, spec, 0, {1 + 0x1p-12, 3, 1, 0});
  CHECK(value(y[0].bits) == 1 + 0x1p-11 + 0x1p-24);
  CHECK(encode(Format::kF32, value(y[0].bits)) == 0x3f801000);
  CHECK(value(y[1].bits) == 3 + 3 * 0x1p-12);
  CHECK(y[3].bits == 0);
}

TEST_CASE("zero pairs, zero frequencies and a zero amplitude are exact",
          "[reference][golden][exact]") {
  const Oracle oracle = any_oracle();
  Spec spec = full(6, 10000);
  spec.frequencies.inv_freq = {1, 0, -0.0};
  spec.frequencies.amplitude = 0.75;
  auto y = head(oracle, spec, 12345, {0, -0.0, 4, 8, 0.1, -0.0});
  CHECK(y[0].bits == 0);
  CHECK(y[1].bits == 0);
  CHECK(value(y[2].bits) == 3);
  CHECK(value(y[3].bits) == 6);
  // 0.75 * RN(0.1) = 3 * 0x1.999999999999ap-6 has 55 bits.
  CHECK(value(y[4].bits) == 0x1.3333333333333p-4);
  CHECK(y[5].bits == 0);

  spec.frequencies.amplitude = 0;
  y = head(oracle, spec, 12345, {1, 2, 3, 4, 5, 6});
  for (const Golden& golden : y) CHECK(golden.bits == 0);
}

TEST_CASE("xPos does nothing at its centre, and powers of 2/7 at the origin",
          "[reference][golden][exact][R15]") {
  const Oracle oracle = any_oracle();
  Spec spec = full(20, 10000);
  const std::vector<double> x = {49, 8, 0, 0, 0, 0, 5, 0.1, 0, 0,
                                 0,  0, 0, 0, 0, 0, 0, 0,   0, 1};
  const auto plain = head(oracle, spec, 77, x);
  spec.frequencies.xpos = XPos{512, 77, false};
  const auto centred = head(oracle, spec, 77, x);
  for (std::size_t t = 0; t < x.size(); ++t) {
    CHECK(centred[t].bits == plain[t].bits);
  }
  // zeta = (5j + r)/(3.5 r): 2/7 for pair 0, 1/2 for pair 3.
  spec.frequencies.xpos = XPos{512, 1024, false};
  const auto q = head(oracle, spec, 0, x);
  CHECK(value(q[0].bits) == 600.25);  // 3.5^2 * 49
  CHECK(value(q[1].bits) == 98);
  CHECK(value(q[6].bits) == 20);
  CHECK(value(q[7].bits) == 0.4);
  spec.frequencies.xpos->is_key = true;
  const auto k = head(oracle, spec, 0, x);
  CHECK(value(k[0].bits) == 4);
  CHECK(value(k[6].bits) == 1.25);
  CHECK(value(k[7].bits) == 0.025);
}

TEST_CASE("channels outside the window come back as they are",
          "[reference][golden]") {
  const Oracle oracle = any_oracle();
  Spec spec = full(6, 10000);
  spec.layout = {6, 2, 3, Pairing::kHalfSplit};
  spec.frequencies.amplitude = 2;
  const auto y = head(oracle, spec, 7, {-0.0, 0.1, 0x1p-1074, 1, 1, 1e308});
  for (const std::size_t t : {0u, 1u, 2u, 5u}) CHECK(y[t].precision_bits == 0);
  CHECK(y[0].bits == bits_of(-0.0));
  CHECK(y[1].bits == bits_of(0.1));
  CHECK(y[2].bits == 1);
  CHECK(y[5].bits == bits_of(1e308));
  CHECK(y[3].precision_bits > 0);
  CHECK(y[4].precision_bits > 0);
}

TEST_CASE("a frequency is the sum of two doubles, each rounded once",
          "[reference][golden][R1]") {
  const Oracle oracle = any_oracle();
  const auto theta = golden_frequencies(oracle, full(8, 10000));
  REQUIRE(theta.size() == 4);
  CHECK(value(theta[0].hi) == 1);
  CHECK(value(theta[0].lo) == 0);
  const double tenths[] = {1, 10, 100, 1000};
  for (const std::size_t j : {1u, 2u, 3u}) {
    const double hi = 1 / tenths[j];
    CHECK(value(theta[j].hi) == hi);
    // 1/t - hi = (1 - t hi)/t, whose numerator is exact in one FMA.
    CHECK(value(theta[j].lo) == std::fma(-tenths[j], hi, 1.0) / tenths[j]);
  }

  const auto powers = golden_frequencies(oracle, full(8, 65536));
  for (std::size_t j = 0; j < 4; ++j) {
    CHECK(value(powers[j].hi) == std::ldexp(1.0, -4 * static_cast<int>(j)));
    CHECK(value(powers[j].lo) == 0);
  }
  Spec given = full(4, 0);
  given.frequencies.inv_freq = {0.1, 0};
  const auto same = golden_frequencies(oracle, given);
  CHECK(value(same[0].hi) == 0.1);
  CHECK(value(same[0].lo) == 0);
  CHECK(same[1].hi == 0);
}

TEST_CASE("the number of threads does not show", "[reference][golden]") {
  const Oracle oracle = any_oracle();
  const Spec spec = full(32, 10000);
  std::vector<std::int64_t> positions;
  for (std::int64_t i = 0; i < 18; ++i) positions.push_back(i * i * i - 100);
  std::vector<double> x;
  for (int i = 0; i < 2 * 9 * 3 * 32; ++i) x.push_back(std::sqrt(i) - 20);

  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const auto serial = rope_of(oracle, spec, 3, positions, x);
  omp_set_num_threads(2);
  const auto parallel = rope_of(oracle, spec, 3, positions, x);
  omp_set_num_threads(threads);
  std::size_t different = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    different += serial[i].bits != parallel[i].bits ||
                 serial[i].precision_bits != parallel[i].precision_bits;
  }
  CHECK(different == 0);
}

std::vector<WideGolden> wide_head(Oracle oracle, const Spec& spec,
                                  double position,
                                  const std::vector<double>& x) {
  return Goldens(oracle, spec, std::span(&position, 1)).wide_rope(1, x);
}

TEST_CASE("wide goldens of exact results are exact",
          "[reference][golden][exact]") {
  const Oracle oracle = any_oracle();
  // At position 0 y = m x, a product of 53 by 53 bits.
  const double m = 1 + 0x1p-52, x = 1.5 + 0x1p-52;
  auto y = wide_head(oracle, full(4, 10000, m), 0, {x, -x, 0, 1});
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
  const auto y = wide_head(oracle, full(2, 10000, 1.5), 1e6, {1e308, 1.7e308});
  CHECK(value(y[0].hi) == std::numeric_limits<double>::infinity());
  CHECK(y[0].lo == 0);
}

}  // namespace
}  // namespace ropeproof::reference
