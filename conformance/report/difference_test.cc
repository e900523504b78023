#include "conformance/report/difference.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "conformance/report/report_reader.h"

namespace ropeproof::conformance::report {
namespace {

using Catch::Matchers::ContainsSubstring;
using check::Verdict;

check::Check check_of(const std::string& id, Verdict verdict,
                      double error = 0.5) {
  check::Check check;
  check.case_id = id;
  check.operation = ROPEPROOF_ROPE;
  check.dtype = ROPEPROOF_F32;
  check.verdict = verdict;
  if (!check::is_judged(verdict)) return check;
  check.measurement.emplace();
  check.measurement->phase_rho = error;
  check.measurement->worst.emplace();
  check.measurement->worst->error = error;
  check.measurement->worst->bound = 1;
  return check;
}

NamedReport report_of(const std::string& file,
                      std::vector<check::Check> checks) {
  NamedReport named{file, {}};
  named.report.kernel.name = "test";
  named.report.kernel.operations = ROPEPROOF_ROPE;
  named.report.kernel.dtypes = ROPEPROOF_F32;
  named.report.selection = "tier core, 4 of 4 cases";
  named.report.checks = std::move(checks);
  return named;
}

TEST_CASE("each change of a verdict has one name", "[report][diff]") {
  struct Row {
    Verdict before, after;
    Fate fate;
  };
  for (const auto& [before, after, fate] :
       std::vector<Row>{{Verdict::kPass, Verdict::kPass, Fate::kStillPasses},
                        {Verdict::kPass, Verdict::kFail, Fate::kBroken},
                        {Verdict::kPass, Verdict::kCrash, Fate::kBroken},
                        {Verdict::kPass, Verdict::kTimeout, Fate::kBroken},
                        {Verdict::kPass, Verdict::kMissing, Fate::kBroken},
                        {Verdict::kPass, Verdict::kError, Fate::kBroken},
                        {Verdict::kPass, Verdict::kXfail, Fate::kWaived},
                        {Verdict::kFail, Verdict::kPass, Fate::kFixed},
                        {Verdict::kXfail, Verdict::kPass, Fate::kFixed},
                        {Verdict::kFail, Verdict::kCrash, Fate::kStillFails},
                        {Verdict::kXfail, Verdict::kFail, Fate::kStillFails},
                        {Verdict::kUnsupported, Verdict::kFail, Fate::kNew},
                        {Verdict::kDeclined, Verdict::kPass, Fate::kNew},
                        {Verdict::kPass, Verdict::kUnsupported, Fate::kGivenUp},
                        {Verdict::kPass, Verdict::kDeclined, Fate::kGivenUp},
                        {Verdict::kXfail, Verdict::kUnsupported, Fate::kGone},
                        {Verdict::kFail, Verdict::kDeclined, Fate::kGone}}) {
    const NamedReport a = report_of("a", {check_of("x", before)});
    const NamedReport b = report_of("b", {check_of("x", after)});
    const Difference difference = difference_of(a, b);
    INFO(text::word(before) << " to " << text::word(after));
    CHECK(difference.of(fate).size() == 1);
    CHECK(difference.checks.size() == 1);
    const bool is_lost = fate == Fate::kBroken || fate == Fate::kGivenUp;
    const bool is_compared = fate != Fate::kNew && fate != Fate::kGone;
    CHECK(difference.exit_status() == (is_lost ? 1 : is_compared ? 0 : 2));
  }
}

TEST_CASE("what only one report has is newly asked or gone, never broken",
          "[report][diff]") {
  const NamedReport a = report_of(
      "a", {check_of("x", Verdict::kPass), check_of("x", Verdict::kPass),
            check_of("y", Verdict::kUnsupported)});
  const NamedReport b = report_of(
      "b", {check_of("x", Verdict::kPass), check_of("z", Verdict::kFail)});
  const Difference difference = difference_of(a, b);
  CHECK(difference.of(Fate::kStillPasses).size() == 1);
  CHECK(difference.of(Fate::kGone).size() == 1);
  CHECK(difference.of(Fate::kNew).size() == 1);
  CHECK(difference.exit_status() == 0);
  const std::string text = difference_text(difference, 5);
  CHECK_THAT(text, ContainsSubstring("not asked -> FAIL"));
  CHECK_THAT(text, ContainsSubstring("; 1 that passed before are not asked"));
}

TEST_CASE("drift is told of the checks of both reports alone",
          "[report][diff]") {
  const NamedReport a = report_of("a", {check_of("x", Verdict::kPass, 0.5),
                                        check_of("w", Verdict::kPass, 0.9)});
  const NamedReport same =
      report_of("b", {check_of("x", Verdict::kPass, 0.5 * (1 + 1e-6)),
                      check_of("w", Verdict::kPass, 0.9),
                      check_of("z", Verdict::kPass, 0.99)});
  CHECK(difference_of(a, same).drifts.empty());
  const NamedReport worse =
      report_of("b", {check_of("x", Verdict::kPass, 0.7)});
  const Difference difference = difference_of(a, worse);
  REQUIRE(difference.drifts.size() == 1);
  CHECK(difference.drifts[0].ratio_before == 0.5);
  CHECK(difference.drifts[0].ratio_after == 0.7);
  CHECK(difference.drifts[0].rho_after == 0.7);
  CHECK(difference.drifts[0].worst_case == "x");
  CHECK_THAT(difference_text(difference, 5), ContainsSubstring("0.5 -> 0.7"));
}

TEST_CASE("unlike shards and seeds are not compared", "[report][diff]") {
  const NamedReport a = report_of("a", {check_of("x", Verdict::kPass)});
  NamedReport shard = a, fresh = a;
  shard.report.shard = {1, 2};
  fresh.report.seed = 7;
  CHECK_THROWS_AS(difference_of(a, shard), ReportError);
  CHECK_THROWS_AS(difference_of(fresh, a), ReportError);
  CHECK_NOTHROW(difference_of(shard, shard));
}

TEST_CASE("text of a kernel is no Markdown and no tag", "[report][diff]") {
  NamedReport a = report_of("a", {check_of("x", Verdict::kPass)});
  NamedReport b = report_of("b", {check_of("x", Verdict::kFail, 7)});
  b.report.kernel.name = "```\n</details> @all \x1b[31m \xe2\x80\xae";
  const std::string text = difference_markdown(difference_of(a, b), 5);
  // The fence is longer than what stands inside.
  CHECK_THAT(text, ContainsSubstring("````text\n"));
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find("\xe2\x80\xae") == std::string::npos);
  CHECK_THAT(text, ContainsSubstring("**broken**"));
}

}  // namespace
}  // namespace ropeproof::conformance::report
