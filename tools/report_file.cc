#include "tools/report_file.h"

#include <iostream>
#include <stdexcept>
#include <system_error>

namespace ropeproof::tools {

namespace fs = std::filesystem;

ReportFile::ReportFile(const std::string& flag, const std::string& path)
    : flag_(flag), path_(path) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  if (!error) path_ = real;
  const bool replaces = !fs::exists(path_) || fs::is_regular_file(path_);
  written_ = replaces ? fs::path(path_.string() + ".new") : path_;
  file_.open(written_, std::ios::binary);
  if (!file_) fail();
}

ReportFile::~ReportFile() {
  std::error_code ignored;
  if (!is_complete_ && written_ != path_) fs::remove(written_, ignored);
}

void ReportFile::write(const std::string& bytes) {
  file_ << bytes;
  file_.close();
  std::error_code error;
  if (file_ && written_ != path_) fs::rename(written_, path_, error);
  if (!file_ || error) fail();
  is_complete_ = true;
}

void ReportFile::fail() const {
  throw std::invalid_argument(flag_ + " " + path_.string() +
                              " cannot be written");
}

void ReportOutput::add_flags(CLI::App& command) {
  command.add_option("--report", json_path_,
                     "also write every check to this file, as JSON");
  command.add_option("--junit", junit_path_, "the same as JUnit XML");
  command
      .add_option("--failures", failures_,
                  "failing checks shown in full (default 1)")
      ->check(CLI::Range(0, 1000000));
  command.add_flag("--details", has_details_,
                   "how good beside pass or fail, every reason for "
                   "unsupported, the worst elements");
}

void ReportOutput::open() {
  if (json_path_) json_.emplace("--report", *json_path_);
  if (junit_path_) junit_.emplace("--junit", *junit_path_);
}

int ReportOutput::publish(const conformance::report::Report& report) {
  std::cout << conformance::report::text_report(
                   report, static_cast<std::size_t>(failures_), has_details_)
            << std::flush;
  if (!std::cout) throw std::runtime_error("standard output is not writable");
  if (json_) json_->write(conformance::report::json_report(report));
  if (junit_) junit_->write(conformance::report::junit_report(report));
  return conformance::report::exit_status(conformance::report::total(report));
}

std::string shell_quoted(const std::string& text) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+=:,@";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) {
    return text;
  }
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? "'\\''" : std::string(1, c);
  return result + "'";
}

}  // namespace ropeproof::tools
