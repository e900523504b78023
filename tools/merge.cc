// ropeproof merge: joins the reports of all shards of a run.
#include "conformance/report/merge.h"

#include <memory>
#include <string>
#include <vector>

#include "tools/commands.h"
#include "tools/report_file.h"

namespace ropeproof::tools {
namespace {

struct MergeOptions {
  std::vector<std::string> files;
  ReportOutput output;
};

int merge(MergeOptions& options) {
  options.output.open({options.files.begin(), options.files.end()});
  std::vector<conformance::report::NamedReport> shards;
  for (const std::string& file : options.files)
    shards.push_back(named_report(file));
  const conformance::report::Report whole =
      conformance::report::merge_reports(std::move(shards));
  return options.output.publish(whole);
}

}  // namespace

Command add_merge(CLI::App& app) {
  auto options = std::make_shared<MergeOptions>();
  CLI::App* command =
      app.add_subcommand("merge", "join the reports of all shards of a run");
  command->add_option("reports", options->files, "files of run --report")
      ->required();
  options->output.add_flags(*command);
  return {command, [options] { return merge(*options); }};
}

}  // namespace ropeproof::tools
