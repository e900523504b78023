// ropeproof list: names what there is: cases, kernels, models, profiles,
// tolerances; and what the cases cover and come to.
#include <bit>
#include <cstdint>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <memory>
#include <stdexcept>

#include "conformance/cases/corpus.h"
#include "conformance/cases/coverage.h"
#include "conformance/cases/encoding_case.h"
#include "conformance/cases/summary.h"
#include "conformance/check/call_coverage.h"
#include "conformance/check/declarations.h"
#include "conformance/cover/drawn.h"
#include "conformance/judge/tolerance.h"
#include "conformance/models/profiles.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/description.h"
#include "conformance/text/word_tables.h"
#include "tools/commands.h"
#include "tools/profile_flags.h"

namespace ropeproof::tools {
namespace {

void list_cases(const std::string& vectors) {
  for (const auto& group : cases::load_corpus(vectors).groups) {
    std::cout << group.name << " (" << text::word(cases::kTierWords, group.tier)
              << "): " << group.description << "\n";
    cases::for_each_case(group, [](const auto& c) {
      std::cout << "  " << c.id << "  " << cases::summary(c) << "\n";
    });
  }
}

std::string text_of(const check::Share& share) {
  return std::to_string(share.met) + "/" + std::to_string(share.possible);
}

// What the calls of a tier come to, an operation a line; whether every pair of
// classes, and in full every triple, is among them. `like` is the case of a
// profile.
bool list_combinations(const plugin::Description& description,
                       const cover::Arrays& arrays, cases::Tier tier,
                       const cases::Problem* like = nullptr) {
  const bool is_full = tier == cases::Tier::kFull;
  bool is_whole = true;
  for (const auto& one :
       check::call_coverage(description, arrays, tier, like)) {
    std::cout << "  " << std::left << std::setw(32) << description.name
              << std::setw(12)
              << text::word(plugin::kOperationWords, one.operation)
              << std::right << std::setw(7) << one.calls << std::setw(14)
              << text_of(one.pairs);
    if (is_full) std::cout << std::setw(18) << text_of(one.triples);
    std::cout << "\n";
    for (const std::string& pair : one.missing) {
      std::cerr << "ropeproof: no call of " << description.name << " has "
                << pair << "\n";
    }
    is_whole = is_whole && one.pairs.is_whole() &&
               (!is_full || one.triples.is_whole());
  }
  return is_whole;
}

bool list_combinations(const std::string& vectors) {
  const auto arrays = arrays_of(vectors);
  if (arrays == nullptr) return true;
  const auto head = [](const char* tier, const char* triples) {
    std::cout << std::left << std::setw(34) << tier << std::setw(12)
              << "operation" << std::right << std::setw(7) << "calls"
              << std::setw(14) << "pairs" << triples << "\n";
  };
  head("formed cases of tier core, for", "");
  bool is_whole = true;
  for (const auto& one : check::typical_declarations()) {
    is_whole &= list_combinations(one, *arrays, cases::Tier::kCore);
  }
  head("\nof profiles, for everything", "");
  for (const auto& parts : models::profiles()) {
    const auto profile =
        models::make_profile(parts, std::filesystem::path(vectors) / "models");
    auto description = plugin::everything("everything");
    description.name = profile.name;
    description.operations = ROPEPROOF_ROPE;
    description.max_position = profile.positions - 1;
    is_whole &= list_combinations(
        description, *arrays, cases::Tier::kCore,
        &models::profile_cases(profile).rope_cases.front().problem);
  }
  head("\nof tier full", "           triples");
  is_whole &= list_combinations(plugin::everything("everything"), *arrays,
                                cases::Tier::kFull);
  constexpr std::uint64_t kSeeds = 100;
  std::cout << "\nsizes of each class that " << kSeeds
            << " seeds of --fresh draw in the rows of pairs\n";
  for (const auto& drawn :
       cover::drawn_classes(arrays->model, arrays->pairs, kSeeds)) {
    std::cout << "  " << drawn.text() << "\n";
  }
  std::cout << "\n";
  return is_whole;
}

// Exit status 1 unless every cell and combination is covered.
int list_coverage(const std::string& vectors) {
  const auto corpus = cases::load_corpus(vectors);
  const bool is_whole = list_combinations(vectors);
  const auto coverage = cases::coverage_of(corpus.groups);
  std::cout << cases::coverage_text(coverage);
  const auto empty = cases::empty_cells(coverage);
  for (const std::string& cell : empty) {
    std::cerr << "ropeproof: no case reaches " << cell << "\n";
  }
  return empty.empty() && is_whole ? 0 : 1;
}

// What tools/prove/readers/ come to, each by its own means: id, expected
// values, how many of them are positive, and a checksum of their patterns.
using Tensors = std::vector<const cases::Bits*>;

void list_checksum(const std::string& id, const Tensors& tensors) {
  std::size_t values = 0, positive = 0;
  std::uint32_t checksum = 0;
  for (const cases::Bits* tensor : tensors) {
    values += tensor->size();
    for (const std::uint64_t pattern : *tensor) {
      if (std::bit_cast<double>(pattern) > 0) ++positive;
      for (const int shift : {32, 0}) {
        checksum = std::rotl(checksum, 5) ^
                   static_cast<std::uint32_t>(pattern >> shift);
      }
    }
  }
  std::cout << id << " " << values << " " << positive << " " << std::hex
            << std::setw(8) << std::setfill('0') << checksum << std::dec
            << "\n";
}

void list_checksums(const std::string& vectors) {
  for (const auto& group : cases::load_corpus(vectors).groups) {
    for (const auto& c : group.rope_cases) {
      list_checksum(c.id, {&c.golden.inv_freq_hi, &c.golden.inv_freq_lo,
                           &c.golden.q, &c.golden.k});
    }
  }
  for (const auto& c : cases::load_encodings(vectors)) {
    list_checksum(c.id, {&c.values});
  }
}

void list_kernels() {
  for (const std::string& name : builtin_kernels()) {
    std::cout << name << "  " << builtin_library(name).string() << "\n";
  }
}

// Lists the profiles with names, or the one that the flags make.
void list_profiles(const std::string& vectors, const ProfileFlags& flags) {
  const auto list = [](const models::Profile& profile) {
    std::cout << profile.name << "\n  " << models::summary(profile) << "\n";
  };
  const auto profiles = flags.read(vectors);
  for (const models::Profile& profile : profiles) list(profile);
  if (!profiles.empty()) return;
  for (const models::ProfileParts& parts : models::profiles()) {
    list(
        models::make_profile(parts, std::filesystem::path(vectors) / "models"));
  }
}

struct ListOptions {
  std::string what = "cases";
  std::string vectors = default_vectors().string();
  ProfileFlags profile;
};

int list(const ListOptions& options) {
  const std::string profile = options.profile.argument();
  if (options.what != "profiles" && !profile.empty()) {
    throw std::invalid_argument(profile.substr(1) +
                                ": is for `list profiles` alone");
  }
  if (options.what == "coverage") return list_coverage(options.vectors);
  if (options.what == "kernels") {
    list_kernels();
  } else if (options.what == "models") {
    list_models(options.vectors);
  } else if (options.what == "profiles") {
    list_profiles(options.vectors, options.profile);
  } else if (options.what == "encodings") {
#ifdef ROPEPROOF_MAINTENANCE
    list_encodings();
#else
    throw not_in_this_build("list encodings");
#endif
  } else if (options.what == "checksums") {
    list_checksums(options.vectors);
  } else if (options.what == "tolerances") {
    std::cout << judge::tolerance_text();
  } else {
    list_cases(options.vectors);
  }
  return 0;
}

}  // namespace

Command add_list(CLI::App& app) {
  auto options = std::make_shared<ListOptions>();
  CLI::App* command = app.add_subcommand(
      "list",
      "list the cases, their coverage, builtin kernels, models, profiles, "
      "tolerances or encodings");
  command
      ->add_option("what", options->what,
                   "cases (default), coverage, kernels, models, profiles, "
                   "tolerances, encodings beside RoPE and their properties, or "
                   "checksums of the cases for readers of the "
                   "vectors")
      ->check(
          CLI::IsMember({"cases", "coverage", "kernels", "models", "profiles",
                         "tolerances", "encodings", "checksums"}));
  command->add_option("--vectors", options->vectors, "folder of vectors");
  options->profile.add_flags(*command, {});
  return {command, [options] { return list(*options); }};
}

}  // namespace ropeproof::tools
