// ropeproof run: judges one kernel.
#include <cstdlib>
#include <memory>
#include <optional>

#include "conformance/corpus/corpus.h"
#include "conformance/verdict/report.h"
#include "conformance/verdict/runner.h"
#include "conformance/waivers/apply.h"
#include "tools/commands.h"
#include "tools/kernel_flags.h"
#include "tools/report_file.h"

namespace ropeproof::tools {
namespace {

struct Options {
  KernelFlags kernel;
  std::string vectors = default_vectors().string();
  conformance::Selection selection;
  std::optional<std::string> waivers, shard;
  ReportOutput output;
};

int run(Options& options) {
  conformance::Waivers waivers;
  if (options.waivers) {
    waivers = conformance::read_waivers(*options.waivers);
    check_not_expired(waivers, conformance::today());
  }
  options.selection.shard =
      options.shard ? conformance::parse_shard(*options.shard, "--shard")
                    : conformance::shard_of_environment(
                          [](const char* name) { return std::getenv(name); });
  const conformance::Corpus corpus = conformance::load_corpus(options.vectors);
  const std::vector<std::string> ids = conformance::case_ids(corpus);
  check_patterns(waivers, ids);
  options.output.open();
  const std::unique_ptr<conformance::Kernel> kernel = options.kernel.open();
  conformance::Report report =
      conformance::run_suite(*kernel, corpus, options.selection);
  apply_waivers(waivers, ids, report);
  report.suite_version = ROPEPROOF_VERSION;
  report.kernel_argument = options.kernel.argument();
  if (options.vectors != default_vectors().string()) {
    report.kernel_argument += " --vectors " + shell_quoted(options.vectors);
  }
  return options.output.publish(report);
}

}  // namespace

Command add_run(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("run", "judge a kernel");
  options->kernel.add_flags(*command);
  command->add_option("--tier", options->selection.tier,
                      "smoke: 64 cases; core: all committed cases (default)");
  command->add_option("--case", options->selection.cases,
                      "only these case ids");
  command->add_option("--operation", options->selection.operations,
                      "only these operations");
  command->add_option("--vectors", options->vectors, "folder of vectors");
  command->add_option("--waivers", options->waivers,
                      "file of known failures (conformance/README.md)");
  command->add_option("--shard", options->shard,
                      "i/n: only every n-th selected case, from the i-th; "
                      "`merge` joins the reports (default: GTEST_SHARD_INDEX "
                      "and GTEST_TOTAL_SHARDS, else Slurm's array variables)");
  options->output.add_flags(*command);
  return {command, [options] { return run(*options); }};
}

}  // namespace ropeproof::tools
