// ropeproof merge: joins the reports of all shards of a run.
#include "conformance/report/merge.h"

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "conformance/search/sweep_report.h"
#include "tools/commands.h"
#include "tools/report_file.h"

namespace ropeproof::tools {
namespace {

struct MergeOptions {
  std::vector<std::string> files;
  ReportOutput output;
};

int merge_sweeps(MergeOptions& options) {
  std::vector<search::NamedSweep> parts;
  for (const std::string& file : options.files) {
    parts.push_back({file, search::read_sweep(text_of_report(file), file)});
  }
  const search::Sweep whole = search::merge_sweeps(std::move(parts));
  options.output.write_json(sweep_json(whole));
  std::cout << sweep_text(whole) << std::flush;
  return whole.exit_status();
}

int merge(MergeOptions& options) {
  options.output.open({options.files.begin(), options.files.end()});
  if (search::is_sweep(text_of_report(options.files[0]))) {
    return merge_sweeps(options);
  }
  std::vector<report::NamedReport> shards;
  for (const std::string& file : options.files)
    shards.push_back(named_report(file));
  const report::Report whole = report::merge_reports(std::move(shards));
  return options.output.publish(whole);
}

}  // namespace

Command add_merge(CLI::App& app) {
  auto options = std::make_shared<MergeOptions>();
  CLI::App* command = app.add_subcommand(
      "merge", "join the reports of all shards of a run or a sweep");
  command
      ->add_option("reports", options->files,
                   "files of run --report, or of sweep --report")
      ->required();
  options->output.add_flags(*command);
  return {command, [options] { return merge(*options); }};
}

}  // namespace ropeproof::tools
