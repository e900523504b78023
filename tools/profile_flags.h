// profile_flags.h -- what is asked: cases, and the model to be served.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "conformance/cases/corpus.h"
#include "conformance/check/runner.h"
#include "conformance/models/profiles.h"
#include "conformance/text/word_tables.h"
#include "tools/rooms.h"

namespace ropeproof::tools {

// --profile; or --model or --config with --dtype, --positions, --heads,
// --layers, --pairing and --adjoint.
class ProfileFlags {
 public:
  // `others` are flags that say in another way what is asked.
  void add_flags(CLI::App& command, const std::vector<CLI::Option*>& others);
  // The profiles, one per kind of layers; none without flags. `vectors` holds
  // the presets. Throws std::invalid_argument.
  std::vector<models::Profile> read(const std::filesystem::path& vectors) const;
  // Puts the profiles' cases, proved, in place of the corpus, and what a run
  // knows of it into `selection`. Without flags nothing changes.
  void apply(const std::filesystem::path& vectors, cases::Corpus& corpus,
             check::Selection& selection) const;
  // " --profile llama3-f32-128k", as the user typed it; empty without flags.
  std::string argument() const;
  // The config.json, if there is one.
  std::vector<std::filesystem::path> inputs() const;

 private:
  models::ProfileParts parts() const;

  std::optional<std::string> profile_, model_, config_, dtype_, heads_, layers_,
      pairing_;
  std::optional<std::int64_t> positions_;
  bool is_adjoint_ = false;
};

// The value of a word that was given to `flag`. Throws std::invalid_argument.
template <class Words>
auto parse_word(const char* flag, const Words& words, const std::string& text) {
  const auto value = text::find_word(words, text);
  if (!value) {
    throw std::invalid_argument(std::string(flag) + " is \"" + text +
                                "\"; expected " + text::list_words(words));
  }
  return *value;
}

// --case, --operation and --decline.
void add_case_flags(CLI::App& command, check::Selection& selection);

}  // namespace ropeproof::tools
