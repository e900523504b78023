// ropeproof identify: reads what a kernel computes off probes.
#include "conformance/identify/identify.h"

#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "conformance/search/claim.h"
#include "tools/commands.h"
#include "tools/kernel_flags.h"
#include "tools/output_file.h"

namespace ropeproof::tools {
namespace {

struct IdentifyOptions {
  KernelFlags kernel;
  std::optional<std::string> svg, report;
};

// The strictest claims that hold: what `run --claim auto` asks, or, where an
// answer was wrong already, `asked`.
std::string claims_of(plugin::Kernel& kernel, const identify::Identified& found,
                      cases::Corpus asked) {
  check::Selection selection;
  if (found.right == found.asked && found.trouble.empty()) {
    selection.tier = cases::Tier::kCore;
    selection.arrays = arrays_of(default_vectors(), selection.tier);
    asked = cases::load_corpus(default_vectors());
  }
  return search::claims_text(search::find_claims(kernel, asked, selection));
}

int identify(IdentifyOptions& options) {
  const auto file = [&](const char* flag, const auto& path) {
    return path ? std::optional<OutputFile>(std::in_place, flag, *path,
                                            options.kernel.inputs())
                : std::nullopt;
  };
  const std::optional<OutputFile> svg = file("--svg", options.svg),
                                  report = file("--report", options.report);
  if (svg && report && svg->is_same(*report)) {
    throw std::invalid_argument("--svg and --report name the same file");
  }
  options.kernel.hide(default_vectors());
  const auto kernel = options.kernel.open();
  cases::Corpus asked;
  const identify::Identified found = identify::identify(*kernel, &asked);
  std::cout << identify::identified_text(found);
  if (found.asked > 0) {
    std::cout << "\n" << std::flush << claims_of(*kernel, found, asked);
  }
  if (report) report->write(identify::identified_json(found));
  if (svg) svg->write(identify::identified_svg(found));
  return found.is_as_declared() ? 0 : 1;
}

}  // namespace

Command add_identify(CLI::App& app) {
  auto options = std::make_shared<IdentifyOptions>();
  CLI::App* command =
      app.add_subcommand("identify", "read what a kernel computes off probes");
  options->kernel.add_flags(*command);
  command->add_option("--svg", options->svg,
                      "the frequencies of the pairs beside those that are due, "
                      "as a picture");
  command->add_option("--report", options->report, "all of it as JSON");
  return {command, [options] { return identify(*options); }};
}

}  // namespace ropeproof::tools
