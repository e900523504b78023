// The tolerance table, row by row: each bound holds for a kernel that rounds
// where the row says, and such a kernel comes near it.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <cstdio>
#include <random>
#include <set>

#include "conformance/judge/tolerance.h"
#include "conformance/text/words.h"

namespace ropeproof::conformance::judge {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::WithinRel;
using reference::Format;

double rounded(Format format, double x) {
  return decode(format, encode(format, x));
}

bool is_narrow(Format format) {
  return format == Format::kF16 || format == Format::kBF16;
}

Claim claim_of(const LocalRow& row) {
  Claim claim;
  claim.angle_class = ROPEPROOF_A0;
  claim.table = row.table;
  claim.rounding = row.rounding;
  claim.output = row.output;
  return claim;
}

// y_u as a kernel of this row computes it from a given table.
double rotate(const LocalRow& row, double x_u, double x_v, double c, double s) {
  const Format w = row.output == Format::kF64 ? Format::kF64 : Format::kF32;
  const bool each =
      row.rounding == ROPEPROOF_ROUND_EACH && is_narrow(row.output);
  const auto step = [&](double x) {
    return each ? rounded(row.output, rounded(w, x)) : rounded(w, x);
  };
  const double held_c = rounded(w, rounded(row.table, c));
  const double held_s = rounded(w, rounded(row.table, s));
  const double sum = step(step(x_u * held_c) - step(x_v * held_s));
  return rounded(row.output, sum);
}

// The largest error over its bound, of random pairs and angles.
double largest_ratio(const LocalRow& row, int tries) {
  const Claim claim = claim_of(row);
  const double local = local_error(claim, true, false);
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> angles(0, 6.28), values(-1, 1);
  double worst = 0;
  for (int i = 0; i < tries; ++i) {
    const double phi = angles(random);
    const double x_u = rounded(row.output, values(random));
    const double x_v = rounded(row.output, values(random));
    const long double c = std::cos(static_cast<long double>(phi));
    const long double s = std::sin(static_cast<long double>(phi));
    const double got =
        rotate(row, x_u, x_v, static_cast<double>(c), static_cast<double>(s));
    const auto error = static_cast<double>(std::abs(got - (x_u * c - x_v * s)));
    const double bound = std::hypot(x_u, x_v) * local +
                         underflow_error(claim, std::abs(x_u) + std::abs(x_v));
    worst = std::max(worst, error / bound);
  }
  return worst;
}

TEST_CASE("every row of the table holds for a kernel that rounds as it says",
          "[conformance][tolerance]") {
  for (const LocalRow& row : local_rows()) {
    CAPTURE(name_of(row));
    const double ratio = largest_ratio(row, 20000);
    std::printf("row %-22s largest error/bound %.3f\n", name_of(row).c_str(),
                ratio);
    CHECK(ratio <= 1);
    CHECK(ratio >= 0.4);
  }
}

TEST_CASE("a row without its rounding to the output type is exceeded",
          "[conformance][tolerance]") {
  for (const LocalRow& row : local_rows()) {
    if (row.in_output == 0) continue;
    CAPTURE(name_of(row));
    // The kernel of this row, held to the row of f32 outputs.
    Claim finer = claim_of(row);
    finer.output = Format::kF32;
    const double share = local_error(claim_of(row), true, false) /
                         local_error(finer, true, false);
    if (is_narrow(row.table)) continue;  // the table hides the output
    CHECK(largest_ratio(row, 20000) * share > 1);
  }
}

TEST_CASE("the table has a row for every claim, and one only",
          "[conformance][tolerance]") {
  std::set<std::string> names;
  for (const auto& [table, table_name] : text::kFormatWords) {
    for (const auto& [output, output_name] : text::kFormatWords) {
      for (const std::uint32_t rounding :
           {ROPEPROOF_ROUND_ONCE, ROPEPROOF_ROUND_EACH}) {
        Claim claim;
        claim.table = table;
        claim.output = output;
        claim.rounding = rounding;
        names.insert(name_of(local_row(claim)));
      }
    }
  }
  CHECK(names.size() == local_rows().size());
  names.clear();
  for (const AngleRow& row : angle_rows()) {
    Claim claim;
    claim.angle_class = row.angle_class;
    claim.power = row.power;
    claim.angle_dtype = row.arithmetic;
    CHECK(name_of(angle_row(claim)) == name_of(row));
    names.insert(name_of(row));
  }
  CHECK(names.size() == angle_rows().size());
}

TEST_CASE("the roundings of each row are those of its derivation",
          "[conformance][tolerance]") {
  // In units of u of the output type: table, then arithmetic, then output.
  const auto given = [](Format table, std::uint32_t rounding, Format output) {
    const Claim claim = claim_of(LocalRow{table, rounding, output, 0, 0});
    return local_error(claim, true, false) /
           reference::traits(output).unit_roundoff;
  };
  constexpr std::uint32_t kOnce = ROPEPROOF_ROUND_ONCE,
                          kEach = ROPEPROOF_ROUND_EACH;
  const Format f64 = Format::kF64, f32 = Format::kF32, f16 = Format::kF16,
               bf16 = Format::kBF16;
  CHECK_THAT(given(f64, kOnce, f64), WithinRel(3, 1e-6));
  CHECK_THAT(given(f32, kOnce, f32), WithinRel(3, 1e-6));
  CHECK_THAT(given(f64, kOnce, f32), WithinRel(3, 1e-6));
  CHECK_THAT(given(f32, kOnce, f16), WithinRel(1 + 3 * 0x1p-13, 1e-6));
  CHECK_THAT(given(f16, kOnce, f16), WithinRel(2 + 0x1p-13, 1e-3));
  CHECK_THAT(given(f16, kEach, f16), WithinRel(3, 2e-3));
  // An f32 table costs its own rounding and one of the product.
  CHECK_THAT(given(f32, kEach, f16), WithinRel(2 + 2 * 0x1p-13, 1e-3));
  CHECK_THAT(given(bf16, kEach, bf16), WithinRel(3, 2e-2));
  CHECK_THAT(given(bf16, kOnce, f32), WithinRel(0x1p16, 1e-4));
}

TEST_CASE("a frequency given out is held to its own roundings, not the angle's",
          "[conformance][tolerance]") {
  constexpr double kU = 0x1p-24;
  Claim claim;
  const PairAngle exact{48, 128, 1e-3};
  CHECK_THAT(frequency_error(claim, exact), WithinRel(3 * kU, 1e-6));
  claim.angle_class = ROPEPROOF_A0;  // formed in f64, stored in f32
  CHECK_THAT(frequency_error(claim, exact), WithinRel(kU, 1e-6));
  claim.table = Format::kF64;
  CHECK_THAT(frequency_error(claim, exact), WithinRel(3 * 0x1p-53, 1e-6));
}

TEST_CASE("A1 in f64 is A1 with 29 more bits", "[conformance][tolerance]") {
  Claim f32, f64;
  f64.angle_dtype = Format::kF64;
  const PairAngle pair{48, 128, 1e-3, 1000};
  CHECK_THAT(angle_error(f32, pair) / angle_error(f64, pair),
             WithinRel(0x1p29, 1e-5));
}

TEST_CASE("the phase grades lie in the gaps between the kinds of angles",
          "[conformance][tolerance]") {
  CHECK(phase_grade(0.63) == 'A');
  CHECK(phase_grade(3.1) == 'B');
  CHECK(phase_grade(14.2) == 'C');
  CHECK(phase_grade(60) == 'D');
  CHECK(phase_grade(184) == 'F');
}

TEST_CASE("the table can be read as a table", "[conformance][tolerance]") {
  const std::string text = tolerance_text();
  for (const AngleRow& row : angle_rows()) {
    CHECK_THAT(text, ContainsSubstring(name_of(row)));
  }
  for (const LocalRow& row : local_rows()) {
    CHECK_THAT(text, ContainsSubstring(name_of(row)));
  }
  CHECK_THAT(text, ContainsSubstring("A2 pow f32   2^-24  1 + 3 j + |ln t| "
                                     "[2/r inexact]"));
}

}  // namespace
}  // namespace ropeproof::conformance::judge
