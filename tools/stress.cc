// ropeproof stress: draws cases from a seed until one fails or time is up.
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>

#include "conformance/cases/corpus.h"
#include "conformance/cases/summary.h"
#include "conformance/cover/arrays.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/search/search.h"
#include "reference/golden.h"
#include "tools/commands.h"
#include "tools/kernel_flags.h"
#include "tools/report_file.h"

namespace ropeproof::tools {
namespace {

using Clock = std::chrono::steady_clock;

struct StressOptions {
  KernelFlags kernel;
  std::uint64_t seed = 1, first = 0;
  double budget_s = 60;
  std::optional<std::uint64_t> cases;
  std::optional<std::string> out;
};

// The smallest case as vectors, and the verdict on it as any other run prints
// it, with the command that replays it.
void report_failure(const StressOptions& options, const plugin::Kernel& kernel,
                    const search::StressFailure& failure,
                    const std::string& folder) {
  cases::write_corpus(
      failure_files(failure, reference::best_oracle(), ROPEPROOF_VERSION),
      folder);
  const cases::Corpus corpus = cases::load_corpus(folder);
  const cases::Case& c = corpus.groups.at(0).rope_cases.at(0);
  report::Report report;
  report.suite_version = ROPEPROOF_VERSION;
  report.vectors_version = corpus.version;
  report.manifest_sha256 = corpus.manifest_sha256;
  report.kernel = kernel.description();
  report.transport = options.kernel.transport();
  report.kernel_argument =
      options.kernel.argument() + " --vectors " + shell_quoted(folder);
  report.asked = "seed " + std::to_string(options.seed);
  report.selection = report.asked + ", case " + std::to_string(failure.index) +
                     ", made smaller in " + std::to_string(failure.tries) +
                     " tries";
  report.is_whole_tier = false;
  check::Check check = failure.check;
  check.case_id = c.id;
  check.operation = failure.operation;
  check.summary = c.comment + " (" + cases::summary(c) + ")";
  report.diagnoses = failure.diagnoses;
  report.checks.push_back(std::move(check));
  std::cout << report::text_report(report, 1);
}

// Nothing is saved: the verdict, why, and `cases` calls from `first` on that
// lead to it.
void report_unsaved_failure(const StressOptions& options,
                            const plugin::Kernel& kernel,
                            const search::StressFailure& failure,
                            const std::string& why, std::uint64_t first) {
  const plugin::Description& d = kernel.description();
  const std::uint64_t cases = failure.index - first + 1;
  std::cout << "DOES NOT CONFORM   " << d.name << " " << d.version << ": case "
            << failure.index << " of seed " << options.seed << ", "
            << text::word(plugin::kOperationWords, failure.operation) << ": "
            << text::word(failure.check.verdict)
            << (failure.check.reason.empty() ? "" : ": ")
            << failure.check.reason << "\n"
            << why << "\n"
            << "  replay   ropeproof stress " << options.kernel.argument()
            << " --seed " << options.seed << " --first " << first << " --cases "
            << cases << "\n";
}

// Found out before a search that may take hours.
void check_folder(const std::string& out) {
  namespace fs = std::filesystem;
  const auto refuse = [&](const std::string& what) {
    throw std::invalid_argument("--out \"" + out + "\" " + what);
  };
  std::error_code error;
  const fs::path folder = fs::absolute(out, error);
  if (out.empty() || error) refuse("names no folder");
  if (fs::exists(folder, error)) {
    if (!fs::is_directory(folder, error)) refuse("is no folder");
    if (!fs::is_empty(folder, error)) refuse("is not empty; name a new folder");
  }
  fs::path above = folder;
  while (!fs::exists(above, error) && above.has_relative_path()) {
    above = above.parent_path();
  }
  const fs::path probe =
      above / (".ropeproof-" + std::to_string(::getpid()) + ".tmp");
  if (::mkdir(probe.c_str(), 0777) != 0) {
    refuse("cannot be written: " + std::string(std::strerror(errno)));
  }
  ::rmdir(probe.c_str());
}

int stress(const StressOptions& options) {
  check_folder(options.out.value_or("./stress"));
  const std::unique_ptr<plugin::Kernel> kernel = options.kernel.open(true);
  const cover::Arrays arrays =
      cover::load_arrays(default_vectors(), cases::Tier::kCore);
  const auto end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(options.budget_s));
  const search::GoesOn goes_on = [&](std::uint64_t drawn) {
    if (options.cases) return *options.cases - drawn;
    return Clock::now() < end ? search::kStressBatch : std::uint64_t{0};
  };
  const search::StressResult result =
      search::search(*kernel, arrays.model, options.seed, options.first,
                     goes_on, reference::best_oracle());
  const std::string drawn = "seed " + std::to_string(options.seed) + ": " +
                            std::to_string(result.drawn) + " cases drawn, " +
                            std::to_string(result.judged) + " calls judged, " +
                            std::to_string(result.not_judged) +
                            " not offered or declined";
  if (result.failure && result.failure->needs_earlier_calls) {
    report_unsaved_failure(options, *kernel, *result.failure,
                           "It passes in a fresh process: the failure depends "
                           "on earlier calls, and no case shows it alone.",
                           options.first);
    std::cout << drawn << "\n";
    return 1;
  }
  if (result.failure) {
    const std::string folder = options.out.value_or(result.failure->c.id);
    try {
      report_failure(options, *kernel, *result.failure, folder);
    } catch (const std::runtime_error& error) {
      report_unsaved_failure(options, *kernel, *result.failure,
                             "It is not saved: " + std::string(error.what()),
                             result.failure->index);
      return 1;
    }
    std::cout << drawn << "; the case as drawn: ropeproof stress "
              << options.kernel.argument() << " --seed " << options.seed
              << " --first " << result.failure->index << " --cases 1\n"
              << "saved in " << folder << "\n";
    return 1;
  }
  std::cout << drawn << "\n";
  if (result.judged == 0) {
    std::cout << "NOTHING WAS JUDGED\n";
    return 2;
  }
  std::cout << "No failure found. That is no proof that there is none.\n";
  return 0;
}

}  // namespace

Command add_stress(CLI::App& app) {
  auto options = std::make_shared<StressOptions>();
  CLI::App* command = app.add_subcommand(
      "stress", "draw cases from a seed; make the first failure small");
  options->kernel.add_flags(*command);
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
  command->add_option("--seed", options->seed, "names the cases (default 1)")
      ->check(CLI::Range(std::uint64_t{0}, kMost));
  command
      ->add_option("--first", options->first,
                   "number of the first case (default 0)")
      ->check(CLI::Range(std::uint64_t{0}, kMost));
  auto* budget = command->add_option("--budget", options->budget_s,
                                     "seconds to draw for (default 60)");
  budget->check(CLI::Range(0.0, 1e7));
  command
      ->add_option("--cases", options->cases,
                   "cases to draw, in place of a time")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 48))
      ->excludes(budget);
  command->add_option("--out", options->out,
                      "new folder for the failing case (default "
                      "stress-SEED-CASE)");
  return {command, [options] { return stress(*options); }};
}

}  // namespace ropeproof::tools
