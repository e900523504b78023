// ropeproof list models, ropeproof show MODEL: the presets of vectors/models/,
// and any config.json.
#include <iostream>
#include <optional>
#include <system_error>

#include "conformance/models/model_text.h"
#include "conformance/models/preset.h"
#include "conformance/models/spectrum_svg.h"
#include "conformance/text/word_tables.h"
#include "tools/commands.h"
#include "tools/output_file.h"
#include "tools/profile_flags.h"

namespace ropeproof::tools {
namespace {

namespace fs = std::filesystem;

bool is_path(const std::string& name) {
  return name.find('/') != std::string::npos || name.ends_with(".json");
}

models::ConfigOptions options_of(const ModelFlags& flags) {
  models::ConfigOptions options;
  options.seq_len = flags.seq_len;
  if (flags.pairing.empty()) return options;
  options.pairing = parse_word("--pairing", text::kPairingWords, flags.pairing);
  options.pairing_source = "--pairing";
  return options;
}

}  // namespace

void list_models(const fs::path& vectors) {
  models::print_models(std::cout, models::load_presets(vectors / "models"));
}

bool show_model(const std::string& name, const fs::path& vectors,
                const ModelFlags& flags) {
  const models::ConfigOptions options = options_of(flags);
  std::optional<models::Model> model;
  const fs::path path = name, presets = vectors / "models";
  std::error_code not_there;
  const bool is_preset = fs::equivalent(path.parent_path(), presets, not_there);
  if (is_path(name) && !is_preset) {
    auto with_types = options;
    with_types.types = models::load_types(presets);
    model = models::read_config_file(name, with_types);
  } else {
    model = models::find_preset(
        presets, is_preset ? path.stem().string() : name, options);
  }
  if (!model) return false;
  if (!flags.svg.empty()) {
    if (model->ropes.empty()) {
      throw std::invalid_argument("no picture: " + model->facts.front());
    }
    OutputFile("--svg", flags.svg, {name, vectors})
        .write(models::spectrum_svg(*model));
  }
  if (flags.json) {
    models::print_json(std::cout, *model);
  } else {
    models::print_model(std::cout, *model);
  }
  return true;
}

}  // namespace ropeproof::tools
