// The first report: what a newcomer reads, how long it is, and that each
// failure names the formula that it is about.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fstream>
#include <iterator>
#include <sstream>

#include "conformance/cases/test_corpus.h"
#include "conformance/check/runner.h"
#include "conformance/diagnosis/diagnose.h"
#include "conformance/report/failure_text.h"
#include "conformance/selftest/mutants.h"

namespace ropeproof::conformance::report {
namespace {

using Catch::Matchers::ContainsSubstring;

Report judged_example(const std::string& name) {
  const std::string file = ROPEPROOF_PLUGINS_DIR "/" + name + ".so";
  const auto kernel = plugin::load_library(file, plugin::KernelOptions{});
  Report report = check::run_suite(*kernel, cases::committed(), {});
  report.suite_version = "0.1.0";
  report.kernel_argument = "--lib ./my_rope.so";
  report.diagnoses = diagnosis::diagnose(report, cases::committed());
  return report;
}

// The report, of which no line but those to paste is wider than a terminal.
std::vector<std::string> lines_of(const Report& report) {
  std::istringstream text(text_report(report, 1));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) {
    CAPTURE(line);
    CHECK((line.size() <= kColumns || line.starts_with("  replay")));
    lines.push_back(line);
  }
  return lines;
}

TEST_CASE("the first report of a kernel that passes has at most 15 lines",
          "[conformance][report]") {
  const Report report = judged_example("c_example");
  CHECK(lines_of(report).size() <= 15);
  const std::string text = text_report(report, 1);
  for (const char* part : {"CONFORMS  level L1", "L1: every element within",
                           "unsupported: dtype bf16 (", "core-"}) {
    CHECK_THAT(text, ContainsSubstring(part));
  }
  for (const char* part : {"rho", "norm-ulp", " correctly rounded, "}) {
    CHECK_THAT(text, !ContainsSubstring(part));
    CHECK_THAT(text_report(report, 1, true), ContainsSubstring(part));
  }
}

TEST_CASE("the verdict counts what the rows of the table do",
          "[conformance][report]") {
  for (const bool has_details : {false, true}) {
    for (const char* name : {"c_example", "c_example_swapped"}) {
      const std::string text =
          text_report(judged_example(name), 1, has_details);
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
  CHECK_THAT(text_report(report, 1), !ContainsSubstring("positions to") &&
                                         !ContainsSubstring("held in"));
  report.kernel.max_position = 4095;
  report.kernel.dtypes |= ROPEPROOF_BF16;
  CHECK_THAT(
      text_report(report, 1),
      ContainsSubstring("offers   rope | f32 bf16 | half_split | positions to "
                        "4095\n") &&
          ContainsSubstring(", held in"));
}

TEST_CASE("the first report of a kernel that fails has at most 25 lines",
          "[conformance][report]") {
  const Report report = judged_example("c_example_swapped");
  CHECK(lines_of(report).size() <= 25);
  const std::string text = text_report(report, 1);
  for (const char* part :
       {"\n  what     pairs of the other layout;", "\n  where    ",
        "\n  why      (R3)", "FAIL  smoke-rich-009  rope",
        "first    q[0,0,0,0] pair 0 position 3", "got -0.333509", "x the bound",
        "576 of 640 elements wrong",
        "replay   ropeproof run --lib ./my_rope.so --case smoke-rich-009 "
        "--operation rope\n",
        "DOES NOT CONFORM"}) {
    CHECK_THAT(text, ContainsSubstring(part));
  }
}

TEST_CASE("a failure names the formula that its wrong elements contradict",
          "[conformance][report]") {
  const std::map<std::string, int> expected = {
      {"pairs of the other layout", 3},
      {"sine lost", 4},
      {"amplitude missing", 4},
      {"y_v formed from y_u", 4},
      {"channels outside the window zeroed", 5},
      {"exponent over head_dim", 1},
      {"base always 10000", 1},
      {"positions rounded to bf16", 2},
      {"position + 1", 2},
      {"direction reversed", 2},
      {"last head not written", 6}};
  std::size_t found = 0;
  for (const selftest::Mutant& mutant : selftest::smoke_mutants()) {
    const auto equation = expected.find(mutant.name);
    if (equation == expected.end()) continue;
    diagnosis::Knobs knobs = diagnosis::exact_knobs();
    mutant.mutate(knobs);
    diagnosis::KnobKernel kernel(diagnosis::full_description(ROPEPROOF_A0),
                                 knobs);
    check::Selection selection;
    selection.tier = "smoke";
    selection.operations = {"rope"};
    selection.values_only = true;
    std::map<int, int> seen;
    for (const check::Check& check :
         check::run_suite(kernel, cases::committed(), selection).checks) {
      if (check::is_failure(check.verdict)) ++seen[equation_of(check).number];
    }
    std::string counts;
    for (const auto& [number, count] : seen) {
      counts += " R" + std::to_string(number) + ": " + std::to_string(count);
    }
    CAPTURE(mutant.name, counts);
    REQUIRE_FALSE(seen.empty());
    const auto most = std::ranges::max_element(
        seen, {}, [](const auto& entry) { return entry.second; });
    CHECK(most->first == equation->second);
    ++found;
  }
  CHECK(found == expected.size());
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
  diagnosis::Knobs swapped = diagnosis::f32_knobs();
  swapped.amplitude = [](double) { return 2.0; };
  diagnosis::KnobKernel wrong(diagnosis::full_description(ROPEPROOF_A1),
                              swapped);
  diagnosis::KnobKernel dead(diagnosis::full_description(ROPEPROOF_A1),
                             diagnosis::f32_knobs());
  dead.canned = {plugin::Outcome::kCrash, "ended by signal 11"};
  for (diagnosis::KnobKernel* kernel : {&wrong, &dead}) {
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
