// ropeproof run: judges one kernel.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "conformance/cases/corpus.h"
#include "conformance/check/diagnose.h"
#include "conformance/check/runner.h"
#include "conformance/identify/staged.h"
#include "conformance/report/apply.h"
#include "conformance/report/report.h"
#include "conformance/search/claim.h"
#include "conformance/text/format.h"
#include "reference/golden.h"
#include "tools/commands.h"
#include "tools/kernel_flags.h"
#include "tools/profile_flags.h"
#include "tools/progress.h"
#include "tools/report_file.h"
#include "tools/timing.h"
#include "tools/waiver_flags.h"

namespace ropeproof::tools {
namespace {

struct RunOptions {
  KernelFlags kernel;
  std::string vectors = default_vectors().string();
  std::string tier = "core";
  check::Selection selection;
  ProfileFlags profile;
  WaiverFlags waivers;
  std::optional<std::string> shard;
  bool staged = false;
  bool is_timed = false;
  std::string claim;                 // "auto", "any", or none
  std::optional<std::string> fresh;  // a seed, or ""
  int progress = 2;                  // a descriptor
  ReportOutput output;
};

// For kernels of class A1, or where --staged asks for it.
void look_for_staging(plugin::Kernel& kernel, bool is_asked_for,
                      report::Report& report) {
  if (!is_asked_for &&
      report.kernel.claim(ROPEPROOF_F32).angle_class != ROPEPROOF_A1)
    return;
  const identify::StagedResult result = identify::check_staged(kernel);
  report.staged = result.is_offered || !is_asked_for
                      ? result.text
                      : "no S1: needs rope in f32 with full heads, and MPFR";
  report.staged_is_missing = is_asked_for && !result.holds;
}

// The whole tier, or a case that the corpus lacks, as a replay names one.
bool needs_full_tier(const check::Selection& selection,
                     const cases::Corpus& corpus) {
  const std::vector<std::string> ids = report::case_ids(corpus);
  return selection.tier == cases::Tier::kFull ||
         std::ranges::any_of(selection.cases, [&](const std::string& id) {
           return std::ranges::count(ids, id) == 0;
         });
}

// 1 .. 2^63 - 1; a drawn one of 32 bits for "".
std::uint64_t parse_seed(const std::string& text) {
  if (text.empty()) return 1 + std::uint64_t{std::random_device()()};
  const auto seed = text::parse_integer(text);
  if (!seed || *seed < 1) {
    throw std::invalid_argument("--fresh " + text +
                                ": expected a number, 1 to 2^63 - 1");
  }
  return static_cast<std::uint64_t>(*seed);
}

void read_arrays(RunOptions& options) {
  options.selection.arrays = arrays_of(options.vectors, options.selection.tier);
  if (!options.fresh) return;
  options.selection.seed = parse_seed(*options.fresh);
  if (options.selection.tier == cases::Tier::kSmoke) {
    throw std::invalid_argument(
        "--fresh: the smoke tier asks the same every time; take core or full");
  }
  if (options.selection.arrays == nullptr) {
    throw std::invalid_argument("--fresh: " + options.vectors +
                                " has no folder coverage to draw from");
  }
}

// Opens what the run writes and reads what it is asked.
void prepare(RunOptions& options) {
  options.selection.tier = cases::parse_tier(options.tier);
  std::vector<std::filesystem::path> inputs = options.kernel.inputs();
  std::ranges::copy(options.waivers.inputs(), std::back_inserter(inputs));
  std::ranges::copy(options.profile.inputs(), std::back_inserter(inputs));
  inputs.push_back(options.vectors);
  options.output.open(inputs);
  options.selection.shows = options.output.has_pictures();
  options.waivers.read();
  if (options.shard) {
    options.selection.shard =
        *options.shard == "auto"
            ? check::shard_asked_for()
            : check::parse_shard(*options.shard, "--shard");
  } else if (options.selection.cases.empty()) {
    // A replay of chosen cases is nobody's array job.
    options.selection.shard = check::shard_of_environment();
  }
  options.kernel.hide(options.vectors);
  read_arrays(options);
}

cases::Corpus corpus_of(RunOptions& options) {
  cases::Corpus corpus = cases::load_corpus(options.vectors);
  options.waivers.add_cases(corpus);
  options.profile.apply(options.vectors, corpus, options.selection);
  if (options.selection.profile.empty() &&
      needs_full_tier(options.selection, corpus)) {
    cases::add_full_tier(corpus, reference::best_oracle(),
                         options.selection.cases);
  }
  return corpus;
}

// --claim: the strictest claims that hold.
int find_claims(RunOptions& options, plugin::Kernel& kernel,
                const cases::Corpus& corpus, ProgressLine& line) {
  const auto found = search::find_claims(kernel, corpus, options.selection,
                                         options.claim == "any");
  line.erase();
  options.output.write_json(search::claims_json(found));
  if (options.fresh) std::cout << "fresh " << options.selection.seed << "\n";
  std::cout << search::claims_text(found);
  const bool is_whole = found.none == 0 && found.spoiled == 0;
  return is_whole && !found.claims.empty() ? 0 : 1;
}

int run(RunOptions& options) {
  Timing timing;
  prepare(options);
  // Before the corpus is read: workers are forked from what is small yet.
  std::unique_ptr<plugin::Kernel> kernel = options.kernel.open();
  const cases::Corpus corpus = corpus_of(options);
  ProgressLine line(options.progress);
  options.selection.progress = [&line](std::size_t done, std::size_t all,
                                       const std::string& id) {
    line.show(done, all, id);
  };
  if (!options.claim.empty()) {
    return find_claims(options, *kernel, corpus, line);
  }
  const std::string digest = options.kernel.digest();
  timing.end_reading();
  options.selection.names = [&](const std::vector<std::string>& ids) {
    options.waivers.add_cases(ids);
    options.waivers.check(asked_text(options.selection));
  };
  report::Report report = check::run_suite(*kernel, corpus, options.selection);
  line.erase();
  timing.end_judging();
  if (options.selection.wanted != check::Wanted::kVerdict) {
    report.diagnoses = check::diagnose(report, corpus, kernel.get());
  }
  timing.end_explaining();
  options.waivers.apply(report);
  look_for_staging(*kernel, options.staged, report);
  // Nothing that the kernel has started is there to see the report.
  kernel.reset();
  if (options.is_timed) std::cerr << timing.table();
  report.suite_version = ROPEPROOF_VERSION;
  options.kernel.note(report, digest);
  if (options.vectors != default_vectors().string()) {
    report.kernel_argument += " --vectors " + shell_quoted(options.vectors);
  }
  report.kernel_argument += options.profile.argument();
  if (options.fresh) {
    report.kernel_argument += " --fresh " + std::to_string(report.seed);
  }
  return options.output.publish(report);
}

}  // namespace

Command add_run(CLI::App& app) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "judge a kernel");
  options->kernel.add_flags(*command);
  options->kernel.add_sandbox_flags(*command, false);
  auto* tier = command->add_option(
      "--tier", options->tier,
      "smoke: 64 cases; core: all committed cases, and every pair of what "
      "calls can be (default); full: 2,586 cases more, proved on the way, "
      "and every triple");
  command
      ->add_option("--fresh", options->fresh,
                   "the pairs or triples with sizes, positions, elements and "
                   "order drawn from this seed, in place of the suite's; "
                   "without a number, from a random one")
      ->expected(0, 1);
  options->profile.add_flags(*command, {tier});
  add_case_flags(*command, options->selection);
  command->add_option("--vectors", options->vectors, "folder of vectors");
  options->waivers.add_flags(*command);
  auto* shard = command->add_option(
      "--shard", options->shard,
      "i/n: only every n-th selected case, from the i-th; "
      "`merge` joins the reports (default: GTEST_SHARD_INDEX "
      "and GTEST_TOTAL_SHARDS, else Slurm's array variables); auto: also "
      "pytest-xdist's, GitLab's, ROPEPROOF_SHARD_INDEX and _COUNT, and those "
      "of an indexed job");
  auto* undiagnosed = command->add_flag_callback(
      "--no-diagnosis",
      [options] { options->selection.wanted = check::Wanted::kVerdict; },
      "only the verdict and the failures: nothing looks for what is wrong, "
      "where and why");
  auto* timing = command->add_flag(
      "--timing", options->is_timed,
      "where the time goes, on standard error: forming cases, calling the "
      "kernel, judging, explaining");
  auto* staged = command->add_flag(
      "--staged", options->staged,
      "require S1: the f32 pipeline that models were trained with");
  options->output.add_flags(*command);
  command->add_option("--progress", options->progress,
                      "descriptor, inherited, that shows how far the run is: a "
                      "line on a terminal, elsewhere one a minute (default: "
                      "standard error)");
  // No verdict: nothing that a verdict alone has.
  auto* claim =
      command
          ->add_option("--claim", options->claim,
                       "auto: no verdict, but the strictest claims that the "
                       "results hold to, to paste; --report has them as JSON; "
                       "any: of all claims, also 16-bit angles, and tables "
                       "narrower than the tensors")
          ->check(CLI::IsMember({"auto", "any"}));
  for (const std::string& flag : ReportOutput::flags_of_verdict()) {
    claim->excludes(command->get_option(flag));
  }
  claim->excludes(shard)
      ->excludes(staged)
      ->excludes(undiagnosed)
      ->excludes(timing);
  return {command, [options] { return run(*options); }};
}

}  // namespace ropeproof::tools
