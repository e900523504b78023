// waiver_flags.h -- --waivers, of every subcommand that judges.
#ifndef ROPEPROOF_TOOLS_WAIVER_FLAGS_H_
#define ROPEPROOF_TOOLS_WAIVER_FLAGS_H_

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "conformance/corpus/corpus.h"
#include "conformance/verdict/report.h"
#include "conformance/waivers/waivers.h"

namespace ropeproof::tools {

class WaiverFlags {
 public:
  void add_flags(CLI::App& command);
  // Throws std::invalid_argument for a bad file.
  void read();
  // The cases that patterns may name: those of all corpora that are added.
  void add_cases(const conformance::Corpus& corpus);
  // Throws std::invalid_argument for a pattern that matches no case.
  void check() const;
  void apply(conformance::Report& report) const;

 private:
  std::optional<std::string> file_;
  conformance::Waivers waivers_;
  std::vector<std::string> ids_;
};

}  // namespace ropeproof::tools

#endif  // ROPEPROOF_TOOLS_WAIVER_FLAGS_H_
