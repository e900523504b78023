#include "conformance/selftest/strangers/strangers.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <set>

#include "conformance/cases/test_corpus.h"
#include "conformance/check/paper_kernel.h"
#include "conformance/check/runner.h"
#include "conformance/plugin/description.h"
#include "conformance/selftest/strangers/engine_calls.h"
#include "conformance/selftest/strangers/kernel.h"

namespace ropeproof::conformance::selftest::strangers {
namespace {

// A program in this process: its faults must stay within the buffers.
check::PaperKernel here(const Program& program) {
  ropeproof_description d{};
  describe(program, d);
  return {plugin::description_of(d, d.name, d.version), true,
          [=](const ropeproof_problem& p) {
            solve(program, p);
            return plugin::Answer{};
          }};
}

TEST_CASE("a stranger without faults conforms", "[conformance][strangers]") {
  for (const bool is_wide : {false, true}) {
    CAPTURE(is_wide);
    check::PaperKernel honest = here({is_wide, {}});
    check::Selection selection;
    selection.values_only = true;
    const check::Run run =
        check::run_suite(honest, cases::committed(), selection);
    CHECK(std::ranges::count_if(run.checks, [](const check::Check& check) {
            return check.passes();
          }) > 40);
    CHECK(std::ranges::none_of(run.checks, [](const check::Check& check) {
      return check::is_failure(check.verdict);
    }));
    CHECK(wrong_share(honest, engine_calls(3, 40, is_wide), 1) == 0);
  }
}

TEST_CASE("a fault of each part strikes where its condition holds alone",
          "[conformance][strangers]") {
  const auto calls = engine_calls(4, 24, true);
  for (Fault fault :
       std::vector<Fault>{{Part::kLoop, Point::kHeadLoop, Op::kLastMissed, 2},
                          {Part::kIndex, Point::kInChannel, Op::kModulo, 16},
                          {Part::kValue, Point::kCosine, Op::kToFormat, 1},
                          {Part::kMemory, Point::kStore, Op::kMissed},
                          {Part::kMemory, Point::kTable, Op::kStale, 8, 1},
                          {Part::kScaling, Point::kFactor, Op::kTimes, 2}}) {
    CAPTURE(words(fault));
    const auto share = [&] {
      check::PaperKernel kernel = here({true, {fault}});
      return wrong_share(kernel, calls, 1);
    };
    CHECK(share() > 0);
    fault.when = When{Feature::kBatch, Compare::kAbove, 1e6};
    CHECK(share() == 0);
  }
}

TEST_CASE("a cache whose key tells all problems apart is right on every axis",
          "[conformance][strangers]") {
  const Fault fault{Part::kMemory, Point::kTable, Op::kStale, 64,
                    (1u << std::size(kKeyFields)) - 1};
  check::PaperKernel kernel = here({true, {fault}});
  CHECK(check::check_values(kernel, ROPEPROOF_ROPE,
                            cases::committed_case("core-axes-001"), {})
            .passes());
}

TEST_CASE("a seed's programs are always the same and unlike each other",
          "[conformance][strangers]") {
  std::set<std::string> seen;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const std::string text = words(random_program(7, i, i % 2 != 0));
    CHECK(text == words(random_program(7, i, i % 2 != 0)));
    seen.insert(text);
  }
  CHECK(seen.size() > 190);
}

TEST_CASE("a name counts if its area and its rule are those of the fault",
          "[conformance][strangers]") {
  Fault fault{Part::kValue, Point::kPosition, Op::kToFormat, 1};
  fault.when = When{Feature::kHeadIndex, Compare::kAbove, 3};
  using explain::Owner, explain::Subject;
  const auto said = [&](const char* bug, const explain::Place& where) {
    explain::Diagnosis d;
    d.bug = cases::Bug::named(bug);
    d.what = *bug == '\0' ? "" : "some bug";
    d.where = where;
    return said_of(fault, std::span(&d, 1));
  };
  const char* const near = "position/rounded-to-half";
  const char* const far = "window/wrong-end";
  using Kind = explain::Place::Kind;
  const explain::Place rule{Kind::kRule,
                            "index of the head > 3",
                            {{Owner::kElement, Subject::kHeads}}},
      other{Kind::kRule, "seq > 7", {{Owner::kProblem, Subject::kTokens}}};
  CHECK(said(near, rule) == Said::kExactly);
  CHECK(said(near, other) == Said::kByKind);
  CHECK(said("", rule) == Said::kVaguely);
  CHECK(said("", {Kind::kNoSimpleRule, "", rule.facts}) == Said::kNothing);
  CHECK(said(far, rule) == Said::kFalsely);
  CHECK(said("angle/other", rule) == Said::kVaguely);  // of this, or others
  CHECK(said_of(fault, {}) == Said::kNothing);
  fault.point = Point::kSine;
  CHECK(said("angle/other", rule) == Said::kExactly);
  CHECK(said("value/or-rotation-off", rule) == Said::kVaguely);
}

TEST_CASE("smoke kills most strangers that engines would meet",
          "[conformance][strangers]") {
  Options options;
  options.library = ROPEPROOF_FAKES_DIR "/stranger.so";
  options.count = 24;
  options.engine_calls = 24;
  options.last = Asked::kSmoke;
  const auto strangers = run_strangers(cases::committed(), options);
  const auto count = [&](Asked by) {
    return std::ranges::count(strangers, by, &Stranger::killed_by);
  };
  CHECK(count(Asked::kSmoke) == 14);
  CHECK(count(Asked::kNothing) == 5);
}

}  // namespace
}  // namespace ropeproof::conformance::selftest::strangers
