// What a failure says of the bug, in words: judged kernels with one bug each.
#include "conformance/report/failure_text.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <string>
#include <vector>

#include "conformance/cases/test_corpus.h"
#include "conformance/check/runner.h"
#include "conformance/explain/equation.h"
#include "conformance/plugin/scalings.h"
#include "conformance/wrong/mutation.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::report {
namespace {

using Catch::Matchers::ContainsSubstring;

struct Bug {
  std::string name;  // that wrong::known() knows
  const char* case_id;
  const char* operation;
  std::vector<const char*> says;
  std::vector<const char*> says_not = {};
};

std::vector<Bug> bugs() {
  const std::string llama3(
      reference::formula_of(plugin::scaling_of(ROPEPROOF_LLAMA3)).text);
  return {
      {"YaRN's ramp inverted",
       "scalings-007",
       "rope",
       {"yarn, factor 4, original_length 32768, beta_fast 32, beta_slow 1,",
        "positions 513 to 131071",
        "frequency over the true one: 0.25 in pairs 0-23, rising from",
        "4 in pairs 40-63"},
       {"amplitude over"}},
      {"YaRN's ramp inverted",
       "scalings-007",
       "frequencies",
       {"frequency over the true one: 0.25 in pairs 0-23, rising from",
        "4 in pairs 40-63"}},
      {"positions from 4096 on taken for the last row of a table",
       "smoke-odd-long-005",
       "rope",
       {"right at positions 257 to 2049, wrong at 4097 to 1048575",
        "position used: 4095 in place of 4097 to 1048575"},
       {"frequency over"}},
      {"amplitude squared",
       "scalings-007",
       "rope",
       {"amplitude 1.13863", "amplitude over the true one: 1.14 in every pair",
        "equation (R4)"},
       {"frequency over"}},
      {"base always 10000",
       "smoke-odd-long-006",
       "rope",
       {"frequency over the true one: rising from 1 to", "as of base 10000",
        "equation (R1)"},
       {"position used"}},
      {llama3 + " ignored",
       "scalings-015",
       "rope",
       {"llama3, factor 8, low_freq_factor 1, high_freq_factor 4",
        "frequency over the true one:", "8 in pairs 35-63"}},
      {"direction reversed",
       "smoke-odd-long-005",
       "rope",
       {"frequency over the true one: -1 in every pair", "equation (R2)"},
       {"position used"}},
      {"pairs of the other layout",
       "smoke-odd-long-005",
       "rope",
       {"equation (R3)"},
       {"measured"}},
      {"sine lost",
       "smoke-rich-001",
       "rope",
       {"pairs are shortened by their cosine and not rotated",
        "equation (R4)"}},
      {"y_v formed from y_u",
       "smoke-rich-001",
       "rope",
       {"first channel of each pair right", "equation (R4)"},
       {"measured"}},
      {"exponent over head_dim",
       "smoke-rich-001",
       "rope",
       {"rising from 1 to 14.7 in pairs 0-7, as of base 464.2",
        "equation (R1)"}},
      {"angle rounded to bf16",
       "smoke-rich-001",
       "rope",
       {"angle off by up to 0.3"},
       {"frequency over", "position used"}},
      {"positions of batch row 0 for all",
       "smoke-rich-001",
       "rope",
       {"batch row 1 only",
        "position used: 17 in place of 1, 0 in place of 2"}},
      {"last head not written", "smoke-rich-001", "rope", {"equation (R6)"}}};
}

// The first failing check of a kernel with this bug.
std::string failure_of(const Bug& bug) {
  plugin::Description offers = wrong::full_description(ROPEPROOF_A0);
  for (const auto& [scaling, word] : plugin::kScalingWords) {
    offers.scalings |= scaling;
  }
  wrong::Pipeline pipeline = wrong::exact_pipeline();
  wrong::known(bug.name).change(pipeline);
  wrong::PipelineKernel kernel(offers, pipeline);
  check::Selection selection;
  selection.cases = {bug.case_id};
  selection.operations = {bug.operation};
  selection.values_only = true;
  Report report = check::run_suite(kernel, cases::committed(), selection);
  report.kernel_argument = "--lib ./x.so";
  const auto failing =
      std::ranges::find_if(report.checks, [](const check::Check& check) {
        return check::is_failure(check.verdict);
      });
  if (failing == report.checks.end()) return "";
  return failure_text(report, *failing, false);
}

// Lines as one, whatever their width.
std::string joined(std::string text) {
  for (std::size_t at;
       (at = text.find("\n           ")) != std::string::npos;) {
    text.replace(at, 12, " ");
  }
  return text;
}

TEST_CASE("a failure says in words what was rotated with",
          "[conformance][report]") {
  for (const Bug& bug : bugs()) {
    const std::string text = joined(failure_of(bug));
    CAPTURE(bug.name);
    REQUIRE_FALSE(text.empty());
    for (const char* part : bug.says) CHECK_THAT(text, ContainsSubstring(part));
    for (const char* part : bug.says_not) {
      CHECK_THAT(text, !ContainsSubstring(part));
    }
  }
}

}  // namespace
}  // namespace ropeproof::conformance::report
