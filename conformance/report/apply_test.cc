#include "conformance/report/apply.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "conformance/cases/test_corpus.h"
#include "conformance/check/runner.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::report {
namespace {

using Catch::Matchers::ContainsSubstring;

const Date kLastDay = parse_date("2027-03-31");

// A kernel that is wrong in backward cases alone, or right, and its waivers.
struct Subject {
  std::vector<std::string> patterns = {};
  check::Selection selection = {};
  std::string engine = "backwards";
  plugin::Answer canned = {plugin::Outcome::kOk, ""};
  bool is_wrong = true;
  std::string asked = {};  // of the waivers
};

// Each run once: the waivers are what tests differ in.
const Report& run_of(const Subject& subject) {
  const check::Selection& s = subject.selection;
  using Key = std::tuple<bool, plugin::Outcome, cases::Tier,
                         std::vector<std::string>, std::vector<std::string>>;
  static std::map<Key, Report> runs;
  const auto [run, is_new] =
      runs.try_emplace({subject.is_wrong, subject.canned.outcome, s.tier,
                        s.cases, s.operations});
  if (!is_new) return run->second;
  plugin::Description description = wrong::full_description(ROPEPROOF_A0);
  description.name = "backwards";
  wrong::Pipeline pipeline = wrong::exact_pipeline();
  pipeline.ignores_direction = subject.is_wrong;
  wrong::PipelineKernel kernel(description, pipeline);
  kernel.canned = subject.canned;
  return run->second =
             check::run_suite(kernel, cases::committed(), subject.selection);
}

Report judged(const Subject& subject) {
  Report report = run_of(subject);
  Waivers waivers;
  for (const std::string& pattern : subject.patterns) {
    waivers.entries.push_back({pattern, subject.engine, "known for long",
                               "https://example.org/7", kLastDay});
    waivers.entries.back().asked = subject.asked;
  }
  apply_waivers(waivers, case_ids(cases::committed()), kLastDay, report);
  return report;
}

int status(const Subject& subject) {
  return exit_status(total(judged(subject)));
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
  CHECK(status({}) == 1);
  const Report report = judged({ids});
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
  CHECK((totals.suffixes & check::kSuffixB) == 0);
}

TEST_CASE(
    "a waiver of another version, or of what was not asked, covers nothing",
    "[waivers]") {
  const Report report = judged({});
  Waiver waiver{"*", "backwards", "known", "https://example.org/7", {}};
  CHECK(applies(waiver, report));
  waiver.engine = "back*";
  CHECK(applies(waiver, report));
  waiver.engine = "back";
  CHECK_FALSE(applies(waiver, report));
  waiver.engine = "backwards";
  waiver.version = report.kernel.version;
  waiver.asked = "tier c*";
  CHECK(applies(waiver, report));
  waiver.version += "1";
  CHECK_FALSE(applies(waiver, report));
  waiver.version.clear();
  waiver.asked = "profile *";
  CHECK_FALSE(applies(waiver, report));
}

TEST_CASE("one failure without a waiver fails the run", "[waivers]") {
  std::vector<std::string> ids = failing_cases();
  ids.pop_back();
  CHECK(status({ids}) == 1);
}

TEST_CASE("a waiver that covers nothing but passes is stale and an error",
          "[waivers]") {
  std::vector<std::string> ids = failing_cases();
  ids.push_back("smoke-unit-001");
  const Report report = judged({ids});
  CHECK(exit_status(total(report)) == 1);
  const std::string text = text_report(report, 3);
  CHECK_THAT(text, ContainsSubstring("XPASS    smoke-unit-001"));
  CHECK_THAT(text, ContainsSubstring("\nSTALE WAIVER "));
  // One failure left among many passes keeps a waiver alive.
  CHECK(status({{"*"}}) == 0);
}

TEST_CASE("a run that leaves out covered cases calls no waiver stale",
          "[waivers]") {
  const std::string failing = failing_cases()[0];
  check::Selection one;
  one.cases = {"smoke-unit-001"};
  CHECK(status({{"smoke-unit-001"}, one}) == 1);
  CHECK(status({{"smoke-*"}, one}) == 0);
  one.cases = {failing};
  one.operations = {"table"};  // passes; rope does not
  CHECK(status({{failing}, one}) == 0);
}

TEST_CASE("a waiver that names what is asked is stale if all of that passes",
          "[waivers]") {
  Subject subject{.patterns = {"*"}, .is_wrong = false};
  subject.selection.tier = cases::Tier::kSmoke;  // of all cases, few
  const auto stale = [&](const std::string& asked) {
    subject.asked = asked;
    return total(judged(subject)).stale.size();
  };
  CHECK(stale("tier smoke") == 1);
  CHECK(stale("tier *") == 0);  // it may cover what fails in core
  CHECK(stale("tier core") == 0);
  CHECK(stale("") == 0);
  subject.selection.cases = {"smoke-unit-001"};
  CHECK(stale("tier smoke") == 0);
  subject.selection.cases.clear();
  subject.is_wrong = true;
  CHECK(stale("tier smoke") == 0);
}

TEST_CASE("a waiver is for its own engine and for wrong answers alone",
          "[waivers]") {
  CHECK(status({.patterns = {"*"}, .engine = "forwards"}) == 1);
  CHECK(status({.patterns = {"*"},
                .canned = {plugin::Outcome::kCrash, "ended by signal 11"}}) ==
        1);
  CHECK(status({.patterns = {"*"},
                .canned = {plugin::Outcome::kError, "no JSON"}}) == 3);
}

}  // namespace
}  // namespace ropeproof::conformance::report
