// preset.h -- the models of vectors/models/, one file each.
//
// A preset is data: the rope-relevant part of a model's config.json, or a rope
// in words of our own where no config.json has one, with its sources. A new
// model needs a file and no code.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/models/config.h"
#include "conformance/models/model_rope.h"

namespace ropeproof::conformance::models {

struct Model : ConfigRopes {
  std::string id;      // of a preset, or the path of a config.json
  std::string title;   // empty for a config.json
  std::string sha256;  // of a config.json
  // Whether at least two sources agree. A model that is not confirmed is for
  // looking at, not for judging by.
  bool confirmed = false;
  std::vector<std::string> sources;
  std::string note;

  void set(ConfigRopes read) {
    static_cast<ConfigRopes&>(*this) = std::move(read);
  }
};

// Reads the text of a preset file; `file` names it in errors. `options` may
// replace the pairing and the length. Throws FileError for a broken preset.
Model read_preset(const std::string& text, const std::string& file,
                  const ConfigOptions& options = {});

// Reads the preset `id`, if there is such a file in `directory`.
std::optional<Model> find_preset(const std::filesystem::path& directory,
                                 const std::string& id,
                                 const ConfigOptions& options = {});

// Reads all presets of `directory`, in the order of their ids.
std::vector<Model> load_presets(const std::filesystem::path& directory);

// Reads the text of a config.json as a model without sources; `name` stands for
// it in errors. Throws ConfigError.
Model read_config(const std::string& text, const std::string& name,
                  const ConfigOptions& options = {});

// Reads the file. Throws ConfigError.
Model read_config_file(const std::filesystem::path& path,
                       const ConfigOptions& options = {});

// The ropes of a model by the word that chooses one: of its layers,
// "full_attention"; of a part, "vision_config"; of layers of a part,
// "audio_config.full_attention". The word of the one rope of all layers is
// empty.
std::vector<std::pair<std::string, const ModelRope*>> named_ropes(
    const Model& model);

// Returns the rope that `layers` names. Throws std::invalid_argument, naming
// all.
const ModelRope& rope_named(const Model& model, const std::string& layers);

}  // namespace ropeproof::conformance::models
