// ropeproof run: judges one kernel.
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
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
  std::optional<std::string> report;
  int failures = 3;
  int time_limit_ms = 10000;
  bool no_fork = false;
};

// As a shell reads it back.
std::string quoted(const std::string& text) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+=:,@";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) {
    return text;
  }
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? "'\\''" : std::string(1, c);
  return result + "'";
}

// Where the report goes; opened before the kernel runs, so that a bad path costs
// no run. An older report stays until the new one is complete: only a regular
// file is replaced, by renaming; a device or a pipe is written to.
class ReportFile {
 public:
  explicit ReportFile(const std::string& path) : path_(path) {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::path real = fs::weakly_canonical(path, error);
    if (!error) path_ = real;
    const bool replaces = !fs::exists(path_) || fs::is_regular_file(path_);
    written_ = replaces ? fs::path(path_.string() + ".new") : path_;
    file_.open(written_, std::ios::binary);
    if (!file_) fail();
  }

  ~ReportFile() {
    std::error_code ignored;
    if (!is_complete_ && written_ != path_) {
      std::filesystem::remove(written_, ignored);
    }
  }

  void write(const std::string& bytes) {
    file_ << bytes;
    file_.close();
    std::error_code error;
    if (file_ && written_ != path_) {
      std::filesystem::rename(written_, path_, error);
    }
    if (!file_ || error) fail();
    is_complete_ = true;
  }

 private:
  [[noreturn]] void fail() const {
    throw std::invalid_argument("--report " + path_.string() +
                                " cannot be written");
  }

  std::filesystem::path path_, written_;
  std::ofstream file_;
  bool is_complete_ = false;
};

int run(const Options& options) {
  const conformance::Corpus corpus = conformance::load_corpus(options.vectors);
  std::optional<ReportFile> report_file;
  if (options.report) report_file.emplace(*options.report);
  conformance::KernelOptions kernel_options;
  kernel_options.time_limit = std::chrono::milliseconds(options.time_limit_ms);
  kernel_options.is_forked = !options.no_fork;
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
  if (options.vectors != default_vectors().string()) {
    argument += " --vectors " + quoted(options.vectors);
  }
  conformance::Report report =
      conformance::run_suite(*kernel, corpus, options.selection);
  report.suite_version = ROPEPROOF_VERSION;
  report.kernel_argument = argument;
  std::cout << conformance::text_report(
                   report, static_cast<std::size_t>(options.failures))
            << std::flush;
  if (!std::cout) throw std::runtime_error("standard output is not writable");
  if (report_file) report_file->write(conformance::json_report(report));
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
  command
      ->add_option("--failures", options->failures,
                   "failing checks shown in full (default 3)")
      ->check(CLI::Range(0, 1000000));
  command
      ->add_option("--time-limit", options->time_limit_ms,
                   "milliseconds for one call (default 10000)")
      ->check(CLI::Range(1, 3600000));
  command
      ->add_flag("--no-fork", options->no_fork,
                 "run the library in this process, for a debugger: a crash "
                 "ends the run, a hang never ends")
      ->excludes("--command");
  return {command, [options] { return run(*options); }};
}

}  // namespace ropeproof::tools
