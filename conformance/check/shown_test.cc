// What the pictures of a report are drawn of is what the judge measured.
#include "conformance/check/shown.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "conformance/cases/test_corpus.h"
#include "conformance/check/runner.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::check {
namespace {

Run run_of(const wrong::Pipeline& pipeline) {
  plugin::Description description = wrong::full_description(ROPEPROOF_A1);
  description.dtypes = ROPEPROOF_F32;
  wrong::PipelineKernel kernel(description, pipeline);
  Selection selection;
  selection.tier = cases::Tier::kSmoke;
  selection.operations = {"rope", "table"};
  selection.shows = true;
  return run_suite(kernel, cases::committed(), selection);
}

double largest(const judge::Spread& spread) {
  double most = judge::kNotAsked;
  for (const auto& [size, row] : spread.by_pair) {
    most = std::max(most, std::ranges::max(row));
  }
  return most;
}

TEST_CASE("a spread adds up to the measurements of its run",
          "[report][shown]") {
  const Run run = run_of(wrong::f32_pipeline());
  double worst = -1;
  std::int64_t judged = 0;
  for (const Check& check : run.checks) {
    if (!check.is_of_values() || !check.measurement) continue;
    const judge::Measurement& m = *check.measurement;
    if (m.worst && m.worst->pair >= 0)
      worst = std::max(worst, m.worst->ratio());
    for (const auto n : m.at_positions) judged += n;
    for (const auto n : m.vacuous_at) judged -= n;
  }
  CHECK(worst > 0);
  CHECK(std::abs(largest(run.shown.spread) - worst) <= 0.005 * worst);
  std::int64_t counted = 0;
  for (const auto& [format, sizes] : run.shown.spread.by_ulp) {
    for (const auto n : sizes) counted += n;
  }
  CHECK(counted == judged);
}

TEST_CASE("the parts of a run add up to it in any order", "[report][shown]") {
  Shown a, b;
  a.spread.note_ratio(3, 0, 4, 0.5);
  a.spread.note_ulp(reference::Format::kF32, 0.75);
  a.specimen = explain::Specimen{"b", ROPEPROOF_ROPE, true, 1, {}};
  b.spread.note_ratio(3, 1, 4, 2);
  b.spread.note_ratio(5, 0, 4, judge::kNotJudged);
  b.spread.note_ulp(reference::Format::kF32, INFINITY);
  b.specimen = explain::Specimen{"a", ROPEPROOF_ROPE, true, 1, {}};
  Shown ab = a, ba = b;
  ab.add(b);
  ba.add(a);
  CHECK(ab.spread.by_pair == ba.spread.by_pair);
  CHECK(ab.spread.by_ulp == ba.spread.by_ulp);
  CHECK(ab.specimen->case_id == "a");
  CHECK(ba.specimen->case_id == "a");
  CHECK(ab.spread.by_pair.at(3)[7] == 0.5);
  CHECK(ab.spread.by_pair.at(3)[8] == 2);
  CHECK(ab.spread.by_pair.at(3)[16] == judge::kNotAsked);
  CHECK(ab.spread.by_ulp.at(reference::Format::kF32)[judge::kUlpSizes - 1] ==
        1);
  CHECK(ab.spread.by_ulp.at(reference::Format::kF32)[8] == 1);
}

TEST_CASE("a specimen shows the frequencies that the kernel has",
          "[report][shown]") {
  const auto right = run_of(wrong::f32_pipeline()).shown.specimen;
  REQUIRE(right);
  CHECK(!right->is_wrong);
  CHECK(right->known() == std::ssize(right->pairs));
  for (const explain::SpecimenPair& p : right->pairs) {
    CHECK(p.ratio == 1);
    CHECK(std::abs(p.cos - p.due_cos) < 1e-3);
    CHECK(std::abs(p.sin - p.due_sin) < 1e-3);
  }

  wrong::Pipeline half = wrong::f32_pipeline();
  half.frequency = [due = half.frequency](const ropeproof_problem& p,
                                          std::int64_t j) {
    return j == 1 ? due(p, j) / 2 : due(p, j);
  };
  const auto wrong = run_of(half).shown.specimen;
  REQUIRE(wrong);
  CHECK(wrong->is_wrong);
  for (const explain::SpecimenPair& p : wrong->pairs) {
    if (p.ratio == explain::SpecimenPair::kUnknown) continue;
    INFO("pair " << p.pair);
    CHECK(std::abs(p.ratio - (p.pair == 1 ? 0.5 : 1)) < 1e-3);
  }
  CHECK(std::ranges::any_of(wrong->pairs, [](const auto& p) {
    return p.pair == 1 && p.ratio < 0.6;
  }));
}

}  // namespace
}  // namespace ropeproof::conformance::check
