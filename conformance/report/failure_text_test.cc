// What a failure says of the bug, in words: judged kernels with one bug each.
#include "conformance/report/failure_text.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <functional>

#include "conformance/cases/test_corpus.h"
#include "conformance/check/runner.h"
#include "conformance/diagnosis/knob_kernel.h"
#include "conformance/plugin/words.h"

namespace ropeproof::conformance::report {
namespace {

using Catch::Matchers::ContainsSubstring;
using diagnosis::Knobs;
using reference::Format;

struct Bug {
  const char* name;
  const char* case_id;
  const char* operation;
  std::function<void(Knobs&)> mutate;
  std::vector<const char*> says;
  std::vector<const char*> says_not = {};
};

auto frequencies(double (*formula)(const ropeproof_problem&, std::int64_t j,
                                   double right)) {
  return [formula](Knobs& knobs) {
    knobs.frequency = [formula, right = knobs.frequency](const auto& p,
                                                         auto j) {
      return formula(p, j, right(p, j));
    };
  };
}

auto positions(double (*formula)(double)) {
  return [formula](Knobs& knobs) {
    knobs.angle = [formula](double p, double theta) {
      return formula(p) * theta;
    };
  };
}

double unscaled(const ropeproof_problem& p, std::int64_t j, double) {
  return diagnosis::power(p.base, j, p.rotary_dim);
}

// Of scalings-007: pairs 0 to 23 are kept, those from 40 on divided.
double inverted_ramp(const ropeproof_problem& p, std::int64_t j, double) {
  const double part = std::clamp((static_cast<double>(j) - 23) / 17, 0.0, 1.0);
  return unscaled(p, j, 0) * (part + (1 - part) / p.scaling->factor);
}

double length_off_by_one(const ropeproof_problem& p, std::int64_t j, double) {
  const ropeproof_scaling& s = *p.scaling;
  const double alpha =
      s.factor * (s.seq_len + 1) / s.original_length - s.factor + 1;
  return unscaled(p, j, 0) *
         std::pow(alpha, -2.0 * static_cast<double>(j) /
                             static_cast<double>(p.rotary_dim - 2));
}

const std::vector<Bug>& bugs() {
  static const std::vector<Bug> kBugs = {
      {"an inverted ramp of YaRN",
       "scalings-007",
       "rope",
       frequencies(inverted_ramp),
       {"yarn, factor 4, original_length 32768, beta_fast 32, beta_slow 1,",
        "positions 513 to 131071",
        "frequency over the true one: 0.25 in pairs 0-23, rising from",
        "4 in pairs 40-63"},
       {"amplitude over"}},
      {"the same, in the frequencies alone",
       "scalings-007",
       "frequencies",
       frequencies(inverted_ramp),
       {"frequency over the true one: 0.25 in pairs 0-23, rising from",
        "4 in pairs 40-63"}},
      {"a table clamped at a position",
       "smoke-odd-long-005",
       "rope",
       positions([](double p) { return std::min(p, 4095.0); }),
       {"right at positions 257 to 2049, wrong at 4097 to 1048575",
        "position used: 4095 in place of 4097 to 1048575"},
       {"frequency over"}},
      {"positions rounded to bf16",
       "smoke-odd-long-005",
       "table",
       positions([](double p) { return round_to(Format::kBF16, p); }),
       {"position used: 256 in place of 257, 512 in place of 513"},
       {"frequency over"}},
      {"the amplitude squared",
       "scalings-007",
       "rope",
       [](Knobs& knobs) { knobs.amplitude = [](double m) { return m * m; }; },
       {"amplitude 1.13863", "amplitude over the true one: 1.14 in every pair",
        "equation (R4)"},
       {"frequency over"}},
      {"the base always 10000",
       "smoke-odd-long-006",
       "rope",
       frequencies([](const ropeproof_problem& p, std::int64_t j, double) {
         return diagnosis::power(1e4, j, p.rotary_dim);
       }),
       {"frequency over the true one: rising from 1 to", "as of base 10000",
        "equation (R1)"},
       {"position used"}},
      {"the length of dynamic NTK off by one",
       "core-lengths-008",
       "rope",
       frequencies(length_off_by_one),
       {"dynamic_ntk, factor 2, original_length 512, seq_len 4095;",
        "frequency over the true one: falling from 1 to 0.999"},
       {"position used"}},
      {"a scaling ignored",
       "scalings-015",
       "rope",
       frequencies(unscaled),
       {"llama3, factor 8, low_freq_factor 1, high_freq_factor 4",
        "frequency over the true one:", "8 in pairs 35-63"}},
      {"a position too far",
       "smoke-odd-long-005",
       "rope",
       positions([](double p) { return p + 1; }),
       {"position used: the given one + 1"},
       {"frequency over"}},
      {"the direction reversed",
       "smoke-odd-long-005",
       "rope",
       [](Knobs& knobs) {
         knobs.adjust_rotation = [](double&, double& s, auto, auto) { s = -s; };
       },
       {"frequency over the true one: -1 in every pair"},
       {"position used"}},
      {"frequencies in bf16",
       "smoke-odd-long-008",
       "frequencies",
       [](Knobs& knobs) {
         knobs.frequency = [right = knobs.frequency](const auto& p, auto j) {
           return round_to(Format::kBF16, right(p, j));
         };
       },
       {"in no order"}},
      {"pairs of the other layout",
       "smoke-odd-long-005",
       "rope",
       [](Knobs& knobs) {
         knobs.pair = [](const reference::Spec&, std::int64_t j) {
           return reference::Pair{2 * j, 2 * j + 1};
         };
       },
       {"equation (R3)"},
       {"measured"}},
      {"the sine lost",
       "smoke-rich-001",
       "rope",
       [](Knobs& knobs) {
         knobs.adjust_rotation = [](double&, double& s, auto, auto) { s = 0; };
       },
       {"pairs are shortened by their cosine and not rotated"}},
      {"y_v formed from y_u",
       "smoke-rich-001",
       "rope",
       [](Knobs& knobs) { knobs.overwrites_input = true; },
       {"first channel of each pair right"},
       {"measured"}},
      {"the last pair not rotated",
       "smoke-rich-001",
       "rope",
       [](Knobs& knobs) {
         knobs.adjust_rotation = [](double& c, double& s, auto j, auto pairs) {
           if (j == pairs - 1) c = 1, s = 0;
         };
       },
       {"1 in pairs 0-6, 0 in pair 7"}},
      {"frequencies over head_dim",
       "smoke-rich-001",
       "rope",
       frequencies([](const ropeproof_problem& p, std::int64_t j, double) {
         return diagnosis::power(p.base, j, p.head_dim);
       }),
       {"rising from 1 to 14.7 in pairs 0-7, as of base 464.2"}},
      {"the angle in bf16",
       "smoke-rich-001",
       "rope",
       [](Knobs& knobs) {
         knobs.angle = [](double p, double theta) {
           return round_to(Format::kBF16, p * theta);
         };
       },
       {"angle off by up to 0.3"},
       {"frequency over", "position used"}},
      {"the angle in f32",
       "smoke-rich-001",
       "rope",
       [](Knobs& knobs) {
         knobs.angle = [](double p, double theta) {
           return round_to(Format::kF32, p * theta);
         };
       },
       {},
       {"measured"}},
      {"positions of the first batch row for all",
       "smoke-rich-001",
       "rope",
       [](Knobs& knobs) {
         knobs.position = [](const auto& p, const auto& index, auto) {
           return static_cast<double>(p.positions[index.token]);
         };
       },
       {"batch row 1 only",
        "position used: 17 in place of 1, 0 in place of 2"}},
  };
  return kBugs;
}

// The first failing check of a kernel with this bug.
std::string failure_of(const Bug& bug, bool has_details) {
  Knobs knobs = diagnosis::exact_knobs();
  bug.mutate(knobs);
  plugin::Description offers = diagnosis::full_description(ROPEPROOF_A0);
  for (const auto& [scaling, word] : plugin::kScalingWords) {
    offers.scalings |= scaling;
  }
  diagnosis::KnobKernel kernel(offers, knobs);
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
  return failure_text(report, *failing, has_details);
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
    const std::string text = joined(failure_of(bug, false));
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
