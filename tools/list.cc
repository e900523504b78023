// ropeproof list: names the cases, the bundled kernels and the models.
#include <filesystem>
#include <iostream>
#include <memory>

#include "conformance/corpus/corpus.h"
#include "conformance/profiles/profiles.h"
#include "conformance/verdict/features.h"
#include "conformance/verdict/tolerance.h"
#include "tools/commands.h"

namespace ropeproof::tools {
namespace {

void list_cases(const std::string& vectors) {
  for (const auto& group : conformance::load_corpus(vectors).groups) {
    std::cout << group.name << " (" << group.tier << "): " << group.description
              << "\n";
    const auto print = [](const auto& c) {
      std::cout << "  " << c.id << "  " << conformance::summary(c) << "\n";
    };
    for (const auto& c : group.rope_cases) print(c);
    for (const auto& c : group.permute_cases) print(c);
  }
}

void list_kernels() {
  for (const std::string& name : bundled_kernels()) {
    std::cout << name << "  " << bundled_library(name).string() << "\n";
  }
}

void list_profiles(const std::string& vectors) {
  const std::filesystem::path presets =
      std::filesystem::path(vectors) / "models";
  for (const conformance::Profile& profile : conformance::profiles()) {
    std::cout << profile.name << "\n  "
              << conformance::summary(profile, presets) << "\n";
  }
}

}  // namespace

Command add_list(CLI::App& app) {
  struct Options {
    std::string what = "cases";
    std::string vectors = default_vectors().string();
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "list",
      "list the cases, bundled kernels, models, profiles or tolerances");
  command
      ->add_option("what", options->what,
                   "cases (default), kernels, models, profiles or tolerances")
      ->check(CLI::IsMember(
          {"cases", "kernels", "models", "profiles", "tolerances"}));
  command->add_option("--vectors", options->vectors, "folder of vectors");
  return {command, [options] {
            if (options->what == "kernels") {
              list_kernels();
            } else if (options->what == "models") {
              list_models(options->vectors);
            } else if (options->what == "profiles") {
              list_profiles(options->vectors);
            } else if (options->what == "tolerances") {
              std::cout << conformance::tolerance_text();
            } else {
              list_cases(options->vectors);
            }
            return 0;
          }};
}

}  // namespace ropeproof::tools
