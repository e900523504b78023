#include "conformance/assertion/screening.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <iostream>
#include <random>
#include <set>
#include <string>

#include "conformance/assertion/abi_problem.h"
#include "conformance/assertion/judgement.h"
#include "conformance/call/call.h"
#include "conformance/cases/families/family.h"
#include "conformance/cases/form_golden.h"
#include "conformance/judge/judge.h"
#include "conformance/plugin/test_outcomes.h"
#include "conformance/wrong/mutation.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::assertion {
namespace {

using reference::Format, reference::Pairing;

cases::Problem filled(cases::Problem problem) {
  std::mt19937 random(5);
  const auto fill = [&](cases::Bits& bits, std::int64_t heads) {
    const auto count = problem.tokens() * heads * problem.spec.layout.head_dim;
    for (std::int64_t i = 0; i < count; ++i) {
      const double x = static_cast<double>(random() >> 8) * 0x1p-23 - 1;
      bits.push_back(encode(problem.dtype, x));
    }
  };
  fill(problem.q, problem.q_heads);
  fill(problem.k, problem.k_heads);
  return problem;
}

// Ten problems as models have them.
std::vector<cases::Problem> samples() {
  const std::vector<double> near = {0, 1, 2, 3, 4, 5},
                            far = {0, 257, 513, 4097, 65537, 131071};
  const auto half = reference::leading(16, 16, Pairing::kHalfSplit);
  const auto neighbours = reference::leading(8, 8, Pairing::kInterleaved);
  const auto part = reference::leading(24, 16, Pairing::kHalfSplit);
  const auto last = reference::trailing(24, 8, Pairing::kInterleaved);
  const auto make = [](Format format, const reference::Layout& layout,
                       double base, std::int64_t k_heads,
                       const std::vector<double>& places) {
    std::vector<double> positions = places;
    positions.insert(positions.end(), places.rbegin(), places.rend());
    return filled(cases::make_problem(
        format, layout, base, 2, std::ssize(places), 3, k_heads, positions));
  };
  return {make(Format::kF32, half, 10000, 1, near),
          make(Format::kF32, half, 500000, 2, far),
          make(Format::kF32, neighbours, 10000, 0, far),
          make(Format::kF32, part, 10000, 1, far),
          make(Format::kF32, last, 10000, 3, near),
          make(Format::kF16, half, 10000, 1, near),
          make(Format::kF16, neighbours, 1e6, 1, far),
          make(Format::kBF16, half, 500000, 1, far),
          make(Format::kBF16, part, 10000, 0, near),
          cases::adjoint(make(Format::kF32, half, 10000, 1, far))};
}

}  // namespace

TEST_CASE("a quick cosine and sine are within their bound of the golden",
          "[assertion]") {
  std::mt19937_64 random(3);
  cases::Problem problem = cases::make_problem(
      Format::kF32, reference::leading(64, 64, Pairing::kHalfSplit), 10000, 1,
      1, 1, 0, {0});
  problem.positions.clear();
  for (int i = 0; i < 400; ++i) {
    problem.positions.push_back(
        std::ldexp(static_cast<double>(random() >> 12), -52 + i % 21));
  }
  // Next to a multiple of pi / 2, where the reduction cancels.
  for (const double p : {11.0, 344.0, 355.0, 710.0, 103993.0, 1043835.0}) {
    problem.positions.push_back(p);
  }
  problem.seq = std::ssize(problem.positions);
  const auto golden = cases::GoldenFormer(problem, reference::best_oracle(),
                                          cases::Effort::kFast)
                          .tables();
  double worst = 0;
  for (std::int64_t token = 0; token < problem.seq; ++token) {
    for (std::int64_t j = 0; j < problem.pairs(); ++j) {
      const auto at = static_cast<std::size_t>(j);
      const NearCosSin near = near_cos_sin(
          cases::value_of(golden.inv_freq_hi[at]),
          cases::value_of(golden.inv_freq_lo[at]), problem.position(0, token));
      const auto entry = static_cast<std::size_t>(token * problem.pairs() + j);
      worst = std::max(
          {worst, std::abs(near.cos - cases::value_of(golden.cos[entry])),
           std::abs(near.sin - cases::value_of(golden.sin[entry]))});
    }
  }
  CAPTURE(worst / kNear);
  CHECK(worst < kNear);
  CHECK(worst > kNear / 64);
}

