// ropeproof list models, ropeproof show MODEL: the presets of vectors/models/,
// and any config.json.
#include <fstream>
#include <iostream>
#include <optional>
#include <stdexcept>

#include "conformance/corpus/words.h"
#include "conformance/models/model_text.h"
#include "conformance/models/preset.h"
#include "conformance/models/spectrum_svg.h"
#include "tools/commands.h"

namespace ropeproof::tools {
namespace {

namespace fs = std::filesystem;

bool is_path(const std::string& name) {
  return name.find('/') != std::string::npos || name.ends_with(".json");
}

conformance::ConfigOptions options_of(const ModelFlags& flags) {
  conformance::ConfigOptions options;
  options.seq_len = flags.seq_len;
  if (flags.pairing.empty()) return options;
  options.pairing =
      conformance::find_word(conformance::kPairingWords, flags.pairing);
  options.pairing_source = "--pairing";
  if (!options.pairing) {
    throw std::invalid_argument(
        "--pairing is \"" + flags.pairing + "\"; expected " +
        conformance::list_words(conformance::kPairingWords));
  }
  return options;
}

void write_svg(const conformance::Model& model, const std::string& path) {
  const std::string svg = conformance::spectrum_svg(model);
  std::ofstream file(path, std::ios::binary);
  file << svg;
  file.close();
  if (!file) throw std::invalid_argument(path + " cannot be written");
}

}  // namespace

void list_models(const fs::path& vectors) {
  conformance::print_models(std::cout,
                            conformance::load_presets(vectors / "models"));
}

bool show_model(const std::string& name, const fs::path& vectors,
                const ModelFlags& flags) {
  const conformance::ConfigOptions options = options_of(flags);
  std::optional<conformance::Model> model;
  if (is_path(name)) {
    model = conformance::read_config_file(name, options);
  } else {
    model = conformance::find_preset(vectors / "models", name, options);
  }
  if (!model) return false;
  if (!flags.svg.empty()) write_svg(*model, flags.svg);
  conformance::print_model(std::cout, *model);
  return true;
}

}  // namespace ropeproof::tools
