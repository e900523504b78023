// Sweeps of kernels with known faults, and of honest ones.
#include "conformance/search/sweep_kernel.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "conformance/search/sweep_report.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::search {
namespace {

using Catch::Matchers::ContainsSubstring;
using reference::Format;

SweepRequest request() {
  return {500000, 16, 9000, Format::kF32, reference::best_oracle()};
}

constexpr std::int64_t kValues = 9000 * 8 * 2;

plugin::Description only(std::uint32_t operation,
                         std::uint32_t angle_class = ROPEPROOF_A0) {
  plugin::Description description = wrong::full_description(angle_class);
  description.operations = operation;
  return description;
}

SweepResult swept(const plugin::Description& description,
                  const wrong::Pipeline& pipeline,
                  const SweepRequest& asked = request()) {
  wrong::PipelineKernel kernel(description, pipeline);
  return sweep_kernel(kernel, asked);
}

TEST_CASE(
    "exact cos and sin are correctly rounded at every position and pair, as a "
    "table or by unit vectors",
    "[conformance][sweep]") {
  for (const std::uint32_t operation : {ROPEPROOF_TABLE, ROPEPROOF_ROPE}) {
    const SweepResult result = swept(only(operation), wrong::exact_pipeline());
    CHECK(result.conforms());
    CHECK(result.operation == operation);
    CHECK(result.measurement.elements == kValues);
    CHECK(result.measurement.not_nearest == 0);
    CHECK(result.measurement.wrong == 0);
    CHECK(result.measurement.max_norm_ulp <= 0.5);
  }
  plugin::Description in_place = only(ROPEPROOF_ROPE);
  in_place.features &= ~static_cast<std::uint32_t>(ROPEPROOF_OUT_OF_PLACE);
  in_place.pairings = ROPEPROOF_HALF_SPLIT;
  CHECK(swept(in_place, wrong::exact_pipeline()).measurement.not_nearest == 0);
}

TEST_CASE("a table in f32 angles is within class A1, and far beyond class A0",
          "[conformance][sweep]") {
  const SweepResult honest =
      swept(only(ROPEPROOF_TABLE, ROPEPROOF_A1), wrong::f32_pipeline());
  CHECK(honest.conforms());
  CHECK(honest.measurement.not_nearest > 0);
  CHECK(honest.measurement.worst->ratio() > 0.02);
  const SweepResult boasting =
      swept(only(ROPEPROOF_TABLE), wrong::f32_pipeline());
  CHECK_FALSE(boasting.conforms());
  CHECK(boasting.measurement.wrong > kValues / 4);
}

TEST_CASE("a table kept in bf16 under a claim of f32 fails",
          "[conformance][sweep]") {
  for (const auto& description :
       {only(ROPEPROOF_TABLE), only(ROPEPROOF_ROPE)}) {
    wrong::Pipeline pipeline = wrong::exact_pipeline();
    pipeline.adjust_rotation = [](const auto&, auto& r) {
      r = {round_to(Format::kBF16, r.c), round_to(Format::kBF16, r.s)};
    };
    const SweepResult result = swept(description, pipeline);
    CHECK_FALSE(result.conforms());
    CHECK(result.measurement.wrong > kValues / 2);
    CHECK(result.measurement.first_wrong->position == 1);
  }
}

TEST_CASE("one wrong pair, or one wrong position of all, fails and is named",
          "[conformance][sweep]") {
  wrong::Pipeline pair = wrong::exact_pipeline(), position = pair;
  pair.frequency = [f = pair.frequency](const auto& p, auto j) {
    return f(p, j == 5 ? 4 : j);
  };
  position.angle = [f = position.angle](double p, double theta) {
    return f(p == 8999 ? 8998 : p, theta);
  };
  const auto wrong = [](const wrong::Pipeline& pipeline) {
    const SweepResult result = swept(only(ROPEPROOF_TABLE), pipeline);
    CHECK_FALSE(result.conforms());
    return result.measurement;
  };
  const judge::Measurement of_pair = wrong(pair), of_position = wrong(position);
  CHECK(of_pair.first_wrong->pair == 5);
  CHECK(of_pair.first_wrong->position == 1);
  CHECK(of_pair.worst->pair == 5);
  CHECK(of_pair.wrong <= kValues / 8);
  CHECK(of_position.first_wrong->position == 8999);
  CHECK(of_position.wrong <= 16);
}

TEST_CASE("a sweep stops at the kernel's largest position",
          "[conformance][sweep]") {
  plugin::Description description = only(ROPEPROOF_TABLE);
  description.max_position = 99;
  const SweepResult result = swept(description, wrong::exact_pipeline());
  CHECK(result.positions == 100);
  CHECK(result.measurement.elements == 100 * 8 * 2);
}

TEST_CASE("a kernel that does not answer does not conform",
          "[conformance][sweep]") {
  wrong::PipelineKernel kernel(only(ROPEPROOF_TABLE), wrong::exact_pipeline());
  kernel.canned = {plugin::Outcome::kCrash, "killed by signal 11"};
  const SweepResult result = sweep_kernel(kernel, request());
  CHECK_FALSE(result.conforms());
  CHECK(result.measurement.elements == 0);
  CHECK(result.answer.detail == "killed by signal 11");
}

TEST_CASE("parts of a sweep are the whole, and none may be missing or twice",
          "[conformance][sweep]") {
  wrong::Pipeline pipeline = wrong::exact_pipeline();
  pipeline.angle = [f = pipeline.angle](double p, double theta) {
    return f(p == 8999 || p == 40 ? 8998 : p, theta);
  };
  const auto part = [&](std::int64_t index, std::int64_t count) {
    SweepRequest asked = request();
    asked.shard = {index, count};
    const SweepResult r = swept(only(ROPEPROOF_TABLE), pipeline, asked);
    return NamedSweep{std::to_string(index),
                      {"1.0",
                       "--lib x.so",
                       "",
                       only(ROPEPROOF_TABLE),
                       true,
                       r.operation,
                       r.format,
                       asked.rotary_dim,
                       r.positions,
                       {{asked.base, r.first, r.end, check::Verdict::kPass, "",
                         r.measurement}}}};
  };
  const Sweep whole = part(1, 1).sweep;
  const NamedSweep a = part(1, 3), b = part(2, 3), c = part(3, 3);
  CHECK(whole.is_complete());
  CHECK(whole.exit_status() == 1);
  CHECK(b.sweep.exit_status() == 0);
  CHECK_FALSE(b.sweep.is_complete());
  CHECK(sweep_json(merge_sweeps({c, a, b})) == sweep_json(whole));
  CHECK(sweep_json(read_sweep(sweep_json(whole), "f")) == sweep_json(whole));
  CHECK_THROWS_WITH(merge_sweeps({a, b}),
                    "base 500000, positions 6000 to 8999 are missing");
  CHECK_THROWS_WITH(merge_sweeps({a, c}),
                    "base 500000, positions 3000 to 5999 are missing");
  CHECK_THROWS_WITH(merge_sweeps({a, b, b, c}),
                    "2 and 2 both have base 500000, positions 3000 to 5999");
  CHECK_THROWS_WITH(merge_sweeps({a, b, part(2, 2)}),
                    ContainsSubstring("both have base 500000, positions 4500"));
  NamedSweep other = c;
  other.sweep.kernel.version += "1";
  CHECK_THROWS_WITH(merge_sweeps({a, b, other}),
                    ContainsSubstring("different sweeps"));
  // A part that says that it judged all, and did not.
  other = b;
  other.sweep.rows[0].measurement.elements -= 2;
  CHECK_THROWS_WITH(read_sweep(sweep_json(other.sweep), "f"),
                    ContainsSubstring("was it edited"));
  other = b;
  other.sweep.rows[0].measurement.wrong = -7;  // would make up for another's
  CHECK_THROWS_WITH(read_sweep(sweep_json(other.sweep), "f"),
                    ContainsSubstring("was it edited"));
  // A call that crashed leaves a hole that the verdict shows.
  other = b;
  other.sweep.rows[0].measurement.elements -= 2;
  other.sweep.rows[0].answered = check::Verdict::kCrash;
  const Sweep crashed =
      merge_sweeps({a, {"f", read_sweep(sweep_json(other.sweep), "f")}, c});
  CHECK_FALSE(crashed.is_complete());
  CHECK(crashed.exit_status() == 1);
  CHECK_THROWS_WITH(read_sweep(sweep_json(whole).substr(0, 99), "f"),
                    ContainsSubstring("whole"));
}

TEST_CASE("a sweep refuses what it cannot judge", "[conformance][sweep]") {
  const auto refuses = [](const plugin::Description& description,
                          const SweepRequest& asked, const std::string& why) {
    CHECK_THROWS_WITH(swept(description, wrong::exact_pipeline(), asked),
                      ContainsSubstring(why));
  };
  refuses(only(ROPEPROOF_PERMUTE), request(), "forms no angles");
  plugin::Description description = only(ROPEPROOF_TABLE);
  description.dtypes = ROPEPROOF_BF16;
  refuses(description, request(), "no dtype f32");
  SweepRequest asked = request();
  asked.rotary_dim = 7;
  refuses(only(ROPEPROOF_TABLE), asked, "rotary_dim");
}

}  // namespace
}  // namespace ropeproof::conformance::search
