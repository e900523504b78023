// ropeproof check: judges the files that a device wrote for `export`.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/cases/corpus.h"
#include "conformance/check/diagnose.h"
#include "conformance/check/exchange.h"
#include "conformance/plugin/description_json.h"
#include "conformance/plugin/pack.h"
#include "reference/golden.h"
#include "tools/commands.h"
#include "tools/profile_flags.h"
#include "tools/report_file.h"
#include "tools/waiver_flags.h"

namespace ropeproof::tools {
namespace {

struct CheckOptions {
  std::string pack, description;
  std::optional<std::string> results;
  std::string vectors = default_vectors().string();
  check::Selection selection;
  ProfileFlags profile;
  WaiverFlags waivers;
  ReportOutput output;
};

int check(CheckOptions& options) {
  const std::filesystem::path results =
      options.results ? std::filesystem::path(*options.results)
                      : std::filesystem::path(options.pack) / "out";
  std::vector<std::filesystem::path> inputs = options.waivers.inputs();
  inputs.insert(inputs.end(),
                {options.pack, results, options.description, options.vectors});
  std::ranges::copy(options.profile.inputs(), std::back_inserter(inputs));
  options.output.open(inputs);
  options.selection.shows = options.output.has_pictures();
  options.waivers.read();
  const plugin::Description device = plugin::read_device(options.description);
  cases::Corpus corpus = cases::load_corpus(options.vectors);
  options.profile.apply(options.vectors, corpus, options.selection);
  options.selection.tier =
      cases::parse_tier(plugin::read_pack(options.pack).tier);
  if (options.selection.tier == cases::Tier::kFull) {
    cases::add_full_tier(corpus, reference::best_oracle(), {});
  }
  options.waivers.add_cases(corpus);
  options.selection.arrays = arrays_of(options.vectors, options.selection.tier);
  options.selection.names = [&](const std::vector<std::string>& ids) {
    options.waivers.add_cases(ids);
    options.waivers.check(asked_text(options.selection));
  };
  report::Report report = check::check_pack(options.pack, results, device,
                                            corpus, options.selection);
  if (options.selection.wanted != check::Wanted::kVerdict) {
    report.diagnoses = check::diagnose(report, corpus);
  }
  options.waivers.apply(report);
  report.suite_version = ROPEPROOF_VERSION;
  report.transport = report::Transport::kFiles;
  report.kernel_argument = shell_quoted(options.pack) + " --description " +
                           shell_quoted(options.description) +
                           options.profile.argument();
  if (options.results) {
    report.kernel_argument += " --results " + shell_quoted(*options.results);
  }
  if (options.vectors != default_vectors().string()) {
    report.kernel_argument += " --vectors " + shell_quoted(options.vectors);
  }
  return options.output.publish(report);
}

}  // namespace

Command add_check(CLI::App& app) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command =
      app.add_subcommand("check", "judge the files that a device has written");
  command->add_option("pack", options->pack, "folder that export wrote")
      ->required();
  command
      ->add_option("--description", options->description,
                   "file: what the device can do")
      ->required();
  options->profile.add_flags(*command, {});
  command->add_option("--results", options->results,
                      "folder of the device's files (default PACK/out)");
  add_case_flags(*command, options->selection);
  command->add_option("--vectors", options->vectors, "folder of vectors");
  options->waivers.add_flags(*command);
  command->add_flag_callback(
      "--no-diagnosis",
      [options] { options->selection.wanted = check::Wanted::kVerdict; },
      "only the verdict and the failures, as in `run`");
  options->output.add_flags(*command);
  return {command, [options] { return check(*options); }};
}

}  // namespace ropeproof::tools
