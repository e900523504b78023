#include "conformance/report/policy.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "conformance/cases/test_corpus.h"
#include "conformance/check/test_formed.h"
#include "conformance/text/file.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::report {
namespace {

using Catch::Matchers::ContainsSubstring;
using Document = nlohmann::json;

Document least() {
  return {{"format", "ropeproof-policy/1"},
          {"operations", {"rope"}},
          {"dtypes", {"f32"}},
          {"pairings", {"half_split"}},
          {"positions", 131072}};
}

Policy policy_of(const Document& document) {
  return parse_policy(document.dump(), "p.json");
}

Report judged(const plugin::Description& description,
              const wrong::Pipeline& pipeline) {
  wrong::PipelineKernel kernel(description, pipeline);
  check::Selection selection = check::core();
  selection.tier = cases::Tier::kSmoke;
  return check::run_suite(kernel, cases::committed(), selection);
}

Document verdict_of(Report report, const Document& document) {
  report.required = policy_of(document).required;
  return Document::parse(verdict_line(report, "digest"));
}

}  // namespace

TEST_CASE("a policy is a requirement, and says what it leaves to the suite",
          "[conformance][report][policy]") {
  const Policy policy = policy_of(least());
  CHECK(policy.required ==
        "L1,A1,rope,f32,half_split,positions>=131072,declined<=0");
  CHECK(policy.tier == cases::Tier::kCore);
  CHECK_FALSE(policy.seed.has_value());
  CHECK(policy.judged.features == ~0u);
  CHECK(policy.time_limit_ms == 10000);
  Document all = least();
  all["dtypes"] = {"f32", "bf16"};
  all["scalings"] = {"yarn"};
  all["axis_maps"] = {"sections"};
  all["features"] = {"adjoint"};
  all["level"] = "L2+M";
  all["angle_class"] = "A0";
  all["table"] = "f32";
  all["rounding"] = "once";
  all["most_declined"] = 3;
  all["tier"] = "full";
  all["seed"] = 7;
  all["time_limit_ms"] = 500;
  all["whole_limit_ms"] = 60000;
  all["speed_ratio"] = 1.5;
  const Policy every = policy_of(all);
  CHECK(every.required ==
        "L2+M,A0,table=f32,rounding=once,rope,f32,bf16,half_split,adjoint,"
        "scaling=yarn,axis_map=sections,positions>=131072,declined<=3");
  CHECK(every.tier == cases::Tier::kFull);
  CHECK(every.seed == 7);
  CHECK(every.judged.features == ROPEPROOF_ADJOINT);
  CHECK(every.time_limit_ms == 500);
  CHECK(every.whole_limit_ms == 60000);
  CHECK(every.speed_ratio == 1.5);
}

TEST_CASE("what is no policy is refused in one line that names the field",
          "[conformance][report][policy]") {
  const auto refused = [](const std::string& key, const Document& value) {
    Document document = least();
    if (value.is_null()) {
      document.erase(key);
    } else {
      document[key] = value;
    }
    CAPTURE(document.dump());
    CHECK_THROWS_WITH(policy_of(document), ContainsSubstring("p.json") &&
                                               ContainsSubstring(key) &&
                                               !ContainsSubstring("\n"));
  };
  refused("format", "ropeproof-policy/2");
  refused("operations", nullptr);
  refused("operations", Document::array());
  refused("dtypes", {"f33"});
  refused("pairings", Document::array());
  refused("positions", -1);
  refused("positions", nullptr);
  refused("level", "L4");
  refused("level", "L1,positions>=0");
  refused("angle_class", "A3");
  refused("angle_class", "A1,declined<=9");
  refused("table", "f31");
  refused("tier", "smoke");
  refused("seed", 0);
  refused("most_declined", -1);
  refused("speed_ratio", -1);
  refused("speed_ratio", "1");
  refused("colour", "blue");
  CHECK_THROWS_AS(parse_policy("{", "p.json"), std::invalid_argument);
  CHECK_THROWS_AS(read_policy("/nowhere/p.json"), std::invalid_argument);
}

TEST_CASE("the schema of a policy has the fields of its reader",
          "[conformance][report][policy]") {
  const Document schema = Document::parse(text::read_file(
      ROPEPROOF_SOURCE_DIR "/conformance/report/policy.schema.json"));
  Document every = least();
  for (const auto& [key, field] : schema["properties"].items()) {
    if (every.contains(key)) continue;
    // Each known key is refused for its value, not as an unknown field.
    Document document = least();
    document[key] = Document::object();
    CHECK_THROWS_WITH(policy_of(document), !ContainsSubstring("unknown field"));
  }
}

TEST_CASE("a verdict is one line that says what failed, and where",
          "[conformance][report][policy]") {
  const plugin::Description d = wrong::full_description(ROPEPROOF_A1);
  Report slow = judged(d, wrong::exact_pipeline());
  const Document right = verdict_of(slow, least());
  CHECK(right["conforms"] == true);
  CHECK(right["failures"].empty());
  CHECK(right["cells"]["rope/f32/half_split"]["passed"] > 0);
  CHECK(right["cells"]["rope/f32/half_split"]["failed"] == 0);
  slow.speed = {.ratio = 0.5, .row = "rope/f32", .processor = "any"};
  slow.least_speed = 0.5;
  CHECK(verdict_of(slow, least())["speed"]["ratio"] == 0.5);
  CHECK(verdict_of(slow, least())["conforms"] == true);
  slow.least_speed = 2;
  CHECK(verdict_of(slow, least())["lacking"] ==
        "speed 0.5 of plain C++, not 2");
  CHECK(verdict_of(slow, least())["exit_status"] == 1);
  wrong::Pipeline broken = wrong::exact_pipeline();
  broken.ignores_direction = true;
  const Document bad = verdict_of(judged(d, broken), least());
  CHECK(bad["conforms"] == false);
  CHECK(bad["exit_status"] == 1);
  CHECK(bad["failures"]["FAIL"] > 0);
  plugin::Description narrow = d;
  narrow.dtypes = ROPEPROOF_F16;
  const Document lacks =
      verdict_of(judged(narrow, wrong::exact_pipeline()), least());
  CHECK(lacks["conforms"] == false);
  CHECK_THAT(lacks["lacking"].get<std::string>(),
             ContainsSubstring("does not offer f32"));
}

}  // namespace ropeproof::conformance::report
