// What is reported of runs that form cases.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <string>
#include <vector>

#include "conformance/check/test_formed.h"
#include "conformance/report/merge.h"
#include "conformance/report/report.h"

namespace ropeproof::conformance::report {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("a fresh run is the same every time, in one piece or in shards",
          "[conformance][formed]") {
  wrong::PipelineKernel kernel(check::plain(), wrong::f32_pipeline());
  const auto judged = [&](const check::Shard& shard) {
    check::Selection selection = check::core(7);
    selection.shard = shard;
    Report report = run_suite(kernel, check::few(), selection);
    report.kernel_argument = "--lib ./x.so --fresh 7";
    return report;
  };
  const Report whole = judged({});
  const std::string json = json_report(whole);
  CHECK_THAT(json, ContainsSubstring(R"("seed": 7,)"));
  CHECK_THAT(junit_report(whole),
             ContainsSubstring(R"(<property name="seed" value="7"/>)"));
  std::vector<NamedReport> shards;
  for (std::int64_t i = 3; i >= 1; --i) {
    const std::string file = std::to_string(i) + ".json";
    shards.push_back({file, read_report(json_report(judged({i, 3})), file)});
  }
  CHECK(json_report(merge_reports(std::move(shards))) == json);
}

void check_all_is_asked(const plugin::Description& d) {
  wrong::PipelineKernel kernel(d, wrong::exact_pipeline());
  check::Selection selection = check::core();
  selection.values_only = true;
  const Report report = run_suite(kernel, cases::committed(), selection);
  CHECK(total(report).unasked == std::vector<std::string>{});
  CHECK(exit_status(total(report)) == 0);
}

TEST_CASE("all that a plain kernel declares is asked, whatever its positions",
          "[conformance][formed]") {
  plugin::Description d = check::plain();
  for (const std::int64_t largest : {100, 1 << 28}) {
    CAPTURE(largest);
    d.max_position = largest;
    check_all_is_asked(d);
  }
}

TEST_CASE("all that a kernel with one operation declares is asked",
          "[conformance][formed]") {
  for (const std::uint32_t operation :
       {ROPEPROOF_ROTATE, ROPEPROOF_LOOKUP, ROPEPROOF_TABLE}) {
    CAPTURE(operation);
    plugin::Description d = check::plain();
    d.operations = operation;
    if (operation == ROPEPROOF_TABLE) d.features = 0;
    if (operation == ROPEPROOF_LOOKUP) {
      d.caches = wrong::full_description(ROPEPROOF_A0).caches;
    }
    check_all_is_asked(d);
  }
}

}  // namespace
}  // namespace ropeproof::conformance::report
