#include "conformance/judge/judge.h"

#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <limits>

#include "conformance/cases/counter_generator.h"
#include "conformance/cases/families/family.h"
#include "conformance/cases/form_golden.h"
#include "conformance/judge/codec.h"
#include "conformance/judge/spread.h"
#include "conformance/judge/test_matchers.h"

namespace ropeproof::conformance::judge {
namespace {

using Catch::Matchers::WithinRel;
using reference::Format;

// One pair of one token at position 0: y = x.
cases::Case one_pair(Format dtype, double u, double v) {
  cases::Case c;
  c.problem = cases::make_problem(
      dtype, reference::leading(2, 2, reference::Pairing::kInterleaved), 1e4, 1,
      1, 1, 0, {0});
  c.id = "one-001";
  c.problem.q = {encode(dtype, u), encode(dtype, v)};
  c.golden.q = {std::bit_cast<std::uint64_t>(u),
                std::bit_cast<std::uint64_t>(v)};
  c.golden.inv_freq_hi = {std::bit_cast<std::uint64_t>(1.0)};
  c.golden.inv_freq_lo = {0};
  return c;
}

Measurement judge_one(const cases::Case& c, double u, double v) {
  Claim claim;
  claim.angle_class = reference::bound::AngleClass::kExact;
  claim.output = c.problem.dtype;
  claim.table = c.problem.dtype;
  Output output;
  output.q = {encode(c.problem.dtype, u), encode(c.problem.dtype, v)};
  return judge(c.problem, c.golden, ROPEPROOF_ROPE, claim, output);
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST_CASE("a pattern in place of a golden accepts what it names and no more",
          "[conformance][judge]") {
  const struct {
    std::uint64_t golden;
    double right, wrong;
  } rows[] = {{cases::kMustBeNan, kNan, kInf},
              {cases::kMustBeNan, kNan, 1},
              {cases::kMustBePlusInfinity, kInf, -kInf},
              {cases::kMustBePlusInfinity, kInf, 3e38},
              {cases::kMustBeMinusInfinity, -kInf, kNan},
              {cases::kMustNotBeFinite, kNan, 3e38},
              {cases::kMustNotBeFinite, -kInf, 0}};
  for (const auto& row : rows) {
    cases::Case c = one_pair(Format::kF32, kInf, 1);
    c.problem.is_special = true;
    c.golden.q = {row.golden, row.golden};
    CHECK(judge_one(c, row.right, row.right).pass());
    const Measurement m = judge_one(c, row.right, row.wrong);
    CHECK(m.wrong == 1);
    CHECK(m.first_wrong->channel == 1);
    CHECK(m.beyond_structure == 1);
  }
}

TEST_CASE("NaN and infinity never pass for a number", "[conformance][judge]") {
  const cases::Case c = one_pair(Format::kF32, 1, 2);
  CHECK_THAT(judge_one(c, 1, 2), IsWithin(0));
  CHECK(judge_one(c, kNan, 2).wrong == 1);
  CHECK(judge_one(c, 1, kInf).wrong == 1);
  CHECK_THAT(judge_one(c, kNan, 2), !IsWithin(1e300));
}

TEST_CASE("+0 and -0 are the same number", "[conformance][judge]") {
  const Measurement m = judge_one(one_pair(Format::kF32, 0, -0.0), -0.0, 0);
  CHECK(m.pass());
  CHECK(m.not_nearest == 0);
}

TEST_CASE("outside the window a NaN passes beside an infinity alone",
          "[conformance][judge]") {
  // Channels 2 to 5 are of no pair.
  const auto judged = [](double outside, double got) {
    cases::Case c;
    c.problem = cases::make_problem(
        Format::kF32, reference::leading(6, 2, reference::Pairing::kHalfSplit),
        1e4, 1, 1, 1, 0, {0});
    for (const double x : {1.0, 2.0, 3.0, outside, 5.0, 6.0}) {
      c.problem.q.push_back(encode(Format::kF32, x));
    }
    c.golden = cases::form_golden(c.problem, reference::best_oracle());
    Output output;
    output.q = c.problem.q;
    output.q[2] = encode(Format::kF32, got);
    return judge(c.problem, c.golden, ROPEPROOF_ROPE, {}, output);
  };
  CHECK(judged(kInf, kNan).pass());
  CHECK(judged(kInf, kNan).other_bits == 1);
  CHECK(judged(kInf, 4).wrong == 1);
  CHECK(judged(4, kNan).wrong == 1);
}

TEST_CASE("below the smallest normal number half a step is allowed",
          "[conformance][judge]") {
  const double step = 0x1p-24;  // of f16
  cases::Case c = one_pair(Format::kF16, 0, 4 * step);
  c.golden.q[1] = std::bit_cast<std::uint64_t>(4.5 * step);
  CHECK_THAT(judge_one(c, 0, 4 * step), IsWithin(1));
  CHECK_THAT(judge_one(c, 0, 5 * step), IsWithin(1));
  CHECK_THAT(judge_one(c, 0, 8 * step), !IsWithin(1));
}

TEST_CASE("an f64 output is judged against both parts of its golden",
          "[conformance][judge]") {
  cases::Case c = one_pair(Format::kF64, 1, 0);
  c.golden.q_lo = {std::bit_cast<std::uint64_t>(0x1p-54), 0};
  CHECK_THAT(judge_one(c, 1, 0).max_norm_ulp, WithinRel(0.25, 1e-12));
  c.golden.q_lo[0] = std::bit_cast<std::uint64_t>(-0x1p-53);
  CHECK_THAT(judge_one(c, 1, 0).max_norm_ulp, WithinRel(0.5, 1e-12));
  CHECK_THAT(judge_one(c, 1, 0), IsWithin(1));
  CHECK_THAT(judge_one(c, 1 + 0x1p-50, 0), !IsWithin(1));
}

TEST_CASE("the phase is seen where the kernel formed the angle",
          "[conformance][judge]") {
  const cases::Case c = one_pair(Format::kF32, 1, 0);
  CHECK(judge_one(c, 1, 0).phase_rho == 0);
  // 2^-20 rad at position 0: four times 2^-22.
  CHECK_THAT(judge_one(c, 1, 0x1p-20).phase_rho, WithinRel(4, 1e-3));
  Claim claim;
  Output output;
  output.q = c.problem.q;
  CHECK(judge(c.problem, c.golden, ROPEPROOF_ROTATE, claim, output).phase_rho <
        0);
}

// All that a report has of a measurement.
std::vector<double> numbers_of(const Measurement& m) {
  std::vector<double> all = {static_cast<double>(m.elements),
                             static_cast<double>(m.wrong),
                             static_cast<double>(m.vacuous),
                             m.highest_position,
                             static_cast<double>(m.not_nearest),
                             m.max_norm_ulp,
                             static_cast<double>(m.beyond_structure),
                             m.phase_rho,
                             m.phase_error,
                             m.phase_position};
  all.insert(all.end(), m.class_ratio.begin(), m.class_ratio.end());
  all.insert(all.end(), m.at_positions.begin(), m.at_positions.end());
  all.insert(all.end(), m.vacuous_at.begin(), m.vacuous_at.end());
  for (const auto& element : {m.first_wrong, m.worst}) {
    if (!element) continue;
    all.insert(all.end(), {static_cast<double>(element->token),
                           static_cast<double>(element->head),
                           static_cast<double>(element->channel),
                           element->error, element->bound});
  }
  return all;
}

TEST_CASE("a right permutation has its first element as the worst",
          "[conformance][judge]") {
  cases::Problem p;
  p.task = cases::Task::kPermute;
  p.spec.layout = reference::leading(4, 4, reference::Pairing::kHalfSplit);
  p.batch = 1, p.seq = p.q_heads = 2;
  p.q = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  Output output;
  const cases::Golden golden = cases::form_golden(p, reference::best_oracle());
  output.q = golden.q;
  const Measurement m = judge(p, golden, ROPEPROOF_PERMUTE, {}, output);
  CHECK(m.elements == 16);
  CHECK_THAT(m, IsWithin(0));
  REQUIRE(m.worst);
  CHECK(m.worst->got_bits == golden.q[0]);
}

// With a spread each element is looked at whole.
TEST_CASE("elements that are only counted would change nothing else",
          "[conformance][judge]") {
  for (const Format dtype :
       {Format::kF32, Format::kF16, Format::kBF16, Format::kF64}) {
    cases::Problem p = cases::make_problem(
        dtype, reference::leading(16, 12, reference::Pairing::kHalfSplit), 1e4,
        1, 20, 3, 1, {});
    for (int t = 0; t < 20; ++t) p.positions.push_back(t * t * 300);
    for (std::size_t i = 0; i < 20 * 3 * 16; ++i) {
      p.q.push_back(cases::random_number(dtype, 1, i));
    }
    p.k.assign(p.q.begin(), p.q.begin() + 20 * 16);
    const cases::Golden golden =
        cases::form_golden(p, reference::best_oracle());
    Claim claim;
    claim.output = claim.table = dtype;
    // From errors of roundings alone to wrong ones.
    for (const double most : {0.0, 1.0, 3.0, 1e3, 1e5, 1e9}) {
      CAPTURE(dtype, most);
      Output output;
      output.q = p.q;
      output.k = p.k;
      std::uint64_t i = 0;
      for (auto [bits, exact] :
           {std::pair{&output.q, &golden.q}, std::pair{&output.k, &golden.k}}) {
        for (std::size_t at = 0; at < bits->size(); ++at, ++i) {
          if (at % 16 >= 12) continue;
          // Few are large: 2^-8 of `most` times a random power of two.
          const std::uint64_t r = cases::random_bits(2, i);
          const double part =
              std::ldexp(1, -std::popcount(r & 0xffffff)) * (r >> 63 ? 1 : -1);
          const double ulps = most * 0x1p6 * part;
          const double x = std::bit_cast<double>((*exact)[at]);
          (*bits)[at] = encode(
              dtype, x * (1 + ulps * reference::traits(dtype).unit_roundoff));
        }
      }
      Spread spread;
      for (const Format angles : {Format::kF32, Format::kBF16}) {
        const Claim given = with_angle(claim, ROPEPROOF_A1, angles);
        CHECK(numbers_of(judge(p, golden, ROPEPROOF_ROPE, given, output)) ==
              numbers_of(
                  judge(p, golden, ROPEPROOF_ROPE, given, output, &spread)));
      }
    }
  }
}

}  // namespace
}  // namespace ropeproof::conformance::judge
