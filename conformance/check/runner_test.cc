#include "conformance/check/runner.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <memory>

#include "conformance/cases/test_corpus.h"
#include "conformance/cover/arrays.h"
#include "conformance/judge/test_matchers.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::check {
namespace {

using Catch::Matchers::ContainsSubstring;

Selection only(const std::string& id, const std::string& operation = "rope") {
  Selection selection;
  selection.cases = {id};
  selection.operations = {operation};
  return selection;
}

const Check& only_check(const Run& run) {
  REQUIRE(run.checks.size() == 1);
  return run.checks[0];
}

TEST_CASE("what a kernel does not declare is unsupported, never a pass",
          "[conformance][runner]") {
  const auto lacks = [](const char* id, const char* operation, auto reduce) {
    plugin::Description description = wrong::full_description(ROPEPROOF_A0);
    reduce(description);
    wrong::PipelineKernel kernel(description, wrong::exact_pipeline());
    const Run run = run_suite(kernel, cases::committed(), only(id, operation));
    const Check& check = only_check(run);
    CHECK(check.verdict ==
          (check.reason.empty() ? Verdict::kPass : Verdict::kUnsupported));
    return check.reason;
  };
  CHECK(lacks("smoke-rich-001", "rope", [](auto&) {}).empty());
  CHECK(lacks("smoke-rich-001", "table", [](auto& d) {
          d.operations = ROPEPROOF_ROPE;
        }) == "operation table");
  CHECK(lacks("smoke-decode-002", "rope", [](auto& d) {
          d.features &= ~std::uint32_t{ROPEPROOF_STRIDED};
        }) == "strided tensors");
}

TEST_CASE("a failure has its first and its worst element",
          "[conformance][runner]") {
  wrong::Pipeline pipeline = wrong::exact_pipeline();
  pipeline.pair = [](const reference::Spec&, std::int64_t j) {
    return reference::Pair{2 * j, 2 * j + 1};
  };
  wrong::PipelineKernel kernel(wrong::full_description(ROPEPROOF_A0), pipeline);
  // A half-split case with position 0 in it and channels outside the window.
  const Run run = run_suite(kernel, cases::committed(), only("smoke-rich-008"));
  const Check& check = only_check(run);
  CHECK(check.verdict == Verdict::kFail);
  const judge::Measurement& m = *check.measurement;
  REQUIRE(m.first_wrong);
  CHECK(m.first_wrong->batch == 0);
  CHECK(m.first_wrong->token == 0);
  CHECK(m.first_wrong->channel == 0);
  CHECK_THAT(m, !judge::IsWithin(1000));
  CHECK_THAT(check.account.pattern,
             ContainsSubstring("right at position 0") &&
                 ContainsSubstring("channels outside the window intact"));
}

TEST_CASE("what is checked once a run is, whatever the kernel declines",
          "[conformance][runner]") {
  struct Choosy : wrong::PipelineKernel {
    using PipelineKernel::PipelineKernel;
    bool has_supports() const override { return true; }
    plugin::Answer supports(const ropeproof_problem& p) override {
      const bool is_declined = p.dtype == dtype || p.operation == operation;
      return {is_declined ? plugin::Outcome::kDeclined : plugin::Outcome::kOk,
              ""};
    }
    std::uint32_t dtype = 0, operation = 0;
  };
  constexpr std::uint32_t kNone = ~0u;
  const auto check_once = [](const plugin::Description& d, std::uint32_t dtype,
                             std::uint32_t operation) {
    Choosy kernel(d, wrong::exact_pipeline());
    kernel.dtype = dtype;
    kernel.operation = operation;
    // One that is wrong at once says as well how often it is asked.
    if (dtype != kNone || operation != kNone) {
      kernel.canned = {plugin::Outcome::kUnsupported, ""};
    }
    CAPTURE(d.operations, dtype, operation);
    CHECK(std::ranges::count(run_suite(kernel, cases::committed(), {}).checks,
                             Aspect::kManyCalls, &Check::aspect) == 1);
  };
  plugin::Description d = wrong::full_description(ROPEPROOF_A0);
  d.operations = ROPEPROOF_ROPE | ROPEPROOF_ROTATE;
  d.dtypes = ROPEPROOF_F32 | ROPEPROOF_BF16;
  d.pairings = ROPEPROOF_HALF_SPLIT;
  d.features = ROPEPROOF_OUT_OF_PLACE;
  for (const std::uint32_t dtype : {ROPEPROOF_F32, ROPEPROOF_BF16}) {
    check_once(d, dtype, kNone);
  }
  for (const std::uint32_t operation : {ROPEPROOF_ROPE, ROPEPROOF_ROTATE}) {
    check_once(d, kNone, operation);
  }
  d.operations = ROPEPROOF_TABLE;
  d.features = 0;
  check_once(d, kNone, kNone);
}

TEST_CASE("of what a kernel declines nothing is asked, and of the rest all",
          "[conformance][runner]") {
  // Takes heads of 14 channels alone, which no committed case has, and no call
  // of one token or, where it takes both, of q alone.
  struct Choosy : wrong::PipelineKernel {
    using PipelineKernel::PipelineKernel;
    bool has_supports() const override { return true; }
    bool takes(const ropeproof_problem& p) const {
      const bool has_keys = (description().features & ROPEPROOF_KEYS) != 0;
      return p.batch * p.seq > 1 && p.head_dim == 14 &&
             (p.k.heads > 0 || !has_keys);
    }
    plugin::Answer supports(const ropeproof_problem& p) override {
      return {takes(p) ? plugin::Outcome::kOk : plugin::Outcome::kDeclined, ""};
    }
    plugin::Answer run(const ropeproof_problem& p) override {
      return takes(p) ? PipelineKernel::run(p)
                      : plugin::Answer{plugin::Outcome::kUnsupported, "mine"};
    }
  };
  plugin::Description d = wrong::full_description(ROPEPROOF_A0);
  d.operations = ROPEPROOF_ROPE;
  d.dtypes = ROPEPROOF_F32;
  d.pairings = ROPEPROOF_HALF_SPLIT;
  d.features = ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_STRIDED | ROPEPROOF_KEYS |
               ROPEPROOF_DETERMINISTIC;
  d.axis_maps = 0;
  cover::Arrays arrays = cover::load_arrays(cases::kVectors);
  arrays.shapes.clear();  // large, and hardly any of a head that it takes
  for (const std::uint32_t without :
       {std::uint32_t{0}, std::uint32_t{ROPEPROOF_KEYS}}) {
    d.features &= ~without;
    Choosy kernel(d, wrong::exact_pipeline());
    Selection selection;
    selection.arrays = std::make_shared<const cover::Arrays>(arrays);
    const Run run = run_suite(kernel, cases::committed(), selection);
    for (const Check& check : run.checks) {
      CAPTURE(without, check.case_id, check.aspect, check.reason);
      CHECK_FALSE(is_failure(check.verdict));
    }
    for (const Aspect aspect :
         {Aspect::kRepeats, Aspect::kStrided, Aspect::kManyCalls}) {
      CAPTURE(without, aspect);
      CHECK(std::ranges::any_of(run.checks, [&](const Check& check) {
        return check.aspect == aspect && check.verdict == Verdict::kPass;
      }));
    }
  }
}

TEST_CASE("a result that is wrong only after other calls is said to be so",
          "[conformance][runner]") {
  // Keeps the base of its first call until it starts afresh.
  struct Keeper : wrong::PipelineKernel {
    using PipelineKernel::PipelineKernel;
    plugin::Answer run(const ropeproof_problem& problem) override {
      if (base == 0) base = problem.base;
      ropeproof_problem p = problem;
      p.base = base;
      return PipelineKernel::run(p);
    }
    bool restart(int) override {
      base = 0;
      return true;
    }
    double base = 0;
  };
  wrong::Pipeline pipeline = wrong::exact_pipeline();
  pipeline.frequency = [](const ropeproof_problem& p, std::int64_t j) {
    return wrong::power(p.base, j, p.rotary_dim);
  };
  plugin::Description d = wrong::full_description(ROPEPROOF_A1);
  d.features = ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_KEYS;
  d.operations = ROPEPROOF_ROPE;
  Keeper kernel(d, pipeline);
  Selection selection;
  selection.values_only = true;
  const auto first_failure = [&](plugin::Kernel& judged) {
    const Run run = run_suite(judged, cases::committed(), selection);
    const auto found =
        std::ranges::find_if(run.checks, is_failure, &Check::verdict);
    REQUIRE(found != run.checks.end());
    return *found;
  };
  const Check kept = first_failure(kernel);
  CHECK(kept.retry == Retry::kRightInFreshProcess);
  CHECK_THAT(kept.account.pattern,
             ContainsSubstring("right in a fresh process"));

  // Wrong in any process.
  pipeline.overwrites_input = true;
  Keeper wrong(d, pipeline);
  CHECK(first_failure(wrong).retry == Retry::kNone);
}

}  // namespace
}  // namespace ropeproof::conformance::check