TEST_CASE("goldens and bounds without a result are those of the judge",
          "[assertion]") {
  for (const cases::Problem& problem : samples()) {
    cases::Case asked;
    asked.problem = problem;
    asked.golden = cases::form_golden(problem, reference::best_oracle());
    plugin::Description kernel = wrong::full_description(ROPEPROOF_A1);
    ropeproof_claim claim{};
    claim.angle_class = ROPEPROOF_A1;
    claim.power_ulp = claim.trig_ulp = 1;
    kernel.claims = {claim};
    wrong::PipelineKernel exact(kernel, wrong::exact_pipeline());
    call::Call call(exact, ROPEPROOF_ROPE, asked, Format::kF32);
    const ropeproof_problem given = call.begin();
    REQUIRE(exact.run(given).outcome == plugin::Outcome::kOk);
    const Judgement none(given, claim, Result::kNone);
    const auto marks = judge::judge_each(problem, asked.golden, ROPEPROOF_ROPE,
                                         judge::claim_of(kernel, problem.dtype,
                                                         ROPEPROOF_ROPE),
                                         read_output(given))
                           .marks;
    REQUIRE(none.golden().size() == marks.size());
    REQUIRE(none.bound().size() == marks.size());
    CHECK(none.wrong() == -1);
    std::int64_t goldens = 0, bounds = 0;  // that are the same
    for (std::size_t i = 0; i < marks.size(); ++i) {
      const std::uint64_t golden = i < problem.q.size()
                                       ? asked.golden.q[i]
                                       : asked.golden.k[i - problem.q.size()];
      goldens += none.golden()[i] == cases::value_of(golden) ? 1 : 0;
      bounds += none.bound()[i] == marks[i].bound ? 1 : 0;
    }
    CHECK(goldens == std::ssize(marks));
    CHECK(bounds == std::ssize(marks));
  }
}

TEST_CASE("the screening passes honest results and no known bug's",
          "[assertion]") {
  ropeproof_claim claim{};
  claim.angle_class = ROPEPROOF_A1;
  std::set<std::string> caught;
  for (const cases::Problem& problem : samples()) {
    cases::Case asked;
    asked.problem = problem;
    asked.golden = cases::form_golden(problem, reference::best_oracle());
    const auto solved = [&](const wrong::Change& change, const auto& look) {
      wrong::Pipeline pipeline = wrong::exact_pipeline();
      if (change) change(pipeline);
      wrong::PipelineKernel kernel(wrong::full_description(ROPEPROOF_A1),
                                   pipeline);
      call::Call call(kernel, ROPEPROOF_ROPE, asked, Format::kF32);
      const ropeproof_problem given = call.begin();
      if (kernel.run(given).outcome == plugin::Outcome::kOk) look(given);
    };
    solved(nullptr, [&](const ropeproof_problem& given) {
      plugin::Description kernel = wrong::full_description(ROPEPROOF_A1);
      kernel.claims = {claim};
      CHECK(is_surely_within(
          problem, asked.golden, ROPEPROOF_ROPE,
          judge::claim_of(kernel, problem.dtype, ROPEPROOF_ROPE),
          read_output(given), nullptr));
    });
    for (const wrong::Mutation& mutation : wrong::mutations()) {
      solved(mutation.change, [&](const ropeproof_problem& given) {
        const Judgement judgement(given, claim);
        CAPTURE(mutation.name);
        CHECK((judgement.wrong() > 0) == (judgement.worst() > 1));
        if (judgement.wrong() > 0) caught.insert(mutation.name);
      });
    }
  }
  std::cout << "one result: " << caught.size() << " of "
            << wrong::mutations().size() << " known bugs change one of ten "
            << "problems, and are caught\n";
  CHECK(caught.size() >= 100);
}

TEST_CASE("unlike cosines and sines of a pair are those of its channels",
          "[assertion]") {
  cases::Problem problem = cases::make_problem(
      Format::kF32, reference::leading(2, 2, Pairing::kHalfSplit), 1, 1, 1, 1,
      0, {0});
  problem.q = {encode(Format::kF32, 3), encode(Format::kF32, 5)};
  GivenTable table{1, {2}, {7}, {11}, {13}};
  const auto rotated = [&] {
    cases::Golden golden = golden_of(table, problem);
    rotate(table, problem, golden);
    return std::pair(cases::value_of(golden.q[0]),
                     cases::value_of(golden.q[1]));
  };
  CHECK(rotated() == std::pair(3. * 2 - 5. * 7, 3. * 13 + 5. * 11));
  problem = cases::adjoint(problem);
  CHECK(rotated() == std::pair(3. * 2 + 5. * 13, -3. * 7 + 5. * 11));
}

TEST_CASE("sums of two products are rounded to odd, and pairs in f64",
          "[assertion]") {
  cases::Problem problem = cases::make_problem(
      Format::kF64, reference::leading(2, 2, Pairing::kHalfSplit), 1, 1, 1, 1,
      0, {0});
  const auto bits = [](double x) { return encode(Format::kF64, x); };
  problem.q = {bits(1 + 0x1p-40), bits(1)};
  const GivenTable table{1, {1 + 0x1p-40}, {1}, {1}, {1}};
  cases::Golden golden = golden_of(table, problem);
  rotate(table, problem, golden);
  // (1 + 2^-40)^2 - 1 = 2^-39 + 2^-80
  CHECK(golden.q[0] == bits(0x1p-39 + 0x1p-80));
  problem.dtype = Format::kF32;
  problem.q = {encode(Format::kF32, 1), encode(Format::kF32, 0x1p-60)};
  golden = golden_of(table, problem);
  rotate(table, problem, golden);
  // 1 + 2^-40 - 2^-60, of 53 bits to odd.
  CHECK(golden.q[0] == bits(1 + 0x1p-40 - 0x1p-52));
}

}  // namespace ropeproof::conformance::assertion
