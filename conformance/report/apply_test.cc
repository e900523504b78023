#include "conformance/report/apply.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "conformance/cases/test_corpus.h"
#include "conformance/check/runner.h"
#include "conformance/selftest/test_kernel.h"

namespace ropeproof::conformance::report {
namespace {

using Catch::Matchers::ContainsSubstring;

// A kernel that is wrong in backward cases alone, judged with these patterns.
Report judged(const std::vector<std::string>& patterns,
              const check::Selection& selection = {},
              const std::string& engine = "backwards",
              const plugin::Answer& canned = {plugin::Outcome::kOk, ""},
              const std::string& today = "2027-03-31") {
  plugin::Description description = selftest::full_description(ROPEPROOF_A0);
  description.name = "backwards";
  selftest::Knobs knobs = selftest::exact_knobs();
  knobs.ignores_direction = true;
  selftest::TestKernel kernel(description, knobs);
  kernel.canned = canned;
  Report report = check::run_suite(kernel, cases::committed(), selection);
  Waivers waivers;
  for (const std::string& pattern : patterns) {
    waivers.entries.push_back({pattern, engine, "known for long",
                               "https://example.org/7",
                               parse_date("2027-03-31")});
  }
  apply_waivers(waivers, case_ids(cases::committed()), parse_date(today),
                report);
  return report;
}

std::vector<std::string> failing_cases() {
  std::vector<std::string> ids;
  for (const check::Check& check : judged({}).checks) {
    const bool is_new = ids.empty() || ids.back() != check.case_id;
    if (check.verdict == check::Verdict::kFail && is_new)
      ids.push_back(check.case_id);
  }
  REQUIRE(ids.size() > 2);
  return ids;
}

TEST_CASE("a run whose failures are all waived conforms, and says how many",
          "[waivers]") {
  const std::vector<std::string> ids = failing_cases();
  CHECK(exit_status(total(judged({}))) == 1);
  const Report report = judged(ids);
  const Totals totals = total(report);
  CHECK(exit_status(totals) == 0);
  CHECK(totals.of(check::Verdict::kFail) == 0);
  CHECK(totals.of(check::Verdict::kXfail) ==
        total(judged({})).of(check::Verdict::kFail));
  const std::string text = text_report(report, 3);
  CHECK_THAT(text, ContainsSubstring(
                       "(" + std::to_string(totals.of(check::Verdict::kXfail)) +
                       " waived)"));
  CHECK_THAT(text, ContainsSubstring("known for long; https://example.org/7"));
  CHECK_THAT(text, ContainsSubstring("until 2027-03-31"));
  // A waived failure is no pass: the suffix that it belongs to is not claimed.
  CHECK(totals.suffixes.find("+B") == std::string::npos);
}

TEST_CASE("one failure without a waiver fails the run", "[waivers]") {
  std::vector<std::string> ids = failing_cases();
  ids.pop_back();
  CHECK(exit_status(total(judged(ids))) == 1);
}

TEST_CASE("a waiver that covers nothing but passes is stale and an error",
          "[waivers]") {
  std::vector<std::string> ids = failing_cases();
  ids.push_back("smoke-unit-001");
  const Report report = judged(ids);
  CHECK(exit_status(total(report)) == 1);
  const std::string text = text_report(report, 3);
  CHECK_THAT(text, ContainsSubstring("XPASS    smoke-unit-001"));
  CHECK_THAT(text, ContainsSubstring("\nSTALE WAIVER "));
  // One failure left among many passes keeps a waiver alive.
  CHECK(exit_status(total(judged({"*"}))) == 0);
}

TEST_CASE("a run that leaves out covered cases calls no waiver stale",
          "[waivers]") {
  const std::string failing = failing_cases()[0];
  check::Selection one;
  one.cases = {"smoke-unit-001"};
  CHECK(exit_status(total(judged({"smoke-unit-001"}, one))) == 1);
  CHECK(exit_status(total(judged({"smoke-*"}, one))) == 0);
  one.cases = {failing};
  one.operations = {"table"};  // passes; rope does not
  CHECK(exit_status(total(judged({failing}, one))) == 0);
}

TEST_CASE(
    "an expired waiver covers nothing and is an error, in a run that is judged",
    "[waivers]") {
  const std::vector<std::string> failing = failing_cases();
  const auto on_the_day_after = [](const std::vector<std::string>& patterns) {
    return judged(patterns, {}, "backwards", {plugin::Outcome::kOk, ""},
                  "2027-04-01");
  };
  const Report report = on_the_day_after(failing);
  const Totals totals = total(report);
  CHECK(exit_status(totals) == 1);
  CHECK(totals.of(check::Verdict::kXfail) == 0);
  CHECK(totals.of(check::Verdict::kFail) ==
        total(judged({})).of(check::Verdict::kFail));
  CHECK(totals.expired.size() == failing.size());
  CHECK(totals.stale.empty());
  const std::string text = text_report(report, 0);
  CHECK_THAT(text, ContainsSubstring("  EXPIRED  " + failing[0] +
                                     ": ended on 2027-03-31"));
  CHECK_THAT(text, ContainsSubstring("\nDOES NOT CONFORM  level "));
  CHECK_THAT(junit_report(report), ContainsSubstring("EXPIRED: ended on"));

  // It needs no failure to be an error.
  const Report passing = on_the_day_after({"smoke-unit-001"});
  CHECK(total(passing).expired.size() == 1);
  CHECK(total(passing).stale.empty());
}

TEST_CASE("a run that passes but for an expired waiver says just that",
          "[waivers]") {
  plugin::Description description = selftest::full_description(ROPEPROOF_A0);
  selftest::TestKernel kernel(description, selftest::exact_knobs());
  check::Selection smoke;
  smoke.tier = "smoke";
  Report report = check::run_suite(kernel, cases::committed(), smoke);
  REQUIRE(exit_status(total(report)) == 0);
  Waivers waivers;
  waivers.entries.push_back({"smoke-unit-001", report.kernel.name, "a reason",
                             "https://example.org/7",
                             parse_date("2027-03-31")});
  apply_waivers(waivers, case_ids(cases::committed()), parse_date("2027-04-01"),
                report);
  CHECK(exit_status(total(report)) == 1);
  CHECK_THAT(text_report(report, 0), ContainsSubstring("\nEXPIRED WAIVER "));
  CHECK(conformance_statement(report, total(report)).empty());
}

TEST_CASE("a waiver is for its own engine and for wrong answers alone",
          "[waivers]") {
  CHECK(exit_status(total(judged({"*"}, {}, "forwards"))) == 1);
  const plugin::Answer crash{plugin::Outcome::kCrash, "ended by signal 11"};
  CHECK(exit_status(total(judged({"*"}, {}, "backwards", crash))) == 1);
  const plugin::Answer error{plugin::Outcome::kError, "no JSON"};
  CHECK(exit_status(total(judged({"*"}, {}, "backwards", error))) == 3);
}

}  // namespace
}  // namespace ropeproof::conformance::report
