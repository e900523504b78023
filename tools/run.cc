// ropeproof run: judges one kernel.
#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>

#include "conformance/corpus/corpus.h"
#include "conformance/kernels/kernel.h"
#include "conformance/verdict/report.h"
#include "conformance/verdict/runner.h"
#include "tools/commands.h"

namespace ropeproof::tools {
namespace {

struct Options {
  std::string library, command, builtin;
  std::string vectors = default_vectors().string();
  conformance::Selection selection;
  std::string report;
  std::size_t failures = 3;
  int time_limit_ms = 10000;
};

std::string quoted(const std::string& text) {
  return text.find_first_of(" \t\"'$\\") == std::string::npos
             ? text
             : "'" + text + "'";
}

// Goes to a temporary name first, so that a full disk loses no older report.
void write_file(const std::string& path, const std::string& bytes) {
  const std::string temporary = path + ".new";
  std::ofstream file(temporary, std::ios::binary);
  file << bytes;
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(temporary, path, error);
  if (!file || error) {
    std::filesystem::remove(temporary, error);
    throw std::invalid_argument("--report " + path + " cannot be written");
  }
}

int run(const Options& options) {
  const conformance::Corpus corpus = conformance::load_corpus(options.vectors);
  conformance::KernelOptions kernel_options;
  kernel_options.time_limit = std::chrono::milliseconds(options.time_limit_ms);
  std::unique_ptr<conformance::Kernel> kernel;
  std::string argument;
  if (!options.command.empty()) {
    argument = "--command " + quoted(options.command);
    kernel = conformance::start_process(options.command, kernel_options);
  } else {
    argument = options.builtin.empty() ? "--lib " + quoted(options.library)
                                       : "--builtin " + options.builtin;
    const std::string path = options.builtin.empty()
                                 ? options.library
                                 : bundled_library(options.builtin).string();
    kernel = conformance::load_library(path, kernel_options);
  }
  conformance::Report report =
      conformance::run_suite(*kernel, corpus, options.selection);
  report.suite_version = ROPEPROOF_VERSION;
  report.kernel_argument = argument;
  if (!options.report.empty()) {
    write_file(options.report, conformance::json_report(report));
  }
  std::cout << conformance::text_report(report, options.failures);
  return conformance::exit_status(conformance::total(report));
}

}  // namespace

Command add_run(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("run", "judge a kernel");
  auto* kernel = command->add_option_group("kernel", "exactly one of");
  kernel->add_option("--lib", options->library,
                     "shared library with the C ABI (ropeproof_kernel.h)");
  kernel->add_option("--command", options->command,
                     "program that speaks the framed protocol on stdin/stdout");
  kernel->add_option("--builtin", options->builtin, "kernel of this suite")
      ->check(CLI::IsMember(bundled_kernels()));
  kernel->require_option(1);
  command->add_option("--tier", options->selection.tier,
                      "smoke: 64 cases; core: all committed cases (default)");
  command->add_option("--case", options->selection.cases,
                      "only these case ids");
  command->add_option("--operation", options->selection.operations,
                      "only these operations");
  command->add_option("--vectors", options->vectors, "folder of vectors");
  command->add_option("--report", options->report,
                      "also write every check to this file, as JSON");
  command->add_option("--failures", options->failures,
                      "failing checks shown in full (default 3)");
  command
      ->add_option("--time-limit", options->time_limit_ms,
                   "milliseconds for one call (default 10000)")
      ->check(CLI::Range(1, 3600000));
  return {command, [options] { return run(*options); }};
}

}  // namespace ropeproof::tools
