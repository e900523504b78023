// ropeproof generate: writes the vectors, or proves that they are what the
// reference gives.
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "conformance/cases/corpus.h"
#include "conformance/cover/arrays.h"
#include "conformance/cover/digest.h"
#include "conformance/cover/suite_model.h"
#include "conformance/plugin/description.h"
#include "conformance/text/file.h"
#include "reference/golden.h"
#include "tools/commands.h"

namespace ropeproof::tools {
namespace fs = std::filesystem;
namespace {

struct GenerateOptions {
  std::string vectors = default_vectors().string();
  std::string tier = "core";
  std::string out;  // empty: `vectors`
  bool check = false;
};

using Digests = std::map<std::string, std::string>;

// vectors/coverage/model.json is the program's: the rows that another program
// makes of it, and all that is formed of these, come after it. Returns whether
// it is what it should be; otherwise writes it, unless `is_check`.
bool has_model(const fs::path& vectors, bool is_check) {
  constexpr const char* kFile = "coverage/model.json";
  const std::string path = (vectors / kFile).string();
  const std::string model = cover::suite_model_json();
  if (text::read_whole(path) == model) return true;
  if (is_check) {
    std::cerr << "ropeproof: " << path
              << ": is not the program's; run `ropeproof generate`\n";
  } else {
    cases::write_corpus({{kFile, model}}, vectors);
    std::cerr << "ropeproof: wrote " << path
              << "; run tools/prove/cover.py, then this command again\n";
  }
  return false;
}

fs::path digests_path(const fs::path& vectors) {
  return vectors / "coverage" / "digests.txt";
}

// What is formed at run time is pinned by digests; those of the tier full,
// which take a minute, are computed where `is_full` says so.
Digests digests_of(const fs::path& vectors, bool is_full) {
  return cover::formed_digests(
      cover::load_arrays(vectors), plugin::everything("everything"),
      is_full ? cases::Tier::kFull : cases::Tier::kCore,
      reference::Oracle::kMpfi);
}

Digests pinned_digests(const fs::path& vectors) {
  const std::string path = digests_path(vectors).string();
  if (!fs::exists(path)) return {};
  return cover::read_digests(text::read_file(path), path);
}

// The kinds whose digest is not the pinned one.
std::vector<std::string> changed_kinds(const Digests& pinned,
                                       const Digests& digests) {
  std::vector<std::string> kinds;
  for (const auto& [kind, digest] : digests) {
    const auto found = pinned.find(kind);
    if (found == pinned.end() || found->second != digest) kinds.push_back(kind);
  }
  return kinds;
}

// The pinned ones, unless something has changed: then all.
Digests new_digests(const fs::path& vectors) {
  const Digests pinned = pinned_digests(vectors);
  const bool is_same =
      changed_kinds(pinned, digests_of(vectors, false)).empty();
  return is_same ? pinned : digests_of(vectors, true);
}

// A line for each digest that is not the reference's; 4 if there is one.
int check_digests(const fs::path& vectors, bool is_full) {
  const auto kinds =
      changed_kinds(pinned_digests(vectors), digests_of(vectors, is_full));
  for (const std::string& kind : kinds) {
    std::cerr << "ropeproof: " << digests_path(vectors).string()
              << ": the digest of " << kind
              << " is not that of the cases that are formed; run `ropeproof "
                 "generate`, if they were meant to change\n";
  }
  return kinds.empty() ? 0 : 4;
}

int generate(const GenerateOptions& options) {
  const auto tier = cases::parse_tier(options.tier);
  const bool is_full = tier == cases::Tier::kFull;
  if (is_full && options.out.empty()) {
    throw std::invalid_argument(
        "--tier full is too large to commit; name a folder with --out");
  }
  const bool has_formed = fs::exists(fs::path(options.vectors) / "coverage");
  if (has_formed && !has_model(options.vectors, options.check)) return 4;
  const std::string out = options.out.empty() ? options.vectors : options.out;
  if (!options.check && has_formed && options.out.empty()) {
    // Before the manifest, which has the digest of this file.
    cases::write_corpus({{"coverage/digests.txt",
                          cover::write_digests(new_digests(options.vectors))}},
                        out);
  }
  const cases::Files files = cases::generate_corpus(
      options.vectors, reference::Oracle::kMpfi, ROPEPROOF_VERSION, tier);
  if (!options.check) {
    cases::write_corpus(files, out);
    const fs::path coverage = fs::path(options.vectors) / "coverage";
    if (has_formed && !fs::equivalent(options.vectors, out)) {
      fs::copy(coverage, fs::path(out) / "coverage",
               fs::copy_options::overwrite_existing);
    }
    std::cout << "wrote " << files.size() << " files to " << out << "\n";
    return 0;
  }
  const auto differences = cases::compare_corpus(files, out);
  for (const std::string& line : differences) {
    std::cerr << "ropeproof: " << line << "\n";
  }
  if (!differences.empty()) return 4;
  if (has_formed) {
    const int status = check_digests(options.vectors, is_full);
    if (status != 0) return status;
  }
  std::cout << files.size() << " files regenerated, byte for byte the same\n";
  return 0;
}

}  // namespace

Command add_generate(CLI::App& app) {
  auto options = std::make_shared<GenerateOptions>();
  CLI::App* command = app.add_subcommand(
      "generate", "write the vectors from the reference (needs MPFI)");
  command->add_flag("--check", options->check,
                    "write nothing; exit 4 unless every byte is the same");
  command->add_option("--vectors", options->vectors,
                      "folder of vectors, with sources/");
  command
      ->add_option("--tier", options->tier,
                   "core (default), or full: core and 2,586 cases more")
      ->check(CLI::IsMember({"core", "full"}));
  command->add_option("--out", options->out,
                      "write to, or check, this folder instead");
  return {command, [options] { return generate(*options); }};
}

}  // namespace ropeproof::tools
