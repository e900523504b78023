#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <filesystem>

#include "conformance/cases/corpus.h"
#include "conformance/cases/smaller.h"
#include "conformance/cases/test_corpus.h"
#include "conformance/cases/test_groups.h"
#include "conformance/check/offered.h"
#include "conformance/check/runner.h"
#include "conformance/cover/arrays.h"
#include "conformance/cover/offer.h"
#include "conformance/cover/recipes.h"
#include "conformance/plugin/test_outcomes.h"
#include "conformance/report/report.h"
#include "conformance/search/search.h"
#include "conformance/search/shrink.h"
#include "conformance/search/sweep_kernel.h"
#include "conformance/wrong/pipeline_kernel.h"
#include "reference/rope.h"

namespace ropeproof::conformance::search {
namespace {

constexpr std::uint64_t kSeed = 5;
constexpr auto kOracle = reference::Oracle::kBinFloat;

const cover::Model& model() {
  static const cover::Model model = cover::load_arrays(cases::kVectors).model;
  return model;
}

GoesOn cases(std::uint64_t count) {
  return [count](std::uint64_t drawn) { return count - drawn; };
}

plugin::Description rope_only() {
  plugin::Description description = wrong::full_description(ROPEPROOF_A0);
  description.operations = ROPEPROOF_ROPE;
  return description;
}

StressFailure failure_of(const wrong::Pipeline& pipeline,
                         std::uint64_t first = 0) {
  wrong::PipelineKernel kernel(rope_only(), pipeline);
  const StressResult result =
      search(kernel, model(), kSeed, first, cases(300), kOracle);
  REQUIRE(result.failure);
  return *result.failure;
}

// The number of elements that are not zero.
std::size_t elements_of(const cases::Problem& problem) {
  const auto count = [](const cases::Bits& x) {
    return x.size() -
           static_cast<std::size_t>(std::count(x.begin(), x.end(), 0));
  };
  return count(problem.q) + count(problem.k);
}

void check_plain(const cases::Problem& problem) {
  CHECK(problem.dtype == reference::Format::kF32);
  CHECK(problem.storage == cases::kDense);
  CHECK(problem.spec.direction == reference::Direction::kForward);
  CHECK(problem.spec.frequencies.scaling.index() == 0);
  CHECK(problem.spec.frequencies.base == 10000);
  CHECK(problem.spec.frequencies.amplitude == 1);
  CHECK_FALSE(problem.spec.frequencies.xpos);
  CHECK(problem.spec.axes.count == 1);
  CHECK(problem.spec.layout.rotary_offset == 0);
}

// Does not rotate the last pair unless the pairs fill vectors of eight.
wrong::Pipeline tail_bug() {
  wrong::Pipeline pipeline = wrong::exact_pipeline();
  pipeline.adjust_rotation = [](const auto& at, auto& r) {
    const std::int64_t pairs = at.p.rotary_dim / 2;
    if (pairs % 8 != 0 && at.j == pairs - 1) r = {1, 0};
  };
  return pipeline;
}

TEST_CASE(
    "an unrotated last pair is shrunk to one pair of one token, rotated by "
    "the least position, with one element",
    "[conformance][stress]") {
  const StressFailure failure = failure_of(tail_bug());
  const cases::Case& c = failure.c;
  check_plain(c.problem);
  CHECK(failure.check.verdict == check::Verdict::kFail);
  CHECK(c.problem.tokens() == 1);
  CHECK(c.problem.q_heads == 1);
  CHECK(c.problem.k_heads == 0);
  CHECK(c.problem.spec.layout.rotary_dim == 2);
  CHECK(c.problem.spec.layout.head_dim == 2);
  CHECK(c.problem.positions == std::vector<double>{1});
  CHECK(elements_of(c.problem) == 1);
}

TEST_CASE("a failure is named, with the rule that what was tried shows",
          "[conformance][stress]") {
  const StressFailure failure = failure_of(tail_bug());
  REQUIRE_FALSE(failure.diagnoses.empty());
  CHECK(failure.diagnoses[0].what == "not rotated");
  CHECK(failure.diagnoses[0].bug.key() == "shape/simd-tail");
  CHECK(failure.diagnoses[0].where.rule.find("pair") != std::string::npos);
}

TEST_CASE("a failure from a position on is shrunk to just that position",
          "[conformance][stress]") {
  wrong::Pipeline pipeline = wrong::exact_pipeline();
  pipeline.angle = [](double position, double theta) {
    return (position >= 3000 ? position + 1 : position) * theta;
  };
  const cases::Case c = failure_of(pipeline).c;
  check_plain(c.problem);
  CHECK(c.problem.positions == std::vector<double>{3000});
  CHECK(elements_of(c.problem) == 1);
}

TEST_CASE("what the failure needs stays: two heads, the adjoint, a tail",
          "[conformance][stress]") {
  wrong::Pipeline heads = wrong::exact_pipeline();
  heads.adjust_directed = [](const auto& at, auto& r) {
    if (at.p.q.heads >= 2 && at.head == 1) r = {1, 0};
  };
  CHECK(failure_of(heads).c.problem.q_heads == 2);

  wrong::Pipeline direction = wrong::exact_pipeline();
  direction.ignores_direction = true;
  const cases::Case adjoint = failure_of(direction).c;
  CHECK(adjoint.problem.spec.direction == reference::Direction::kAdjoint);
  CHECK(adjoint.problem.spec.layout.head_dim == 2);

  wrong::Pipeline outside = wrong::exact_pipeline();
  outside.outside = [](double, double, bool) { return 0.0; };
  const cases::Case tail = failure_of(outside).c;
  CHECK(tail.problem.spec.layout.head_dim == 3);
  CHECK(elements_of(tail.problem) == 1);
}

TEST_CASE("the same seed finds and shrinks the same failure",
          "[conformance][stress]") {
  const StressFailure a = failure_of(tail_bug()), b = failure_of(tail_bug());
  CHECK(a.index == b.index);
  CHECK(a.tries == b.tries);
  CHECK(failure_files(a, kOracle, "0") == failure_files(b, kOracle, "0"));
  // Found alone, too: a case does not depend on those before it.
  const StressFailure alone = failure_of(tail_bug(), a.index);
  CHECK(alone.index == a.index);
  CHECK(failure_files(alone, kOracle, "0") == failure_files(a, kOracle, "0"));
}

TEST_CASE(
    "a saved failure is a vector: a broken kernel fails it, an honest one "
    "does not",
    "[conformance][stress]") {
  const StressFailure failure = failure_of(tail_bug());
  const auto folder =
      std::filesystem::temp_directory_path() / "ropeproof_stress_test";
  std::filesystem::remove_all(folder);
  cases::write_corpus(failure_files(failure, kOracle, "0"), folder);
  const cases::Corpus corpus = cases::load_corpus(folder);
  const auto status = [&](const wrong::Pipeline& pipeline) {
    wrong::PipelineKernel kernel(rope_only(), pipeline);
    return report::exit_status(
        report::total(check::run_suite(kernel, corpus, {})));
  };
  CHECK(status(tail_bug()) == 1);
  CHECK(status(wrong::exact_pipeline()) == 0);
  std::filesystem::remove_all(folder);
}

plugin::Description narrow() {
  plugin::Description description = rope_only();
  description.dtypes = ROPEPROOF_F32;
  description.pairings = ROPEPROOF_HALF_SPLIT;
  description.features = ROPEPROOF_OUT_OF_PLACE;
  description.max_position = 4095;
  return description;
}

TEST_CASE(
    "an honest kernel survives the search, and the number of cases is as "
    "asked; one that offers little gets cases that it offers",
    "[conformance][stress]") {
  const auto [description, drawn, least] =
      GENERATE(table<plugin::Description, std::uint64_t, std::int64_t>(
          {{rope_only(), 70, 1}, {narrow(), 200, 191}}));
  wrong::PipelineKernel kernel(description, wrong::exact_pipeline());
  const StressResult result =
      search(kernel, model(), kSeed, 0, cases(drawn), kOracle);
  CHECK_FALSE(result.failure);
  CHECK(result.drawn == drawn);
  CHECK(result.judged >= least);
  CHECK(result.judged + result.not_judged ==
        std::ssize(check::kRopeOperations) * static_cast<std::int64_t>(drawn));
}

TEST_CASE("what a kernel declines is not judged", "[conformance][stress]") {
  struct Declining : wrong::PipelineKernel {
    using PipelineKernel::PipelineKernel;
    bool has_supports() const override { return true; }
    plugin::Answer supports(const ropeproof_problem&) override {
      return {plugin::Outcome::kDeclined, ""};
    }
  };
  Declining kernel(rope_only(), wrong::exact_pipeline());
  const StressResult result =
      search(kernel, model(), kSeed, 0, cases(20), kOracle);
  CHECK(result.drawn == 20);
  CHECK(result.judged == 0);
  const SweepResult swept = sweep_kernel(
      kernel, {.rotary_dim = 8, .positions = 10, .oracle = kOracle});
  CHECK(swept.answer.outcome == plugin::Outcome::kDeclined);
  CHECK(swept.measurement.elements == 0);
}

TEST_CASE("drawing meets every class that a kernel offers",
          "[conformance][stress]") {
  const cover::Masks offered =
      cover::offered(model(), wrong::full_description(ROPEPROOF_A0), true);
  cover::Masks met(model().size());
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const cover::Row row = cover::drawn_recipe(model(), offered, kSeed, i).row;
    CHECK(model().contradiction(row) == nullptr);
    for (std::size_t d = 0; d < row.size(); ++d) {
      met[d] |= std::uint64_t{1} << row[d];
    }
  }
  for (std::size_t d = 0; d < met.size(); ++d) {
    CAPTURE(model().dimensions()[d].name);
    CHECK(met[d] == offered[d]);
  }
}

// Wrong from its 8th call on, in every process anew.
class Forgetful : public wrong::PipelineKernel {
 public:
  using wrong::PipelineKernel::PipelineKernel;
  plugin::Answer run(const ropeproof_problem& problem) override {
    if (++calls_ >= 8) return {plugin::Outcome::kCrash, "ended by signal 11"};
    return wrong::PipelineKernel::run(problem);
  }
  bool restart(int) override {
    calls_ = 0;
    return true;
  }

