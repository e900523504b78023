#include "conformance/report/scoreboard.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "conformance/cases/test_corpus.h"
#include "conformance/cases/test_groups.h"
#include "conformance/check/runner.h"
#include "conformance/check/test_formed.h"
#include "conformance/report/apply.h"
#include "conformance/report/report_reader.h"
#include "conformance/report/submission.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::report {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

const Date kToday = parse_date("2027-03-31");

struct Entrant {
  std::string name = "engine", version = "1.0";
  bool is_wrong = false;  // it forgets the direction: no adjoint case is right
  std::uint32_t lacks = 0;  // features
  Waivers waivers = {};
};

NamedReport report_of(const Entrant& subject) {
  plugin::Description description = wrong::full_description(ROPEPROOF_A1);
  description.name = subject.name;
  description.version = subject.version;
  description.features &= ~subject.lacks;
  wrong::Pipeline pipeline = wrong::f32_pipeline();
  pipeline.ignores_direction = subject.is_wrong;
  wrong::PipelineKernel kernel(description, pipeline);
  check::Selection selection = check::core();
  selection.tier = cases::Tier::kSmoke;
  Report report = check::run_suite(kernel, cases::committed(), selection);
  report.suite_version = "0.1.0";
  apply_waivers(subject.waivers, case_ids(cases::committed()), kToday, report);
  return {subject.name + "-" + subject.version + ".json", report};
}

// The cause of what is_wrong does.
Waiver cause() {
  Waiver waiver{"*", "wrong", "the direction is ignored",
                "https://example.org/7", parse_date("2027-03-31")};
  waiver.version = "2.1";
  waiver.asked = "tier smoke";
  waiver.kind = WaiverKind::kDefect;
  waiver.where = "src/rope.cc:81";
  waiver.smallest = "head_dim 2, position 1";
  waiver.fix = "negate the sine";
  return waiver;
}

const std::vector<NamedReport>& reports() {
  static const std::vector<NamedReport> all = {
      report_of({.name = "wrong", .version = "2.1", .is_wrong = true}),
      report_of({.name = "right"})};
  return all;
}

Scoreboard board(const std::vector<Waiver>& causes,
                 const std::map<Engine, SpeedRange>& speeds = {}) {
  return make_scoreboard(reports(), {"causes.json", "", causes}, speeds,
                         kToday);
}

// The last cell in the row of `wrong`.
const Cell& red_cell(const Scoreboard& made) {
  return *made.rows.at(1).cells.at(0);
}

TEST_CASE("a row of an earlier board stays until its engine is judged again",
          "[conformance][scoreboard]") {
  const Scoreboard whole = board({cause()}, {{{"right", "1.0"}, {0.5, 0.75}}});
  const std::string text = scoreboard_json(whole);
  const auto kept = read_kept(text, "kept.json");
  const auto again = [&](const Entrant& entrant,
                         const std::vector<Waiver>& causes) {
    return make_scoreboard({report_of(entrant)}, {"causes.json", "", causes},
                           {}, parse_date("2027-03-30"), kept);
  };
  // Another version of one engine: the other's row is as it was, with its day.
  const Scoreboard later =
      again({.name = "right", .version = "2.0"}, {cause()});
  REQUIRE(later.rows.size() == 2);
  CHECK(later.rows[0].engine.version == "2.0");
  CHECK_FALSE(later.rows[0].speed);
  CHECK(later.rows[1].engine == whole.rows[1].engine);
  CHECK(later.rows[1].origin == whole.rows[1].origin);
  CHECK(verdict_text(red_cell(later)) == verdict_text(red_cell(whole)));
  CHECK(figures_text(red_cell(later)) == figures_text(red_cell(whole)));
  CHECK(red_cell(later).causes == std::vector<std::size_t>{0});
  CHECK(open_points(later).empty());
  CHECK(origin_text(later.rows[1].origin, later) == "2027-03-31");
  // A cause that is gone leaves its cell unexplained, and one whose red row was
  // judged again is stale.
  CHECK(open_points(again({.name = "right"}, {})).size() == 1);
  CHECK_THAT(
      open_points(again({.name = "wrong", .version = "2.1"}, {cause()})).at(0),
      ContainsSubstring("stale"));
  CHECK(again({.name = "wrong", .version = "2.1"}, {}).rows[0].speed->most ==
        0.75);
  for (const std::string& other :
       {std::string("{}"), text + " ", text.substr(0, text.size() / 2)}) {
    CHECK_THROWS_WITH(read_kept(other, "kept.json"),
                      StartsWith("kept.json: no rows as `ropeproof matrix`"));
  }
}

