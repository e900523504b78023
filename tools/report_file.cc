#include "tools/report_file.h"

#include <iostream>
#include <stdexcept>

#include "conformance/report/html/page.h"
#include "conformance/report/report_reader.h"
#include "conformance/report/requirement.h"
#include "conformance/text/file.h"
#include "conformance/text/format.h"
#include "conformance/text/one_line.h"
#include "conformance/text/signature.h"

namespace ropeproof::tools {
namespace {

// A format of reports, and the flag that names its file.
struct FileFormat {
  const char *flag, *meaning;
  std::string (*bytes_of)(const report::Report&);
  bool is_json, has_pictures;
};
constexpr FileFormat kFormats[] = {
    {"--report", "also write every check to this file, as JSON",
     report::json_report, true, true},
    {"--junit", "also write every check to this file, as JUnit XML",
     report::junit_report, false, false},
    {"--html", "also write a page with pictures to this file",
     report::html_report, false, true}};

std::string ansi_quoted(const std::string& text) {
  std::string result = "$'";
  for (const char c : text) {
    const bool is_plain = c >= ' ' && c < 0x7f && c != '\'' && c != '\\';
    result += is_plain
                  ? std::string(1, c)
                  : text::format("\\%03o", static_cast<unsigned>(
                                               static_cast<unsigned char>(c)));
  }
  return result + "'";
}

}  // namespace

ReportOutput::ReportOutput() : files_(std::size(kFormats)) {}

void ReportOutput::add_flags(CLI::App& command) {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    command.add_option(kFormats[i].flag, files_[i].path, kFormats[i].meaning);
  }
  add_sign_flag(command, key_);
  command
      .add_option("--failures", failures_,
                  "failing checks shown in full (default 1)")
      ->check(CLI::Range(0, 1000000));
  command.add_option("--require", required_,
                     "the least that conforms: a level, L1 to L3, with or "
                     "without +E +M +D +B, an angle class, A0 to A2, and what "
                     "the kernel has to offer, as in "
                     "rope/f32/half_split/L1,A1/positions>=131072; without "
                     "that a kernel that offers little, up to a small "
                     "position, or declines most of it, is enough");
  command.add_flag("--details", has_details_,
                   "how good beside pass or fail, every reason for "
                   "unsupported, the worst elements");
}

std::vector<std::string> ReportOutput::flags_of_verdict() {
  std::vector<std::string> flags{"--require", "--failures", "--details"};
  for (const FileFormat& format : kFormats) {
    if (!format.is_json) flags.emplace_back(format.flag);
  }
  return flags;
}

void ReportOutput::open(const std::vector<std::filesystem::path>& inputs) {
  if (required_) {
    required_ = report::parse_requirement(*required_);
  }
  if (key_) {
    if (!files_.front().path) {
      throw std::invalid_argument(
          "--sign signs a file in JSON; name one by --report");
    }
    text::expect_private_key(*key_);
  }
  for (std::size_t i = 0; i < files_.size(); ++i) {
    auto& [path, file] = files_[i];
    if (!path) continue;
    file.emplace(kFormats[i].flag, *path, inputs);
    for (std::size_t k = 0; k < i; ++k) {
      if (!files_[k].file || !files_[k].file->is_same(*file)) continue;
      throw std::invalid_argument(std::string(kFormats[k].flag) + " and " +
                                  kFormats[i].flag +
                                  " name one file; name two");
    }
  }
}

bool ReportOutput::has_pictures() const {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (files_[i].path && kFormats[i].has_pictures) return true;
  }
  return false;
}

int ReportOutput::publish(report::Report report) {
  if (required_) {
    if (!report.required.empty() && report.required != *required_) {
      throw std::invalid_argument("--require " + *required_ +
                                  ": the reports require " + report.required);
    }
    report.required = *required_;
  }
  std::string fault;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (!files_[i].file) continue;
    try {
      const std::string bytes = kFormats[i].bytes_of(report);
      files_[i].file->write(kFormats[i].is_json && key_
                                ? text::with_signature(bytes, *key_)
                                : bytes);
    } catch (const std::runtime_error& error) {
      fault += (fault.empty() ? "" : "; ") + std::string(error.what());
    }
  }
  std::cout << report::text_report(report, static_cast<std::size_t>(failures_),
                                   has_details_)
            << std::flush;
  if (!fault.empty()) throw std::runtime_error(fault);
  return report::exit_status(report::total(report));
}

void ReportOutput::write_json(const std::string& json) {
  bool is_alone = !required_ && !key_;
  for (std::size_t i = 1; i < files_.size(); ++i) {
    is_alone = is_alone && !files_[i].path;
  }
  if (!is_alone) {
    throw std::invalid_argument(
        "of this only --report is written, without --require and --sign");
  }
  if (const auto& file = files_.front().file) file->write(json);
}

std::string text_of_report(const std::string& file) {
  auto text = text::read_whole(file);
  if (!text) {
    throw report::ReportError(text::one_line(file + ": cannot be read"));
  }
  return std::move(*text);
}

report::NamedReport named_report(const std::string& file) {
  return {file, report::read_report(text_of_report(file), file)};
}

void add_sign_flag(CLI::App& command, std::optional<std::string>& key) {
  command.add_option("--sign", key,
                     "file with an Ed25519 key (PEM), by which what is written "
                     "as JSON is signed; `check-report` checks it");
}

std::string shell_quoted(const std::string& text) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+=:,@";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) {
    return text;
  }
  if (text::printable(text) != text || text.find('\n') != std::string::npos) {
    return ansi_quoted(text);
  }
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? "'\\''" : std::string(1, c);
  return result + "'";
}

}  // namespace ropeproof::tools
