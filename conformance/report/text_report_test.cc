// What a report counts and says beside its failures, and that each of those
// names a formula of the specification. check_readme.py has the length and
// wording of first reports.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fstream>
#include <iterator>
#include <sstream>

#include "conformance/cases/test_corpus.h"
#include "conformance/check/runner.h"
#include "conformance/report/failure_text.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::report {
namespace {

using Catch::Matchers::ContainsSubstring;

Report judged_example(const std::string& name) {
  const std::string file = ROPEPROOF_PLUGINS_DIR "/" + name + ".so";
  const auto kernel = plugin::load_library(file, plugin::KernelOptions{});
  return check::run_suite(*kernel, cases::committed(), {});
}

TEST_CASE("figures of a kernel's author stand in the details alone",
          "[conformance][report]") {
  const Report report = judged_example("c_example");
  for (const char* part : {"rho", "norm-ulp", " correctly rounded, "}) {
    CHECK_THAT(text_report(report, 1), !ContainsSubstring(part));
    CHECK_THAT(text_report(report, 1, true), ContainsSubstring(part));
  }
}

TEST_CASE("the verdict counts what the rows of the table do",
          "[conformance][report]") {
  for (const char* name : {"c_example", "c_example_swapped"}) {
    const Report report = judged_example(name);
    for (const bool has_details : {false, true}) {
      const std::string text = text_report(report, 1, has_details);
      CAPTURE(text);
      std::istringstream lines(text.substr(text.find("  operation ")));
      std::string line;
      std::getline(lines, line);
      long pass = 0, fail = 0, not_judged = 0, rows = 0;
      while (std::getline(lines, line)) {
        std::istringstream row(line);
        std::string first;
        long of_row[3];
        if (!(row >> first >> of_row[0] >> of_row[1] >> of_row[2])) break;
        pass += of_row[0], fail += of_row[1], not_judged += of_row[2], ++rows;
      }
      CHECK(rows == (has_details ? 7 : 2));
      CHECK_THAT(text, ContainsSubstring(
                           " " + std::to_string(pass) + " PASS, " +
                           (fail > 0 ? std::to_string(fail) + " FAIL, " : "") +
                           std::to_string(not_judged) + " UNSUPPORTED\n"));
    }
  }
}

TEST_CASE("a report says where a declaration makes it easy to conform",
          "[conformance][report]") {
  Report report = judged_example("c_example");
  CHECK_THAT(text_report(report, 1),
             !ContainsSubstring("| positions to") &&
                 !ContainsSubstring("held in") &&
                 ContainsSubstring("CONFORMS  level L1, f32, positions to 2^"));
  report.kernel.max_position = 4095;
  report.kernel.dtypes |= ROPEPROOF_BF16;
  CHECK_THAT(
      text_report(report, 1),
      ContainsSubstring("offers   rope | f32 bf16 | half_split | positions to "
                        "4095\n") &&
          ContainsSubstring(", held in"));
  report.kernel.claims[0].angle_class = ROPEPROOF_A3;
  report.kernel.claims[0].angle_dtype = ROPEPROOF_BF16;
  report.kernel.claims[0].table_dtype = ROPEPROOF_F16;
  CHECK_THAT(text_report(report, 1),
             ContainsSubstring(", with angles in bf16 (A3): wrong by") &&
                 ContainsSubstring("; cos and sin in f16  level L1, f32"));
}

TEST_CASE("a report says what stood in for the device",
          "[conformance][report]") {
  Report report = judged_example("c_example");
  CHECK(json_report(report).find("\"backend\"") == std::string::npos);
  report.kernel.backend = {
      "made-up", "1.2", "sums", "sines", {"calls of 9 tokens"}};
  CHECK_THAT(text_report(report, 1),
             ContainsSubstring("  on       made-up 1.2: sums; not sines\n"
                               "  without  calls of 9 tokens\n") &&
                 ContainsSubstring("CONFORMS on made-up 1.2  level L1, f32"));
  CHECK_THAT(conformance_statement(report, total(report)),
             ContainsSubstring(" on made-up 1.2: ropeproof "));
}

TEST_CASE("every failure prints an equation of the specification",
          "[conformance][report]") {
  std::string specification;
  for (const char* file : {"rope.h", "scaling.h"}) {
    std::ifstream stream(std::string(ROPEPROOF_SOURCE_DIR "/reference/") +
                         file);
    specification += {std::istreambuf_iterator<char>(stream), {}};
  }
  // Values, refusals, and a kernel that does not answer at all.
  wrong::Pipeline swapped = wrong::f32_pipeline();
  swapped.amplitude = [](double) { return 2.0; };
  wrong::PipelineKernel wrong(wrong::full_description(ROPEPROOF_A1), swapped);
  wrong::PipelineKernel dead(wrong::full_description(ROPEPROOF_A1),
                             wrong::f32_pipeline());
  dead.canned = {plugin::Outcome::kCrash, "ended by signal 11"};
  for (wrong::PipelineKernel* kernel : {&wrong, &dead}) {
    const Report report = check::run_suite(*kernel, cases::committed(), {});
    std::size_t failures = 0;
    for (const check::Check& check : report.checks) {
      if (!check::is_failure(check.verdict)) continue;
      ++failures;
      const std::string text = failure_text(report, check, false);
      const std::size_t at = text.find("\n  equation (R");
      CAPTURE(text);
      REQUIRE(at != std::string::npos);
      const std::string number =
          text.substr(at + 12, text.find(')', at) - at - 11);
      CHECK(specification.find("// " + number + " ") != std::string::npos);
    }
    CHECK(failures > 100);
  }
}

}  // namespace
}  // namespace ropeproof::conformance::report