TEST_CASE("a red cell without a cause is unexplained",
          "[conformance][scoreboard]") {
  const Scoreboard made = board({});
  CHECK(made.columns == std::vector<Column>{{"tier smoke", ""}});
  REQUIRE(made.rows.size() == 2);
  CHECK(made.rows[0].engine == Engine{"right", "1.0"});
  CHECK(made.rows[0].cells[0]->kind == Cell::Kind::kConforms);
  CHECK_THAT(verdict_text(*made.rows[0].cells[0]), StartsWith("L1+"));
  CHECK_THAT(figures_text(*made.rows[0].cells[0]),
             StartsWith("A1, worst 0.") && ContainsSubstring(", rho "));
  const Cell& red = red_cell(made);
  CHECK(red.kind == Cell::Kind::kRed);
  CHECK(red.failed > 0);
  CHECK(red.unexplained == red.failed);
  CHECK_THAT(verdict_text(red), ContainsSubstring(" fail"));
  REQUIRE(open_points(made).size() == 1);
  CHECK_THAT(open_points(made)[0],
             StartsWith("wrong 2.1, tier smoke: unexplained"));
  CHECK(count_text(made) == "2 engines, 1 conforms");
}

TEST_CASE("a cause explains the failures that it matches, and no other",
          "[conformance][scoreboard]") {
  const Scoreboard made = board({cause()});
  CHECK(red_cell(made).unexplained == 0);
  CHECK(red_cell(made).causes == std::vector<std::size_t>{0});
  CHECK(made.rows[0].cells[0]->causes.empty());
  CHECK(open_points(made).empty());

  const auto& checks = reports()[0].report.checks;
  Waiver some = cause();
  some.id =
      std::ranges::find(checks, check::Verdict::kFail, &check::Check::verdict)
          ->case_id;
  const Scoreboard half = board({some});
  const Cell& partly = red_cell(half);
  CHECK(partly.causes.size() == 1);
  CHECK(partly.unexplained > 0);
  CHECK(partly.unexplained < partly.failed);
}

TEST_CASE("a cause is of one version and of what was asked",
          "[conformance][scoreboard]") {
  const auto with = [](const auto& change) {
    Waiver waiver = cause();
    change(waiver);
    return board({waiver});
  };
  const Scoreboard next = with([](Waiver& w) { w.version = "2.0"; });
  CHECK(red_cell(next).unexplained == red_cell(next).failed);
  CHECK(next.causes.at(0).state == Cause::State::kOtherVersion);
  CHECK(open_points(next).size() == 2);

  const Scoreboard any = with([](Waiver& w) { w.version.clear(); });
  CHECK(open_points(any).empty());

  const Scoreboard elsewhere = with([](Waiver& w) { w.asked = "tier core"; });
  CHECK(red_cell(elsewhere).unexplained == red_cell(elsewhere).failed);
  CHECK(elsewhere.causes.empty());

  const Scoreboard absent = with([](Waiver& w) { w.engine = "other"; });
  CHECK(absent.causes.empty());
}

TEST_CASE("waivers of a run leave its cell red", "[conformance][scoreboard]") {
  const Waivers waivers{"w.json", "", {cause()}};
  const NamedReport waived = report_of({.name = "wrong",
                                        .version = "2.1",
                                        .is_wrong = true,
                                        .waivers = waivers});
  CHECK(exit_status(total(waived.report)) == 0);
  const Scoreboard made = make_scoreboard({waived}, waivers, {}, kToday);
  CHECK(made.rows[0].cells[0]->kind == Cell::Kind::kRed);
  CHECK(made.rows[0].cells[0]->failed == red_cell(board({})).failed);
}

