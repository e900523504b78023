// ropeproof generate: writes the vectors, or proves that they are what the
// reference gives.
#include <iostream>
#include <memory>
#include <stdexcept>

#include "conformance/cases/corpus.h"
#include "reference/golden.h"
#include "tools/commands.h"

namespace ropeproof::tools {
namespace {

struct Options {
  std::string vectors = default_vectors().string();
  std::string tier = "core";
  std::string out;  // empty: `vectors`
  bool check = false;
};

int generate(const Options& options) {
  if (options.tier == "full" && options.out.empty()) {
    throw std::invalid_argument(
        "--tier full is too large to commit; name a folder with --out");
  }
  const std::string out = options.out.empty() ? options.vectors : options.out;
  const conformance::cases::Files files = conformance::cases::generate_corpus(
      options.vectors, reference::Oracle::kMpfi, ROPEPROOF_VERSION,
      options.tier);
  if (!options.check) {
    conformance::cases::write_corpus(files, out);
    std::cout << "wrote " << files.size() << " files to " << out << "\n";
    return 0;
  }
  const auto differences = conformance::cases::compare_corpus(files, out);
  for (const std::string& line : differences) {
    std::cerr << "ropeproof: " << line << "\n";
  }
  if (!differences.empty()) return 4;
  std::cout << files.size() << " files regenerated, byte for byte the same\n";
  return 0;
}

}  // namespace

Command add_generate(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "generate", "write the vectors from the reference (needs MPFI)");
  command->add_flag("--check", options->check,
                    "write nothing; exit 4 unless every byte is the same");
  command->add_option("--vectors", options->vectors,
                      "folder of vectors, with sources/");
  command
      ->add_option("--tier", options->tier,
                   "core (default), or full: core and 10,586 cases more")
      ->check(CLI::IsMember({"core", "full"}));
  command->add_option("--out", options->out,
                      "write to, or check, this folder instead");
  return {command, [options] { return generate(*options); }};
}

}  // namespace ropeproof::tools
