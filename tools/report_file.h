// report_file.h -- where a verdict goes: the terminal, a file, the exit status.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "conformance/report/merge.h"
#include "conformance/report/report.h"
#include "tools/output_file.h"
#include "tools/rooms.h"

namespace ropeproof::tools {

// The flags of a file in each format of reports, --failures, --details and
// --require.
class ReportOutput {
 public:
  ReportOutput();
  void add_flags(CLI::App& command);
  // The flags that need a verdict: all but --report and --sign.
  static std::vector<std::string> flags_of_verdict();
  // Opens the files of the flags before the run, which reads `inputs`. Throws
  // std::invalid_argument where one cannot be written.
  void open(const std::vector<std::filesystem::path>& inputs);
  // Whether a file is written that has what pictures are drawn of.
  bool has_pictures() const;
  // Writes the report, signed with --sign, then prints it, and returns the exit
  // status; a file that cannot be written keeps nothing else back. Throws
  // std::invalid_argument if --require differs from what the report has.
  int publish(report::Report report);
  // Writes what a run without a verdict found to --report, and prints nothing.
  // Throws std::invalid_argument for a flag of what has one.
  void write_json(const std::string& json);

 private:
  struct File {
    std::optional<std::string> path = {};
    std::optional<OutputFile> file = {};
  };
  std::vector<File> files_;  // one for each format of report_file.cc
  std::optional<std::string> required_, key_;
  int failures_ = 1;
  bool has_details_ = false;
};

// What a file of `run --report`, or of `bench --json`, holds, and the report in
// it. Throw ReportError, one line that names the file.
std::string text_of_report(const std::string& file);
report::NamedReport named_report(const std::string& file);
// The flag of the key that signs what is written.
void add_sign_flag(CLI::App& command, std::optional<std::string>& key);

// Text as a shell reads it back; bash and zsh, where it has characters that no
// terminal shows.
std::string shell_quoted(const std::string& text);

}  // namespace ropeproof::tools