TEST_CASE("what an engine does not offer of a profile is red until explained",
          "[conformance][scoreboard]") {
  NamedReport named = report_of(
      {.name = "wrong", .version = "2.1", .lacks = ROPEPROOF_PARTIAL});
  named.report.profile = "any";
  named.report.asked = "profile any";
  const auto cell_with = [&](const Waivers& causes) {
    return *make_scoreboard({named}, causes, {}, kToday).rows[0].cells[0];
  };
  const Cell cell = cell_with({});
  REQUIRE(cell.lacking > 0);
  CHECK(cell.failed == 0);
  CHECK(cell.unexplained == cell.lacking);
  CHECK_THAT(verdict_text(cell), ContainsSubstring(" not offered"));
  Waiver limit = cause();
  limit.asked = "profile *";
  limit.kind = WaiverKind::kLimit;
  CHECK(cell_with({"", "", {limit}}).unexplained == 0);
  limit.kind = WaiverKind::kDefect;  // to lack something is none
  CHECK(cell_with({"", "", {limit}}).unexplained == cell.lacking);
}

TEST_CASE("what makes no table is refused in one line that names the file",
          "[conformance][scoreboard]") {
  const auto fault_with = [](const auto& change) {
    std::vector<NamedReport> all = reports();
    change(all[1].report);
    return cases::refusal<ReportError>(
        [&] { make_scoreboard(all, {}, {}, kToday); });
  };
  CHECK(fault_with([](Report&) {}) == "accepted");
  CHECK_THAT(fault_with([](Report& r) { r.seed = 7; }),
             ContainsSubstring("right-1.0.json") && ContainsSubstring("fresh"));
  CHECK_THAT(fault_with([](Report& r) { r.suite_version = "0.0.9"; }),
             ContainsSubstring("0.1.0 and 0.0.9"));
  CHECK_THAT(fault_with([](Report& r) { r.manifest_sha256 = "12ab"; }),
             ContainsSubstring("vectors"));
}

TEST_CASE("every document says verdicts, causes, versions and the day",
          "[conformance][scoreboard]") {
  const Scoreboard made =
      board({cause()}, {{{"right", "1.0"}, {0.5, 0.625, 2}}});
  for (const std::string& text :
       {scoreboard_markdown(made), scoreboard_html(made)}) {
    for (const char* part :
         {"0.1.0", "2027-03-31", "wrong", "2.1", "tier smoke", "fail", "defect",
          "the direction is ignored", "src/rope.cc:81", "head\u005fdim 2",
          "negate the sine", "https://example.org/7", "#cause-1", "L1+",
          "0.5 to 0.62"}) {
      CAPTURE(part);
      const bool is_markdown = text.starts_with("#");
      const std::string wanted =
          is_markdown && part == std::string("head_dim 2") ? "head\\_dim 2"
                                                           : part;
      CHECK_THAT(text, ContainsSubstring(wanted));
    }
    CHECK(text.find("unexplained") == std::string::npos);
  }
  CHECK_THAT(scoreboard_badge(made),
             ContainsSubstring("2 engines, 1 conforms") &&
                 ContainsSubstring("ropeproof 0.1.0"));
  CHECK_THAT(scoreboard_html(board({})), ContainsSubstring("unexplained"));
  CHECK_THAT(scoreboard_markdown(board({})),
             ContainsSubstring("**unexplained**"));
}

TEST_CASE("a cell says what stood in for a device, and what that covers",
          "[conformance][scoreboard]") {
  std::vector<NamedReport> named = reports();
  named[0].report.kernel.backend =
      plugin::Backend{"lava|pipe", "22.3", "logic", "<code>", {}};
  const Scoreboard made = make_scoreboard(named, {}, {}, kToday);
  CHECK(backend_text(*made.rows[1].cells[0]) == "on lava|pipe 22.3");
  CHECK(backend_text(*made.rows[0].cells[0]).empty());
  CHECK_THAT(
      scoreboard_markdown(made),
      ContainsSubstring("<br>on lava\\|pipe 22.3") &&
          ContainsSubstring("- lava\\|pipe 22.3: logic; not &lt;code&gt;"));
  CHECK_THAT(scoreboard_html(made),
             ContainsSubstring(">on lava|pipe 22.3</span>") &&
                 ContainsSubstring("</b>: logic; not &lt;code&gt;</li>"));
  CHECK(scoreboard_markdown(board({})).find("Stand-ins") == std::string::npos);
  CHECK(scoreboard_html(board({})).find("Stand-ins") == std::string::npos);
}

