// ropeproof export: a run in files, for a device that cannot be reached here.
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "conformance/cases/corpus.h"
#include "conformance/check/exchange.h"
#include "conformance/plugin/description_json.h"
#include "reference/golden.h"
#include "tools/commands.h"
#include "tools/profile_flags.h"
#include "tools/report_file.h"

namespace ropeproof::tools {
namespace {

struct ExportOptions {
  std::string out;
  std::string tier = "core";
  conformance::check::Selection selection;
  ProfileFlags profile;
  std::optional<std::string> description;
  std::string vectors = default_vectors().string();
};

int export_calls(ExportOptions& options) {
  using conformance::cases::Tier;
  const Tier tier = options.selection.tier =
      conformance::cases::parse_tier(options.tier);
  const std::string profile = options.profile.argument();
  if (!options.description && (tier != Tier::kSmoke || !profile.empty())) {
    throw std::invalid_argument(
        (profile.empty() ? "--tier " + options.tier : profile.substr(1)) +
        " needs --description: what it asks follows from what the device can "
        "do");
  }
  options.selection.arrays = arrays_of(options.vectors);
  const conformance::plugin::Description device =
      options.description
          ? conformance::plugin::read_device(*options.description)
          : conformance::plugin::device_of_everything();
  conformance::cases::Corpus corpus =
      conformance::cases::load_corpus(options.vectors);
  options.profile.apply(options.vectors, corpus, options.selection);
  if (tier == Tier::kFull) {
    conformance::cases::add_full_tier(corpus, reference::best_oracle(), {});
  }
  const std::size_t calls = conformance::check::export_pack(
      device, corpus, options.selection, ROPEPROOF_VERSION, options.out);
  std::cout << calls << " calls in " << options.out
            << ": write the device's loop as " << options.out
            << "/RUN.md says, then\n\n    ropeproof check "
            << shell_quoted(options.out) << " --description "
            << shell_quoted(options.description.value_or("description.json"))
            << profile << "\n";
  return 0;
}

}  // namespace

Command add_export(CLI::App& app) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* command = app.add_subcommand(
      "export", "write the calls of a run to files, for a device elsewhere");
  command->add_option("--out", options->out, "new folder")->required();
  auto* tier = command->add_option("--tier", options->tier,
                                   "smoke, core (default) or full");
  options->profile.add_flags(*command, {tier});
  command->add_option("--description", options->description,
                      "file: what the device can do, and so what it is asked "
                      "(default, in smoke alone: every call)");
  command->add_option("--vectors", options->vectors, "folder of vectors");
  return {command, [options] { return export_calls(*options); }};
}

}  // namespace ropeproof::tools
