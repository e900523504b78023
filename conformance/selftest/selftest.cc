#include "conformance/selftest/selftest.h"

#include <array>

#include "conformance/cases/form_golden.h"
#include "conformance/check/formed.h"
#include "conformance/check/runner.h"
#include "conformance/report/failure_text.h"
#include "conformance/selftest/asked_cases.h"
#include "conformance/selftest/call_judge.h"
#include "conformance/selftest/controls.h"
#include "conformance/selftest/faults.h"
#include "conformance/selftest/hunt.h"
#include "conformance/selftest/naming.h"

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

constexpr std::array<const char*, 5> kStageWords = {
    "smoke", "core", "core, formed", "core, calls", "no case"};

std::string add_mutants(SelftestReport& report, const Hunt& hunt,
                        const CallJudge& calls) {
  std::array<std::size_t, kStageWords.size()> killed{};
  const auto add = [&](const Mutant& mutant, Stage by,
                       std::optional<std::vector<explain::Diagnosis>> found) {
    const auto stage = static_cast<std::size_t>(by);
    const auto& [name, bug] =
        std::pair(mutant.mutation.name, mutant.mutation.bug);
    if (mutant.due != Stage::kNone) {
      report.rows.push_back({name, bug, mutant.is_hypothesis,
                             kStageWords[stage], std::move(found)});
      ++report.mutants.all;
      if (mutant.is_right(by)) ++report.mutants.right;
      ++killed[stage];
    } else {
      report.spares_right_one = mutant.is_right(by);
    }
    if (mutant.is_right(by)) return;
    report.text += std::string("  FAULT  killed by ") + kStageWords[stage] +
                   ": " + name + " (" + bug.key() + ")\n";
  };
  for (std::size_t i = 0; i < hunt.mutants().size(); ++i) {
    add(hunt.mutants()[i], hunt.killed_by(i), std::nullopt);
  }
  for (const Mutant& mutant : call_mutants()) {
    MutantKernel kernel(mutant, wrong::computing_description());
    std::vector<explain::Diagnosis> found = calls.diagnose(kernel);
    const Stage by = found.empty() ? Stage::kNone : Stage::kCalls;
    add(mutant, by, std::move(found));
  }
  return report::format(
      "mutants   %s killed: %zu by smoke, %zu by core's committed cases, %zu "
      "by "
      "core's formed cases, %zu by calls in a row or at once\n",
      report.mutants.text().c_str(), killed[0], killed[1], killed[2],
      killed[3]);
}

// The mutants and the faults look at the same cases.
std::string add_mutants_and_faults(SelftestReport& report,
                                   const cases::Corpus& corpus,
                                   const cover::Arrays& arrays,
                                   bool with_three) {
  const AskedCases asked(corpus, arrays, strict_description(),
                         with_three ? cases::Tier::kFull : cases::Tier::kCore);
  FaultMeter meter(arrays.model);
  Hunt hunt(mutants());
  const auto look_at = [&](Stage stage) {
    return [&, stage](const cases::Case& c, const cover::Row& row,
                      std::uint64_t seed) {
      meter.look(c, row);
      hunt.look(c, stage);
      if (stage != Stage::kFormed) return;
      cases::Case permutation;
      permutation.problem = check::permutation_like(c.problem, seed);
      permutation.golden =
          cases::form_golden(permutation.problem, reference::best_oracle());
      hunt.look(permutation, stage);
    };
  };
  const auto look_at_committed = [&](cases::Tier tier, Stage stage) {
    asked.committed(tier, look_at(stage));
    for (const cases::Group& group : corpus.groups) {
      if (group.tier != tier) continue;
      for (const cases::Case& c : group.permute_cases) {
        hunt.look(c, stage);
      }
    }
  };
  FaultFigures figures;
  look_at_committed(cases::Tier::kSmoke, Stage::kSmoke);
  figures.smoke_one = meter.count(1);
  figures.smoke_two = meter.count(2);
  look_at_committed(cases::Tier::kCore, Stage::kCore);
  asked.formed(cases::Tier::kCore, look_at(Stage::kFormed));
  figures.core_one = meter.count(1);
  figures.core_two = meter.count(2);
  if (with_three) {
    const auto look = [&](const auto& c, const auto& row, auto) {
      meter.look(c, row);
    };
    asked.committed(cases::Tier::kFull, look);
    asked.formed(cases::Tier::kFull, look);
    figures.full_three = meter.count(3);
  }
  report.finds_faults = figures.holds();
  report.text += figures.survivors();
  return add_mutants(report, hunt, CallJudge(corpus)) + figures.text();
}

std::string unnamed(const MutantRow& row) {
  std::string text = "  unnamed  " + row.name + " (" + row.bug.key() + ")";
  for (const explain::Diagnosis& d : *row.found) {
    text += ": " + (d.what.empty() ? "no known bug" : d.what) +
            (d.where == explain::Place{} ? "" : ", where " + d.where.word());
  }
  return text + "\n";
}

// What a diagnosis says of each mutant, or of one in `every`, and of what is
// right.
void add_names(SelftestReport& report, const cases::Corpus& corpus,
               const cover::Arrays& arrays, std::size_t every) {
  const Naming naming(corpus, arrays);
  std::vector<Mutant> list;
  std::vector<MutantRow*> rows;  // of the list; null for the one without a bug
  std::size_t row = 0;
  for (const Mutant& mutant : mutants()) {
    const bool is_right = mutant.due == Stage::kNone;
    if (is_right || row % every == 0) {
      list.push_back(mutant);
      rows.push_back(is_right ? nullptr : &report.rows[row]);
    }
    if (!is_right) ++row;
  }
  std::vector<std::vector<explain::Diagnosis>> found = naming.of(list);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (rows[i] == nullptr) {
      report.false_names += found[i].size();
    } else {
      rows[i]->found = std::move(found[i]);
    }
  }
  for (const MutantRow& one : report.rows) {
    if (!one.found) continue;
    Tally& named = one.is_hypothesis ? report.named_themselves : report.named;
    ++named.all;
    if (names(*one.found, one.bug)) {
      ++named.right;
    } else {
      report.text += unnamed(one);
    }
  }
  for (const Control& control : controls()) {
    wrong::PipelineKernel kernel(control.description, control.pipeline);
    report.false_names += naming.of(kernel).size();
  }
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

SelftestReport run_selftest(const cases::Corpus& corpus,
                            const SelftestOptions& options) {
  SelftestReport report;
  // First: a fork copies the page tables of all that was formed before it.
  if (!options.fakes.libraries.empty()) {
    add_fakes(report, corpus, options.fakes);
  }
  add_controls(report, corpus, options.fast_library);
  const std::string scores = add_mutants_and_faults(
      report, corpus, *options.arrays, options.with_three);
  add_names(report, corpus, *options.arrays, options.diagnosed_every);
  report.text +=
      "\ncontrols  " + report.controls.text() +
      " pass, within their bounds, and fail one class tighter\n" + scores +
      "names     " + report.named.text() +
      " mutants named by a diagnosis, and " + report.named_themselves.text() +
      " that are a hypothesis of it themselves; " +
      std::to_string(report.false_names) + " false names of what is right\n" +
      (report.fakes.all > 0
           ? "fakes     " + report.fakes.text() +
                 " with exactly their verdict and exit status\n"
           : "fakes     not run: none beside this program\n");
  return report;
}

}  // namespace ropeproof::conformance::selftest