TEST_CASE("names from elsewhere are text in every document",
          "[conformance][scoreboard]") {
  NamedReport named = reports()[0];
  named.report.kernel.name = "<script>|`*[x](y)\n&\"";
  Waiver hostile = cause();
  hostile.engine = named.report.kernel.name;
  hostile.reason = "<img src=x>|";
  hostile.link = "https://example.org/\"><script>";
  const Scoreboard made =
      make_scoreboard({named}, {"", "", {hostile}}, {}, kToday);
  const std::string html = scoreboard_html(made) + scoreboard_badge(made);
  CHECK(html.find("<script") == std::string::npos);
  CHECK(html.find("<img") == std::string::npos);
  const std::string markdown = scoreboard_markdown(made);
  CHECK(markdown.find("<script") == std::string::npos);
  CHECK(markdown.find("<img") == std::string::npos);
  CHECK_THAT(markdown, ContainsSubstring("&lt;script&gt;\\|\\`\\*\\[x\\](y)"));
}

TEST_CASE("a submission is of this suite, whole, and explained",
          "[conformance][scoreboard]") {
  const auto faults = [](const Submission& submission) {
    const std::vector<std::string> all =
        look_at(submission, cases::committed(), "0.1.0", kToday).faults;
    std::string text;
    for (const std::string& fault : all) text += fault + "\n";
    return text;
  };
  NamedReport right = reports()[1], wrong = reports()[0];
  // The runs above are of the smoke tier: what a profile asks has no tier.
  CHECK_THAT(faults({{right}, {}, {}}),
             ContainsSubstring("the smoke tier is too little"));
  right.report.tier = wrong.report.tier = std::nullopt;
  CHECK(faults({{right}, {}, {}}).empty());
  CHECK_THAT(faults({{wrong}, {}, {}}), ContainsSubstring("unexplained"));
  CHECK(faults({{wrong}, {"causes.json", "", {cause()}}, {}}).empty());

  const auto spoilt = [&](const auto& spoil) {
    NamedReport named = right;
    spoil(named.report);
    return faults({{named}, {}, {}});
  };
  CHECK_THAT(spoilt([](Report& r) { r.tier = cases::Tier::kCore; }),
             ContainsSubstring("committed cases are missing"));
  CHECK_THAT(spoilt([](Report& r) {
               const std::string id = r.checks[0].case_id;
               std::erase_if(r.checks, [&](const check::Check& c) {
                 return c.case_id == id;
               });
             }),
             ContainsSubstring("not those of the cases"));
  CHECK_THAT(spoilt([](Report& r) { r.suite_version = "0.0.9"; }),
             ContainsSubstring("of ropeproof 0.0.9; this is 0.1.0"));
  CHECK_THAT(spoilt([](Report& r) { r.manifest_sha256 = "7"; }),
             ContainsSubstring("other vectors"));
  CHECK_THAT(spoilt([](Report& r) { r.is_forked = false; }),
             ContainsSubstring("--no-fork"));
  CHECK_THAT(spoilt([](Report& r) { r.kernel.version.clear(); }),
             ContainsSubstring("no version"));

  // Who ran it again has the same, or says what differs.
  const auto standing = [&](const NamedReport& again) {
    const Findings found =
        look_at({{right}, {}, {again}}, cases::committed(), "0.1.0", kToday);
    CHECK(found.cells.size() == 1);
    return found.cells.at(0) + (found.faults.empty() ? "" : " FAULT");
  };
  NamedReport again = right;
  again.report.kernel_argument = "--lib elsewhere.so";
  CHECK_THAT(standing(again), ContainsSubstring("the same bytes"));
  again.report.kernel_sha256 = "another build";
  CHECK_THAT(standing(again), ContainsSubstring("the same verdicts"));
  again.report.checks[0].verdict = check::Verdict::kFail;
  CHECK_THAT(standing(again), ContainsSubstring("not reproduced FAULT"));
  again.report.kernel.version = "2";
  CHECK_THAT(standing(again), ContainsSubstring("self-declared FAULT"));
}

}  // namespace
}  // namespace ropeproof::conformance::report
