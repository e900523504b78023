// ropeproof check-report: whether a report is what its writer signed.
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

#include "conformance/text/file.h"
#include "conformance/text/one_line.h"
#include "conformance/text/signature.h"
#include "tools/commands.h"

namespace ropeproof::tools {
namespace {

struct SignedFile {
  std::string report, key;
};

int check_report(const SignedFile& flags) {
  const auto report = text::read_whole(flags.report);
  if (!report) throw std::invalid_argument(flags.report + ": cannot be read");
  const std::string why = text::why_not_signed(*report, flags.key);
  if (!why.empty()) {
    std::cerr << "ropeproof: " << text::one_line(flags.report + ": " + why)
              << "\n";
    return 1;
  }
  std::cout << text::one_line(flags.report) << ": signed by "
            << text::one_line(flags.key) << "\n";
  return 0;
}

}  // namespace

Command add_check_report(CLI::App& app) {
  auto flags = std::make_shared<SignedFile>();
  CLI::App* command = app.add_subcommand(
      "check-report",
      "say whether a report or a verdict is, byte for byte, what the owner of "
      "a key signed with --sign");
  command->add_option("report", flags->report, "the file")->required();
  command
      ->add_option("--key", flags->key,
                   "file with the public key, as openssl pkey -pubout makes it")
      ->required();
  return {command, [flags] { return check_report(*flags); }};
}

}  // namespace ropeproof::tools
