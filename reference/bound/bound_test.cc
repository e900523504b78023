// The rows of the bound, counted by hand, and beside operations that round as
// they say.
#include "reference/bound/bound.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <cmath>
#include <random>
#include <utility>

namespace ropeproof::reference::bound {
namespace {

using Catch::Matchers::WithinRel;
using enum Format;

constexpr double kU = 0x1p-24;
constexpr Format kFormats[] = {kF64, kF32, kF16, kBF16};

// Far below it, a bound would be looser than its derivation.
constexpr double kTightLocal = 0.4;

// --- after the angle ---

Claim local_claim(Format table, Rounds rounds, Format output) {
  return {.table = table, .output = output, .rounds = rounds};
}

// y_u as a kernel of this claim computes it from a given table.
double rotate(const Claim& claim, double x_u, double x_v, double c, double s) {
  const Format w = claim.output == kF64 ? kF64 : kF32;
  const bool each = claim.rounds == Rounds::kEach && is_16_bit(claim.output);
  const auto step = [&](double x) {
    return each ? round_to(claim.output, round_to(w, x)) : round_to(w, x);
  };
  const double held_c = round_to(w, round_to(claim.table, c));
  const double held_s = round_to(w, round_to(claim.table, s));
  const double sum = step(step(x_u * held_c) - step(x_v * held_s));
  return claim.rounds == Rounds::kTruncate && is_16_bit(claim.output)
             ? decode(claim.output, truncate(claim.output, sum))
             : round_to(claim.output, sum);
}

// The largest error of `kernel` over the bound of `claim`, of random pairs and
// angles.
double largest_ratio(const Claim& kernel, const Claim& claim) {
  const LocalError local = output_error(claim, true, false);
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> angles(0, 6.28), values(-1, 1);
  double worst = 0;
  for (int i = 0; i < 20000; ++i) {
    const double phi = angles(random);
    const double x_u = round_to(claim.output, values(random));
    const double x_v = round_to(claim.output, values(random));
    const long double c = std::cos(static_cast<long double>(phi));
    const long double s = std::sin(static_cast<long double>(phi));
    const long double y = x_u * c - x_v * s;
    const double got = rotate(kernel, x_u, x_v, static_cast<double>(c),
                              static_cast<double>(s));
    const double bound = std::hypot(x_u, x_v) * local.with_angle(0) +
                         std::abs(static_cast<double>(y)) * local.result +
                         underflow_error(claim, std::abs(x_u) + std::abs(x_v));
    worst = std::max(worst, static_cast<double>(std::abs(got - y)) / bound);
  }
  return worst;
}

TEST_CASE(
    "L and rho hold for a kernel that rounds as it claims, which comes "
    "near them",
    "[reference][bound]") {
  for (const Format output : kFormats) {
    for (const Format table : kFormats) {
      for (const Rounds rounds :
           {Rounds::kOnce, Rounds::kEach, Rounds::kTruncate}) {
        if (rounds != Rounds::kOnce && !is_16_bit(output)) continue;
        const Claim claim = local_claim(table, rounds, output);
        const double ratio = largest_ratio(claim, claim);
        CAPTURE(static_cast<int>(table), static_cast<int>(rounds),
                static_cast<int>(output), ratio);
        CHECK(ratio <= 1);
        CHECK(ratio >= kTightLocal);
      }
    }
  }
}

TEST_CASE("L and rho are what counting by hand gives", "[reference][bound]") {
  // In units of u of the output: of the table, W and 16-bit products; of the
  // conversion.
  const struct {
    Format table;
    Rounds rounds;
    Format output;
    double length, result;
  } given[] = {{kF64, Rounds::kOnce, kF64, 3, 0},
               {kF32, Rounds::kOnce, kF64, 0x1p29 + 2, 0},
               {kF32, Rounds::kOnce, kF32, 3, 0},
               {kF64, Rounds::kOnce, kF32, 3, 0},
               {kBF16, Rounds::kOnce, kF32, 0x1p16 + 2, 0},
               {kF32, Rounds::kOnce, kF16, 3 * 0x1p-13, 1},
               {kF32, Rounds::kTruncate, kF16, 3 * 0x1p-13, 2},
               {kF16, Rounds::kOnce, kF16, 1 + 0x1p-13, 1},
               {kF16, Rounds::kTruncate, kF16, 1 + 0x1p-13, 2},
               {kF16, Rounds::kEach, kF16, 2, 1},
               {kF32, Rounds::kEach, kF16, 1 + 2 * 0x1p-13, 1},
               {kBF16, Rounds::kEach, kBF16, 2, 1}};
  for (const auto& row : given) {
    const double u = traits(row.output).unit_roundoff;
    const LocalError error = output_error(
        local_claim(row.table, row.rounds, row.output), true, false);
    CAPTURE(static_cast<int>(row.table), static_cast<int>(row.rounds),
            static_cast<int>(row.output));
    CHECK_THAT(error.length / u, WithinRel(row.length, 2e-3));
    CHECK(error.result / u == row.result);
  }

  // The conversion enlarges what comes before it.
  CHECK(LocalError{.length = 0.25, .result = 0.5}.with_angle(0.75) == 1.5);

  // A table that the kernel forms: 2u for a 1-ulp sin, u a further rounding.
  Claim claim;
  const auto length = [&](bool has_amplitude) {
    return output_error(claim, false, has_amplitude).length;
  };
  CHECK_THAT(length(false), WithinRel(4 * kU, 1e-6));
  CHECK_THAT(length(true), WithinRel(6 * kU, 1e-6));
  claim.trig_ulp = 4;
  CHECK_THAT(length(false), WithinRel(10 * kU, 1e-6));
  claim = {.output = kBF16};
  CHECK_THAT(length(false), WithinRel(4 * kU, 1e-6));
  claim = local_claim(kBF16, Rounds::kEach, kBF16);
  CHECK_THAT(length(false), WithinRel(2 * 0x1p-8, 1e-2));
  claim = local_claim(kBF16, Rounds::kTruncate, kBF16);
  CHECK_THAT(length(false), WithinRel(2 * 0x1p-8, 1e-2));
  claim = local_claim(kF32, Rounds::kOnce, kF64);
  CHECK_THAT(length(false), WithinRel(2 * kU, 1e-6));
}

TEST_CASE("what a kernel forms before and stores behind is in the bound",
          "[reference][bound]") {
  // (1 + 1/2) ((1 + 1/2) (3/4 + 1/4) + 1/2).
  const LocalError error{.length = 0.25, .result = 0.5, .input = 0.5};
  CHECK(error.with_angle(0.75) == 3);

  Claim claim = local_claim(kF32, Rounds::kOnce, kF16);
  const double rho = output_error(claim, true, false).result;
  const double eta = underflow_error(claim, 0);
  claim.formed_x = 0.125, claim.stored = 0.0625, claim.stored_underflow = 0.5;
  CHECK(output_error(claim, true, false).input == 0.125);
  CHECK(output_error(claim, true, false).result == composed(rho, 0.0625));
  CHECK_THAT(underflow_error(claim, 0) - 0.5, WithinRel(1.0625 * eta, 1e-6));
  claim.scale = 0x1p-10;
  CHECK_THAT(underflow_error(claim, 0) - 0.5,
             WithinRel(0x1p10 * 1.0625 * eta, 1e-6));
}

TEST_CASE("an entry of 16 bits is off relative to itself",
          "[reference][bound]") {
  for (const auto& [rounds, u] : {std::pair{Rounds::kOnce, 0x1p-8},
                                  std::pair{Rounds::kTruncate, 0x1p-7}}) {
    const LocalError entry =
        entry_error(local_claim(kBF16, rounds, kBF16), false);
    CHECK_THAT(entry.length, WithinRel(2 * kU, 1e-6));
    CHECK(entry.result == u);
  }
  for (const Format table : {kF32, kF64}) {
    CHECK(entry_error(local_claim(table, Rounds::kTruncate, kBF16), false)
              .result == 0);
  }
}

// --- the angle ---

TEST_CASE("k is what counting by hand gives", "[reference][bound]") {
  const double theta = 1e-3, ln = -std::log(theta);
  const auto k = [&](const Claim& claim, std::int64_t j, std::int64_t r) {
    return frequency_roundings(claim, {j, r, theta});
  };
  // The bound of |ln theta| exceeds it by at most 0.06.
  const auto is_above = [](double got, double want, double logarithms = 4) {
    return got >= want && got <= want + logarithms * 0.061;
  };
  const Claim pow, exp2{.power = Power::kExp2},
      iterated{.angle_class = AngleClass::kIterated};
  // power 2, reciprocal 1; the exponent unless 2j/r is exact
  CHECK(k(pow, 48, 128) == 3);
  CHECK(k(pow, 36, 96) == 3);  // 72/96 = 3/4
  CHECK(is_above(k(pow, 7, 96), 3 + ln));
  // exp2 2; quotient, logarithm 2, product, all on the exponent
  CHECK(is_above(k(exp2, 48, 128), 2 + 4 * ln));
  // j times power 2 and product 1; theta_0 1; 2/r
  CHECK(k(iterated, 7, 128) == 22);
  CHECK(is_above(k(iterated, 7, 96), 22 + ln));
  // one for a base that is rounded: 1e11 is no f32, 10000 no bf16
  for (const auto& [format, base] :
       {std::pair{kF32, 1e11}, std::pair{kBF16, 1e4}}) {
    PairAngle pair{48, 128, theta};
    pair.base_in = formats_that_hold(base);
    CHECK(frequency_roundings({.angle_arithmetic = format}, pair) == 4);
    CHECK(frequency_roundings({.angle_arithmetic = kF64}, pair) == 3);
  }
  // An n-ulp power is within 2n u, and so is the logarithm of exp2.
  CHECK(k({.power_ulp = 4}, 48, 128) == 9);
  CHECK(is_above(k({.power = Power::kExp2, .power_ulp = 4}, 48, 128),
                 8 + 10 * ln, 10));
  CHECK(k({.angle_class = AngleClass::kIterated, .power_ulp = 4}, 7, 128) ==
        64);
  // theta_0 = 1 is exact.
  for (const Claim& claim : {pow, exp2, iterated}) {
    CHECK(frequency_roundings(claim, {0, 96, 1}) == 0);
  }
}

TEST_CASE("the angle term grows with the position and stops at 2",
          "[reference][bound]") {
  const Claim claim;
  CHECK(angle_error(claim, {0, 128, 1, 0}) == 0);
  // Pair 0 rotates by the position itself: one rounding, the product's.
  CHECK_THAT(angle_error(claim, {0, 128, 1, 1000}), WithinRel(1000 * kU, 1e-6));
  CHECK_THAT(angle_error(claim, {48, 128, 1e-3, 1000}),
             WithinRel(4 * kU, 1e-6));
  // An f32 position beyond 2^24 costs one rounding more.
  const double exact = angle_error(claim, {20, 128, 1e-6, 1 << 24});
  const double rounded = angle_error(claim, {20, 128, 1e-6, (1 << 24) + 1});
  CHECK(rounded > exact * 1.2);
  CHECK(angle_error(claim, {0, 128, 1, 1ll << 31}) == kVacuous);
  CHECK(angle_error({.angle_class = AngleClass::kExact},
                    {0, 128, 1, 1ll << 31}) == 0);
  // f64 has 29 more bits.
  const PairAngle pair{48, 128, 1e-3, 1000};
  CHECK_THAT(
      angle_error(claim, pair) / angle_error({.angle_arithmetic = kF64}, pair),
      WithinRel(0x1p29, 1e-5));
}

TEST_CASE("f16 angles may come from frequencies that are subnormal in f16",
          "[reference][bound]") {
  const Claim claim{.angle_arithmetic = kF16};
  double worst = 0;
  for (const double base : {1e4, 5e5, 1e6}) {
    for (std::int64_t j = 0; j < 64; ++j) {
      const double theta = std::pow(base, -static_cast<double>(j) / 64);
      const double stored = round_to(kF16, theta);
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

TEST_CASE("a frequency given out is held to its own roundings, not the angle's",
          "[reference][bound]") {
  Claim claim;
  const PairAngle exact{48, 128, 1e-3};
  CHECK_THAT(frequency_error(claim, exact), WithinRel(3 * kU, 1e-6));
  claim.angle_arithmetic = kF64;  // stored in f32
  CHECK_THAT(frequency_error(claim, exact), WithinRel(kU, 1e-6));
  claim.table = kF64;
  CHECK_THAT(frequency_error(claim, exact), WithinRel(3 * 0x1p-53, 1e-6));
  claim.table = kBF16;
  CHECK_THAT(frequency_error(claim, exact), WithinRel(0x1p-8, 1e-6));
  claim.rounds = Rounds::kTruncate;
  CHECK_THAT(frequency_error(claim, exact), WithinRel(0x1p-7, 1e-6));
}

TEST_CASE("a frequency given out may be subnormal where it is formed or held",
          "[reference][bound]") {
  for (const auto& [arithmetic, table] :
       {std::pair{kF16, kF32}, std::pair{kF32, kF16}}) {
    for (const Rounds rounds : {Rounds::kOnce, Rounds::kTruncate}) {
      Claim claim{.angle_arithmetic = arithmetic, .table = table};
      claim.rounds = rounds;
      double worst = 0;
      for (std::int64_t j = 0; j < 64; ++j) {
        const double theta = std::pow(1e7, -static_cast<double>(j) / 64);
        const double formed = round_to(arithmetic, theta);
        const double got = rounds == Rounds::kTruncate && table == kF16
                               ? decode(table, truncate(table, formed))
                               : round_to(table, formed);
        const double bound = theta * frequency_error(claim, {j, 128, theta}) +
                             frequency_underflow(claim);
        worst = std::max(worst, std::abs(got - theta) / bound);
      }
      CAPTURE(static_cast<int>(arithmetic), static_cast<int>(rounds), worst);
      CHECK(worst <= 1);
      CHECK(worst >= 0.5);
    }
  }
}

TEST_CASE("two products of f64 may be subnormal, and be rounded",
          "[reference][bound]") {
  const Claim claim{.table = kF64, .output = kF64};
  const double smallest = 0x1p-1074;
  CHECK(underflow_error(claim, 0) >= smallest);
  CHECK(underflow_error(claim, 0) <= 4 * smallest);
}

}  // namespace
}  // namespace ropeproof::reference::bound
