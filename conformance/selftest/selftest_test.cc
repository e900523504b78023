// What `ropeproof selftest` rests on: it finds a control that is none, a mutant
// without a bug and a fake without its verdict. Itself it is a test of its own.
#include "conformance/selftest/selftest.h"

#include <catch2/catch_test_macros.hpp>
#include <set>

#include "conformance/cases/bug_class.h"
#include "conformance/cases/test_corpus.h"
#include "conformance/check/runner.h"
#include "conformance/identify/identify.h"
#include "conformance/report/report.h"
#include "conformance/report/unasked.h"
#include "conformance/selftest/call_judge.h"
#include "conformance/selftest/controls.h"
#include "conformance/selftest/hunt.h"

namespace ropeproof::conformance::selftest {
namespace {

using wrong::exact_pipeline;
using wrong::f32_pipeline;
using wrong::full_description;
using wrong::Pipeline;
using wrong::PipelineKernel;

report::Report judge_kernel(const plugin::Description& description,
                            const Pipeline& pipeline,
                            cases::Tier tier = cases::Tier::kSmoke) {
  PipelineKernel kernel(description, pipeline);
  check::Selection selection;
  selection.tier = tier;
  return check::run_suite(kernel, cases::committed(), selection);
}

TEST_CASE("a kernel that is no control is found out",
          "[conformance][controls]") {
  REQUIRE(controls().size() >= 10);
  Control liar = controls().front();
  SECTION("it claims more than it is") {
    liar.description.claims[0].angle_class = ROPEPROOF_A0;
    CHECK_FALSE(score(liar, cases::committed()).passes);
  }
  SECTION("it claims less than it is, so its bound says little") {
    liar.pipeline = exact_pipeline();
    CHECK_FALSE(score(liar, cases::committed()).fails_tighter);
  }
}

// What kills a mutant among the committed cases.
Stage killed_by(const Mutant& mutant) {
  Hunt hunt({mutant});
  for (const Stage stage : {Stage::kSmoke, Stage::kCore}) {
    for (const cases::Group& group : cases::committed().groups) {
      if ((group.tier == cases::Tier::kSmoke) != (stage == Stage::kSmoke))
        continue;
      for (const cases::Case& c : group.rope_cases) hunt.look(c, stage);
      for (const auto& c : group.permute_cases) hunt.look(c, stage);
    }
  }
  return hunt.killed_by(0);
}

TEST_CASE("a mutant is killed where it is wrong, and nowhere else",
          "[conformance][mutants]") {
  const auto loses_sine = [](Pipeline& k) {
    k.adjust_rotation = [](auto&, auto& r) { r.s = 0; };
  };
  CHECK(killed_by({"", {}, loses_sine}) == Stage::kSmoke);
  CHECK(killed_by({"", {}, loses_sine, [](const auto& p) {
                     return p.seq > 256;
                   }}) == Stage::kCore);
  CHECK(killed_by({"", {}, loses_sine, [](const auto& p) {
                     return p.q.heads > 1000;
                   }}) == Stage::kNone);
}

TEST_CASE("identify says nothing false of the controls",
          "[conformance][controls]") {
  for (const Control& control : controls()) {
    PipelineKernel kernel(control.description, control.pipeline);
    const identify::Identified found = identify::identify(kernel);
    INFO(control.name << "\n" << identified_text(found));
    CHECK(found.is_as_declared());
  }
}

TEST_CASE("every mutant has the class of its bug, and a name of its own",
          "[conformance][mutants]") {
  std::set<std::string> names;
  const auto check = [&](const std::string& name, cases::Bug bug) {
    CAPTURE(name);
    CHECK(names.insert(name).second);
    CHECK(bug != cases::Bug());
  };
  for (const Mutant& mutant : mutants()) {
    if (mutant.due == Stage::kNone) continue;
    check(mutant.mutation.name, mutant.mutation.bug);
  }
  for (const Mutant& mutant : call_mutants()) {
    check(mutant.mutation.name, mutant.mutation.bug);
  }
}

TEST_CASE("a kernel that forgets nothing is right in any call",
          "[conformance][mutants]") {
  const CallJudge judge(cases::committed());
  wrong::Pipeline pipeline = exact_pipeline();
  pipeline.kept.key_lacks = wrong::KeyedField{"no such field"};
  PipelineKernel kernel(wrong::computing_description(), pipeline);
  CHECK(judge.diagnose(kernel).empty());
}

TEST_CASE("f64 tensors with f32 tables are judged in every operation",
          "[conformance][controls]") {
  plugin::Description description = full_description(ROPEPROOF_A1);
  description.dtypes = ROPEPROOF_F64;
  description.max_position = 1 << 20;  // beyond, f32 angles are anything
  for (const std::uint32_t operation : {ROPEPROOF_FREQUENCIES, ROPEPROOF_TABLE,
                                        ROPEPROOF_ROTATE, ROPEPROOF_ROPE}) {
    description.operations = operation;
    CAPTURE(operation);
    for (const std::uint32_t table : {ROPEPROOF_F32, ROPEPROOF_F64}) {
      // A given table has the type that is claimed; inv_freq is that of the
      // angle, f32.
      const bool passes = table == ROPEPROOF_F32 ||
                          operation == ROPEPROOF_ROTATE ||
                          operation == ROPEPROOF_FREQUENCIES;
      description.claims[0].table_dtype = table;
      PipelineKernel kernel(description, f32_pipeline());
      check::Selection selection;
      selection.values_only = true;
      const report::Report report = check::run_suite(
          kernel, control_corpus(cases::committed()), selection);
      const report::Totals totals = report::total(report);
      CHECK(totals.of(check::Verdict::kPass) > 0);
      CHECK((report::exit_status(totals) == 0) == passes);
    }
  }
}

TEST_CASE("every feature that a kernel can declare is judged on the core tier",
          "[conformance][controls]") {
  const report::Report report = judge_kernel(
      full_description(ROPEPROOF_A0), exact_pipeline(), cases::Tier::kCore);
  CHECK(report::unasked(report).empty());
}

TEST_CASE("moving bits without a fault is level L3", "[conformance][levels]") {
  plugin::Description description = full_description(ROPEPROOF_A0);
  description.operations = ROPEPROOF_PERMUTE;
  CHECK(report::total(
            judge_kernel(description, exact_pipeline(), cases::Tier::kCore))
            .level == report::Level::kL3);
}

TEST_CASE("a fake that does not get its verdict is a fault",
          "[conformance][fakes]") {
  const FakePlaces places{ROPEPROOF_FAKES_DIR, ""};
  ExpectedFake echo{"echo", check::Aspect::kValues, check::Verdict::kFail, ""};
  CHECK(score(echo, places, cases::committed()).is_right);
  echo.verdict = check::Verdict::kPass;
  CHECK_FALSE(score(echo, places, cases::committed()).is_right);
  echo = {"echo", check::Aspect::kValues, check::Verdict::kFail,
          "for another reason"};
  CHECK_FALSE(score(echo, places, cases::committed()).is_right);
}

}  // namespace
}  // namespace ropeproof::conformance::selftest
