#include "conformance/selftest/selftest.h"

#include "conformance/check/runner.h"
#include "conformance/report/failure_text.h"
#include "conformance/selftest/controls.h"
#include "conformance/selftest/faults.h"
#include "conformance/selftest/mutants.h"

namespace ropeproof::conformance::selftest {
namespace {

const char* mark(bool is_right) { return is_right ? "ok   " : "FAULT"; }

std::string line(const ControlScore& score) {
  return report::format("  %s  %-26s uses %.3f of its bound; %s as %s\n",
                        mark(score.is_right()), score.name.c_str(), score.share,
                        score.fails_tighter ? "fails" : "PASSES",
                        score.tighter.c_str());
}

void add_controls(SelftestReport& report, const cases::Corpus& corpus,
                  const std::string& fast_library) {
  const cases::Corpus all = control_corpus(corpus);
  std::vector<ControlScore> scores;
  for (const Control& control : controls()) {
    scores.push_back(score(control, all));
  }
  if (!fast_library.empty()) {
    scores.push_back(score(*plugin::load_library(fast_library, {}),
                           "fast (plug-in)", corpus));
  }
  for (const ControlScore& score : scores) {
    ++report.controls.all;
    if (score.is_right()) ++report.controls.right;
    report.text += line(score);
  }
}

void add_mutants(SelftestReport& report, const cases::Corpus& corpus) {
  const auto add = [&](const std::vector<Mutant>& mutants, const char* tier) {
    for (const Mutant& mutant : mutants) {
      ++report.mutants.all;
      if (is_killed(mutant, corpus, tier)) {
        ++report.mutants.right;
      } else {
        report.text += "  FAULT  survives the " + std::string(tier) +
                       " tier: " + mutant.name + "\n";
      }
    }
  };
  add(smoke_mutants(), "smoke");
  add(core_mutants(), "core");
}

void add_fakes(SelftestReport& report, const cases::Corpus& corpus,
               const FakePlaces& places) {
  for (const ExpectedFake& fake : kExpectedFakes) {
    if (fake.kind == ExpectedFake::kProcess && places.process.empty()) continue;
    const FakeScore fake_score = score(fake, places, corpus);
    ++report.fakes.all;
    if (fake_score.is_right) ++report.fakes.right;
    report.text += "  " + std::string(mark(fake_score.is_right)) + "  " +
                   fake_score.name + ": " + fake_score.got + "\n";
    if (!fake_score.is_right) {
      report.text += "         expected " + fake_score.want + "\n";
    }
  }
}

}  // namespace

bool is_killed(const Mutant& mutant, const cases::Corpus& corpus,
               const std::string& tier) {
  Knobs knobs = exact_knobs();
  mutant.mutate(knobs);
  plugin::Description description = full_description(ROPEPROOF_A0);
  description.max_position = std::int64_t{1} << 30;  // binary64 angles are A0
  TestKernel kernel(description, knobs);
  check::Selection selection;
  selection.tier = tier;
  selection.values_only = true;
  return report::exit_status(
             report::total(check::run_suite(kernel, corpus, selection))) == 1;
}

SelftestReport run_selftest(const cases::Corpus& corpus,
                            const SelftestOptions& options) {
  SelftestReport report;
  add_controls(report, corpus, options.fast_library);
  add_mutants(report, corpus);
  if (!options.fakes.libraries.empty()) {
    add_fakes(report, corpus, options.fakes);
  }
  std::string faults = "faults    not judged: no covering arrays\n";
  if (options.arrays != nullptr) {
    const FaultFigures figures = measure_faults(
        corpus, *options.arrays, quick_judge(), options.with_full);
    report.finds_faults = figures.holds();
    report.text += figures.survivors();
    faults = figures.text();
  }
  report.text += "\ncontrols  " + report.controls.text() +
                 " pass, within their bounds, and fail one class tighter\n" +
                 "mutants   " + report.mutants.text() + " killed\n" + faults +
                 (report.fakes.all > 0
                      ? "fakes     " + report.fakes.text() +
                            " with exactly their verdict and exit status\n"
                      : "fakes     not run: none beside this program\n");
  return report;
}

}  // namespace ropeproof::conformance::selftest
