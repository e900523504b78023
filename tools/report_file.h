// report_file.h -- where a verdict goes: the terminal, a file, the exit status.
#ifndef ROPEPROOF_TOOLS_REPORT_FILE_H_
#define ROPEPROOF_TOOLS_REPORT_FILE_H_

#include <CLI/CLI.hpp>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "conformance/report/report.h"

namespace ropeproof::tools {

// A file that appears whole or not at all; opened before the kernel runs, so
// that a bad path costs no run. An older file stays until the new one is
// complete: only a regular file is replaced, by renaming; a device or a pipe is
// written to.
class ReportFile {
 public:
  // `flag` names it in errors. Throws std::invalid_argument, as write() does, if
  // the file cannot be written.
  ReportFile(const std::string& flag, const std::string& path);
  ~ReportFile();
  ReportFile(const ReportFile&) = delete;
  ReportFile& operator=(const ReportFile&) = delete;

  void write(const std::string& bytes);

 private:
  [[noreturn]] void fail() const;

  std::string flag_;
  std::filesystem::path path_, written_;
  std::ofstream file_;
  bool is_complete_ = false;
};

// --report, --junit, --failures and --details.
class ReportOutput {
 public:
  void add_flags(CLI::App& command);
  // Before the run: opens what the flags name.
  void open();
  // After it: prints, writes, and returns the exit status.
  int publish(const conformance::report::Report& report);

 private:
  std::optional<std::string> json_path_, junit_path_;
  int failures_ = 1;
  bool has_details_ = false;
  std::optional<ReportFile> json_, junit_;
};

// As a shell reads it back.
std::string shell_quoted(const std::string& text);

}  // namespace ropeproof::tools

#endif  // ROPEPROOF_TOOLS_REPORT_FILE_H_
