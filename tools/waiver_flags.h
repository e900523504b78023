// waiver_flags.h -- --waivers, of every subcommand that judges.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "conformance/cases/corpus.h"
#include "conformance/report/report.h"
#include "conformance/report/waivers.h"
#include "tools/rooms.h"

namespace ropeproof::tools {

class WaiverFlags {
 public:
  void add_flags(CLI::App& command);
  // Throws std::invalid_argument for a bad file.
  void read();
  // The cases that patterns may name are all that are added.
  void add_cases(const cases::Corpus& corpus);
  void add_cases(const std::vector<std::string>& ids);
  // Throws std::invalid_argument for a pattern that matches no case, of waivers
  // for what is asked. One of formed cases may match none where no such case
  // was added: tier and seed say which there are.
  void check(const std::string& asked) const;
  // The file, if there is one.
  std::vector<std::filesystem::path> inputs() const;
  void apply(report::Report& report) const;

 private:
  std::optional<std::string> file_;
  report::Waivers waivers_;
  std::vector<std::string> ids_;
};

}  // namespace ropeproof::tools
