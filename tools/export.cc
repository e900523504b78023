// ropeproof export: a run in files, for a device that cannot be reached here.
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include "conformance/assertion/golden_file.h"
#include "conformance/cases/corpus.h"
#include "conformance/check/exchange.h"
#include "conformance/check/paper_kernel.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/description_json.h"
#include "reference/golden.h"
#include "tools/commands.h"
#include "tools/output_file.h"
#include "tools/profile_flags.h"
#include "tools/report_file.h"

namespace ropeproof::tools {
namespace {

struct ExportOptions {
  std::string out;
  std::string goldens;  // the folder of these alone, or none
  std::uint64_t fresh = 0;
  std::string tier = "core";
  check::Selection selection;
  ProfileFlags profile;
  std::string description;
  std::string vectors = default_vectors().string();
};

// Writes the problems with their goldens, for tests in other languages.
int export_goldens(const ExportOptions& options,
                   const plugin::Description& device,
                   const cases::Corpus& corpus) {
  namespace fs = std::filesystem;
  assertion::GoldenFile file;
  std::string id;
  check::Selection selection = options.selection;
  selection.values_only = true;
  selection.seed = options.fresh;
  selection.progress = [&](std::size_t, std::size_t, const std::string& next) {
    id = next;
  };
  std::string added;
  check::PaperKernel kernel(
      device, false, [&](const ropeproof_problem& problem) {
        const std::string name =
            id + "-" + text::word(plugin::kOperationWords, problem.operation);
        // A kernel without keys gets q, then k; each case is one problem.
        if (name != added && file.add(name, problem, device.claims[0])) {
          added = name;
        }
        return plugin::Answer{plugin::Outcome::kMissing, "exported"};
      });
  check::run_suite(kernel, corpus, selection);
  if (file.problems() == 0) {
    throw std::invalid_argument("no problem is within the description");
  }
  std::error_code error;
  fs::create_directories(options.goldens, error);
  const auto [bytes, text] = file.finish();
  const fs::path folder = options.goldens;
  OutputFile("--goldens", (folder / "goldens.safetensors").string(),
             {options.vectors})
      .write(bytes);
  OutputFile("--goldens", (folder / "goldens.txt").string(), {options.vectors})
      .write(text);
  std::cout << file.problems() << " problems in " << options.goldens << "\n";
  return 0;
}

int export_calls(ExportOptions& options) {
  using cases::Tier;
  if (options.out.empty() == options.goldens.empty()) {
    throw std::invalid_argument("give --out or --goldens");
  }
  const Tier tier = options.selection.tier = cases::parse_tier(options.tier);
  options.selection.arrays = arrays_of(options.vectors, tier);
  const plugin::Description device = plugin::read_device(options.description);
  cases::Corpus corpus = cases::load_corpus(options.vectors);
  options.profile.apply(options.vectors, corpus, options.selection);
  if (tier == Tier::kFull) {
    cases::add_full_tier(corpus, reference::best_oracle(), {});
  }
  if (!options.goldens.empty()) {
    return export_goldens(options, device, corpus);
  }
  const std::size_t calls = check::export_pack(
      device, corpus, options.selection, ROPEPROOF_VERSION, options.out);
  std::cout << calls << " calls in " << options.out
            << ": write the device's loop as " << options.out
            << "/RUN.md says, then\n\n    ropeproof check "
            << shell_quoted(options.out) << " --description "
            << shell_quoted(options.description) << options.profile.argument()
            << "\n";
  return 0;
}

}  // namespace

Command add_export(CLI::App& app) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* command = app.add_subcommand(
      "export", "write the calls of a run to files, for a device elsewhere");
  auto* out = command->add_option("--out", options->out, "new folder");
  auto* goldens = command->add_option(
      "--goldens", options->goldens,
      "in place of it: folder for goldens.safetensors and goldens.txt, inputs, "
      "exact results and bounds, for tests in any language");
  goldens->excludes(out);
  command
      ->add_option(
          "--fresh", options->fresh,
          "with --goldens: the seed of the formed cases of core and full")
      ->needs(goldens);
  auto* tier = command->add_option("--tier", options->tier,
                                   "smoke, core (default) or full");
  options->profile.add_flags(*command, {tier});
  command
      ->add_option("--description", options->description,
                   "file: what the device can do, and so what it is asked")
      ->required();
  command->add_option("--vectors", options->vectors, "folder of vectors");
  return {command, [options] { return export_calls(*options); }};
}

}  // namespace ropeproof::tools
