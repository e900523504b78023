#include "conformance/report/merge.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <limits>

#include "conformance/cases/test_corpus.h"
#include "conformance/cases/test_groups.h"
#include "conformance/check/runner.h"
#include "conformance/report/apply.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::report {
namespace {

using Catch::Matchers::ContainsSubstring;

Waivers some_waivers() {
  return {"w.json",
          "",
          {{"smoke-rich-00?", "test", "a reason", "https://example.org/7",
            parse_date("2027-03-31")},
           {"smoke-rich-01?", "test", "a reason", "https://example.org/7",
            parse_date("2027-02-28")}}};
}

// What reports must survive: wrong values, NaNs, refusals, waivers.
struct Sharded {
  plugin::Description description = wrong::full_description(ROPEPROOF_A1);
  wrong::Pipeline pipeline = wrong::f32_pipeline();
  plugin::Answer canned{plugin::Outcome::kOk, ""};
  check::Selection selection;
  Waivers waivers = some_waivers();
};

Report report_on(const Sharded& subject, const check::Shard& shard = {}) {
  plugin::Description description = subject.description;
  description.name = "test";
  wrong::PipelineKernel kernel(description, subject.pipeline);
  kernel.canned = subject.canned;
  check::Selection selection = subject.selection;
  selection.shard = shard;
  Report report = check::run_suite(kernel, cases::committed(), selection);
  report.suite_version = "0.0.0-test";
  report.time_limit_ms = 10000;
  report.kernel_argument = "--lib ./test.so";
  apply_waivers(subject.waivers, case_ids(cases::committed()),
                parse_date("2027-03-31"), report);
  return report;
}

std::vector<Sharded> sharded_runs() {
  std::vector<Sharded> all(6);
  for (Sharded& subject : all) subject.selection.tier = cases::Tier::kSmoke;
  all[0].selection.tier = cases::Tier::kCore;
  all[0].description.dtypes = ROPEPROOF_F32;
  all[0].selection.operations = {"permute", "frequencies", "rope"};
  all[1].pipeline.ignores_direction = true;
  all[1].description.dtypes = ROPEPROOF_F32;
  all[2].pipeline.amplitude = [](double) {
    return std::numeric_limits<double>::quiet_NaN();
  };
  all[3].canned = {plugin::Outcome::kCrash, "ended by signal 11"};
  all[3].selection.operations = {"rope", "table"};
  all[4].pipeline.amplitude = [](double) {
    return -std::numeric_limits<double>::infinity();
  };
  all[4].description.claims[0].angle_class = ROPEPROOF_A3;
  all[4].description.claims[0].angle_dtype = ROPEPROOF_BF16;
  // Fewer cases than shards, and none of them offered.
  all[5].selection.cases = {"smoke-unit-001", "smoke-unit-002"};
  all[5].description.operations = ROPEPROOF_PERMUTE;
  return all;
}

std::vector<NamedReport> shards_of(const Sharded& subject, std::int64_t count) {
  std::vector<NamedReport> shards;
  for (std::int64_t i = 1; i <= count; ++i) {
    const std::string file = std::to_string(i) + ".json";
    shards.push_back(
        {file, read_report(json_report(report_on(subject, {i, count})), file)});
  }
  return shards;
}

TEST_CASE("merged shards are the unsharded report, byte for byte, in any order",
          "[conformance][shards]") {
  for (const Sharded& subject : sharded_runs()) {
    const Report whole = report_on(subject);
    std::vector<NamedReport> shards = shards_of(subject, 7);
    std::reverse(shards.begin(), shards.end());
    const Report merged = merge_reports(std::move(shards));
    CHECK(json_report(merged) == json_report(whole));
    CHECK(text_report(merged, 1000, true) == text_report(whole, 1000, true));
  }
}

// What two of three shards say of a kernel, and what is made of it.
std::vector<explain::Diagnosis> merged(explain::Diagnosis first,
                                       explain::Diagnosis third) {
  Sharded subject = sharded_runs()[1];
  subject.selection.cases = {"smoke-unit-001", "smoke-unit-002"};
  std::vector<NamedReport> shards = shards_of(subject, 3);
  shards[0].report.diagnoses = {std::move(first)};
  shards[2].report.diagnoses = {std::move(third)};
  return merge_reports(std::move(shards)).diagnoses;
}

explain::Diagnosis fault(const std::string& what,
                         std::vector<std::string> aliases,
                         const std::string& where, std::int64_t checks,
                         std::optional<double> residual) {
  explain::Diagnosis d;
  d.what = what;
  d.aliases = std::move(aliases);
  d.where = explain::Place::of_word(where);
  d.checks = checks, d.tried = 10;
  d.residual = residual;
  return d;
}

TEST_CASE("of one fault in two shards the names stay that none rules out",
          "[conformance][shards]") {
  const auto all = merged(fault("a", {"b", "c"}, "", 3, 0.5),
                          fault("b", {"a", "d"}, "seq is 1", 4, 0.25));
  REQUIRE(all.size() == 1);
  CHECK(all[0].what == "a");
  CHECK(all[0].aliases == std::vector<std::string>{"b"});
  CHECK(all[0].where.word() == "seq is 1");
  CHECK(all[0].checks == 7);
  CHECK(all[0].tried == 20);
  CHECK(all[0].residual == 0.5);
  // One of its aliases alone is left.
  const auto alias =
      merged(fault("a", {"b"}, "", 3, 0.5), fault("b", {}, "", 4, 0));
  REQUIRE(alias.size() == 1);
  CHECK(alias[0].what == "b");
  CHECK(alias[0].aliases.empty());
}

TEST_CASE("two faults stay two, the larger first, and what has no name last",
          "[conformance][shards]") {
  const auto all =
      merged(fault("a", {}, "", 3, 0.5), fault("b", {}, "?", 4, 0.25));
  REQUIRE(all.size() == 2);
  CHECK(all[0].what == "b");
  CHECK(all[0].tried == 20);
  // A broken promise is none of the values', which are counted apart.
  const auto promise =
      merged(fault("", {}, "", 3, 0.5), fault("b", {}, "", 4, std::nullopt));
  REQUIRE(promise.size() == 2);
  CHECK(promise[0].what == "b");
  CHECK(promise[0].tried == 10);
}

TEST_CASE("where two shards have other rules, both are said",
          "[conformance][shards]") {
  const auto rules = merged(fault("a", {}, "seq is 1", 3, 0),
                            fault("a", {}, "batch > 1", 4, 0));
  CHECK(rules.at(0).where.word() == "seq is 1; in another shard batch > 1");
  const auto thresholds =
      merged(fault("a", {}, "seq > 32", 3, 0), fault("a", {}, "seq > 3", 4, 0));
  CHECK(thresholds.at(0).where.word() == "seq > 32; in another shard seq > 3");
  const auto same =
      merged(fault("a", {}, "seq > 3", 3, 0), fault("a", {}, "seq > 3", 4, 0));
  CHECK(same.at(0).where.word() == "seq > 3");
  CHECK(merged(fault("a", {}, "seq is 1", 3, 0), fault("a", {}, "?", 4, 0))
            .at(0)
            .where.word() == "?");
}

TEST_CASE("a shard supports no level and decides about no waiver",
          "[conformance][shards]") {
  Sharded subject;
  subject.selection.tier = cases::Tier::kSmoke;
  subject.waivers.entries.pop_back();  // the expired one
  CHECK_FALSE(total(report_on(subject)).stale.empty());
  const Report shard = report_on(subject, {1, 2});
  CHECK(total(shard).stale.empty());
  CHECK(total(shard).level == Level::kPart);
  CHECK_THAT(text_report(shard, 0), ContainsSubstring("on shard 1/2"));
}

TEST_CASE("shards that are not one whole run are refused in one line",
          "[conformance][shards]") {
  const std::vector<NamedReport> whole = shards_of(sharded_runs()[1], 3);
  const auto with = [&](const auto& change) {
    std::vector<NamedReport> shards = whole;
    change(shards);
    return cases::refusal<ReportError>([&] { merge_reports(shards); });
  };
  CHECK(with([](auto&) {}) == "accepted");
  CHECK(with([](auto& s) { s.pop_back(); }) == "shard 3/3 is missing");
  CHECK(with([](auto& s) { s.erase(s.begin()); }) == "shard 1/3 is missing");
  CHECK(with([](auto& s) { s.erase(s.begin() + 1); }) ==
        "shard 2/3 is missing");
  CHECK_THAT(with([](auto& s) { s.push_back(s[1]); }),
             ContainsSubstring("the same shard, 2/3"));
  CHECK_THAT(with([](auto& s) { s.clear(); }), ContainsSubstring("no report"));

  const auto differs = [&](const char* key, const auto& change) {
    CHECK_THAT(
        with([&](auto& s) { change(s[2].report); }),
        ContainsSubstring(std::string("1.json and 3.json are of "
                                      "different runs: they differ in ") +
                          key));
  };
  differs("suite_version", [](Report& r) { r.suite_version = "9"; });
  differs("description", [](Report& r) { r.kernel.version = "9"; });
  differs("description", [](Report& r) { r.kernel.claims[0].trig_ulp = 3; });
  differs("kernel_argument", [](Report& r) { r.kernel_argument += "x"; });
  differs("selection", [](Report& r) { r.selection = "tier core"; });
  differs("cases_sha256", [](Report& r) { r.cases_sha256 = "9"; });
  differs("waivers", [](Report& r) { r.waivers[0].waiver.reason = "x"; });
  differs("number of shards", [](Report& r) { r.shard.count = 4; });
  differs("number of shards", [](Report& r) { r.shard = {}; });  // a whole run

  CHECK_THAT(with([](auto& s) { s[1].report.dealt[0] = s[0].report.dealt[0]; }),
             ContainsSubstring("twice"));
  CHECK_THAT(with([](auto& s) { s[1].report.dealt.pop_back(); }),
             ContainsSubstring("do not hold the cases"));
  CHECK_THAT(with([](auto& s) {
               std::swap(s[1].report.checks.front(), s[1].report.checks.back());
             }),
             ContainsSubstring("out of order"));
}

TEST_CASE("a file that is not exactly a report is refused in one line",
          "[conformance][report]") {
  const std::string good = json_report(report_on(sharded_runs()[1], {1, 3}));
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return cases::refusal<ReportError>([&] { read_report(text, "a.json"); });
  };
  CHECK(changed("\"selection\"", "\"selection\"") == "accepted");
  CHECK_THAT(changed("\"selection\"", "\"selecting\""),
             ContainsSubstring("missing"));
  CHECK_THAT(changed("\"shard\": \"1/3\"", "\"shard\": \"1/3x\""),
             ContainsSubstring("missing or of another type"));
  CHECK_THAT(changed("\"name\"", "\"extra\": 1, \"name\""),
             ContainsSubstring("edited"));
}

}  // namespace
}  // namespace ropeproof::conformance::report
