// ropeproof diff: what has become of a kernel between two reports.
#include <cstddef>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/bench/speed_report.h"
#include "conformance/report/difference.h"
#include "tools/commands.h"
#include "tools/output_file.h"
#include "tools/report_file.h"

namespace ropeproof::tools {
namespace {

struct DiffOptions {
  std::string before, after;
  std::optional<std::string> markdown;
  std::vector<std::string> benches;
  int failures = 10;
};

std::map<report::Engine, report::SpeedRange> speeds_of(
    const std::string& file, const report::Report& of) {
  return bench::read_speeds(text_of_report(file), file, of.suite_version);
}

int diff(const DiffOptions& options) {
  std::vector<std::filesystem::path> inputs{options.before, options.after};
  inputs.insert(inputs.end(), options.benches.begin(), options.benches.end());
  std::optional<OutputFile> file;
  if (options.markdown) file.emplace("--markdown", *options.markdown, inputs);
  const report::NamedReport before = named_report(options.before);
  const report::NamedReport after = named_report(options.after);
  std::map<report::Engine, report::SpeedRange> speeds[2];
  if (!options.benches.empty()) {
    speeds[0] = speeds_of(options.benches[0], before.report);
    speeds[1] = speeds_of(options.benches[1], after.report);
  }
  const report::Difference difference =
      report::difference_of(before, after, speeds[0], speeds[1]);
  const auto most = static_cast<std::size_t>(options.failures);
  if (file) file->write(report::difference_markdown(difference, most));
  std::cout << report::difference_text(difference, most);
  return difference.exit_status();
}

}  // namespace

Command add_diff(CLI::App& app) {
  auto options = std::make_shared<DiffOptions>();
  CLI::App* command = app.add_subcommand(
      "diff", "what is fixed, broken or drifted between two reports");
  command->add_option("before", options->before, "file of run --report")
      ->required();
  command->add_option("after", options->after, "file of run --report")
      ->required();
  command->add_option("--markdown", options->markdown,
                      "also write it to this file, as a comment for a pull "
                      "request");
  command
      ->add_option("--bench", options->benches,
                   "two files of bench --json, before and after: the speed, "
                   "too")
      ->expected(2);
  command
      ->add_option("--failures", options->failures,
                   "checks of each list shown (default 10)")
      ->check(CLI::Range(0, 1000000));
  return {command, [options] { return diff(*options); }};
}

}  // namespace ropeproof::tools