 private:
  int calls_ = 0;
};

TEST_CASE("a failure that passes in a fresh process is not called a case",
          "[conformance][stress]") {
  Forgetful kernel(rope_only(), wrong::exact_pipeline());
  const StressResult result =
      search(kernel, model(), kSeed, 0, cases(300), kOracle);
  REQUIRE(result.failure);
  CHECK(result.failure->needs_earlier_calls);
  CHECK(result.failure->tries == 0);
  CHECK_FALSE(failure_of(tail_bug()).needs_earlier_calls);
  // The calls up to it show it again.
  kernel.restart(0);
  const StressResult again = search(kernel, model(), kSeed, 0,
                                    cases(result.failure->index + 1), kOracle);
  REQUIRE(again.failure);
  CHECK(again.failure->index == result.failure->index);
}

TEST_CASE("a kernel that hangs is reported as drawn, without further calls",
          "[conformance][stress]") {
  wrong::PipelineKernel kernel(rope_only(), wrong::exact_pipeline());
  kernel.canned = {plugin::Outcome::kTimeout, "no answer"};
  const StressResult result =
      search(kernel, model(), kSeed, 0, cases(70), kOracle);
  REQUIRE(result.failure);
  CHECK(result.failure->tries == 0);
  CHECK(result.failure->check.verdict == check::Verdict::kTimeout);
}

TEST_CASE("pairs keep their elements when they are laid out anew",
          "[conformance][stress]") {
  cases::Problem p;
  p.spec.layout = {9, 6, 1, reference::Pairing::kInterleaved};
  p.batch = p.seq = p.q_heads = 1;
  p.positions = {7};
  for (std::uint64_t i = 0; i < 9; ++i) p.q.push_back(10 + i);
  // Pairs (1, 2), (3, 4), (5, 6); outside 0, 7, 8.
  const cases::Problem half =
      cases::relaid(p, {0, 2}, {6, 4, 0, reference::Pairing::kHalfSplit});
  CHECK(half.q == cases::Bits{11, 15, 12, 16, 10, 17});
  CHECK(cases::window_width({0, 6, 0, reference::Pairing::kHalfSplit, 1, 5}) ==
        8);
}

}  // namespace
}  // namespace ropeproof::conformance::search
