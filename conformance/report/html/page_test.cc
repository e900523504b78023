#include "conformance/report/html/page.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <limits>

#include "conformance/report/html/figures.h"

namespace ropeproof::conformance::report {
namespace {

using Catch::Matchers::ContainsSubstring;

// What a kernel may send: markup, a control character, text that runs from
// right to left, bytes that are no UTF-8.
const std::string kAttack =
    "</script></style><img src=x onerror=alert(1)>\"'&\x1b[31m\x01 "
    "\xe2\x80\xae "
    "\xff";

check::Check failing(const std::string& id) {
  check::Check check;
  check.case_id = id;
  check.operation = ROPEPROOF_ROPE;
  check.dtype = ROPEPROOF_F32;
  check.verdict = check::Verdict::kCrash;
  check.reason = kAttack;
  check.summary = kAttack;
  return check;
}

Report attacked() {
  Report report;
  report.kernel.name = kAttack;
  report.kernel.version = kAttack;
  report.kernel.operations = ROPEPROOF_ROPE;
  report.kernel.dtypes = ROPEPROOF_F32;
  report.kernel.claims.resize(1);
  report.kernel_argument = "--lib " + kAttack;
  report.selection = "tier core, 4 of 4 cases";
  report.required = "L1";
  report.checks = {failing(kAttack)};
  report.facts[kAttack]["scaling"] = kAttack;
  report.diagnoses = {explain::Diagnosis{.what = kAttack,
                                         .aliases = {kAttack},
                                         .advice = kAttack,
                                         .next = kAttack,
                                         .example = kAttack}};
  AppliedWaiver waiver;
  waiver.waiver = {kAttack, kAttack, kAttack, kAttack,
                   parse_date("2027-03-31")};
  report.waivers = {waiver};
  report.shown.specimen = explain::Specimen{
      kAttack, ROPEPROOF_ROPE, true, 7, {{0, 1, 2, 0, 1, 1, 0}, {}}};
  return report;
}

TEST_CASE("text of a kernel is text on the page, wherever it stands",
          "[report][html]") {
  const std::string page = html_report(attacked());
  CHECK(page.find("<img") == std::string::npos);
  CHECK(page.find("</script") == std::string::npos);
  CHECK(page.find("</style></style") == std::string::npos);
  CHECK(page.find('\x1b') == std::string::npos);
  CHECK(page.find('\x01') == std::string::npos);
  CHECK(page.find("\xe2\x80\xae") == std::string::npos);
  CHECK(page.find('\xff') == std::string::npos);
  CHECK_THAT(page, ContainsSubstring("&lt;img src=x onerror=alert(1)&gt;"));
  // One style and no script: nothing of the text ended it.
  CHECK(page.find("<style>") == page.rfind("<style>"));
}

TEST_CASE("the page stays below 1 MB however much fails", "[report][html]") {
  Report report = attacked();
  report.checks.clear();
  for (int i = 0; i < 6000; ++i) {
    check::Check check = failing("case-" + std::to_string(i));
    check.reason = std::string(20000, static_cast<char>('a' + i % 26)) +
                   std::string(static_cast<std::size_t>(i % 400), 'x');
    report.checks.push_back(check);
  }
  const std::string page = html_report(report);
  CHECK(page.size() < 1'000'000);
  CHECK_THAT(page, ContainsSubstring("causes more"));
}

TEST_CASE("a picture without data is left out with a reason",
          "[report][html]") {
  Report report;
  for (const auto figure : {pair_figure, class_figure, ulp_figure,
                            frequency_figure, rotation_figure}) {
    const std::string html = figure(report);
    CHECK_THAT(html, ContainsSubstring("Not drawn: "));
    CHECK(html.find("<svg") == std::string::npos);
  }
  report.shown.spread.note_ulp(reference::Format::kF32, 0.25);
  CHECK_THAT(ulp_figure(report), ContainsSubstring("<svg"));
  CHECK_THAT(pair_figure(report), ContainsSubstring("formed no angle"));
}

TEST_CASE("each picture says what there is to see", "[report][html]") {
  Report report;
  report.shown.spread.note_ratio(4, 0, 1, 0.25);
  CHECK_THAT(
      pair_figure(report),
      ContainsSubstring("No answer's error exceeds its bound; the largest is "
                        "0.25 times it, at positions 8 to 15"));
  CHECK_THAT(pair_figure(report), ContainsSubstring("not asked</text>"));
  report.shown.spread.note_ratio(13, 1, 2, 70);
  CHECK_THAT(pair_figure(report),
             ContainsSubstring("In 16 of 48 cells, red and crossed"));
  report.shown.spread.note_ratio(14, 0, 1,
                                 std::numeric_limits<double>::infinity());
  CHECK_THAT(pair_figure(report), ContainsSubstring("the largest is inf"));

  explain::Specimen s{"x", ROPEPROOF_ROPE, true, 7, {}};
  s.pairs = {{0, 1, 1, 0, 1, 0, 1}, {1, 0.1, 4, 1, 0, 0.5, 0.5}};
  report.shown.specimen = s;
  CHECK_THAT(frequency_figure(report),
             ContainsSubstring("1 are not those that are due, between pairs 1 "
                               "and 1: from 1 to 4 times these."));
  CHECK_THAT(rotation_figure(report),
             ContainsSubstring("in 1 of 2 pairs: up to 0.5 off, in pair 1."));
}

}  // namespace
}  // namespace ropeproof::conformance::report
