#include "conformance/models/preset.h"

#include <algorithm>
#include <system_error>

#include "conformance/models/plain_rope.h"
#include "conformance/text/file.h"
#include "conformance/text/sha256.h"
#include "conformance/text/strict_json.h"
#include "conformance/text/words.h"

namespace ropeproof::conformance::models {
namespace {

namespace fs = std::filesystem;

bool is_preset_id(const std::string& id) {
  return !id.empty() && id != "schema" && std::ranges::all_of(id, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.';
  });
}

Model load_preset(const fs::path& path, const ConfigOptions& options) {
  return read_preset(text::read_file(path), path.string(), options);
}

}  // namespace

Model read_preset(const std::string& text, const std::string& file,
                  const ConfigOptions& given) {
  try {
    const nlohmann::json document = text::parse_json(text, file);
    text::StrictObject preset(document, file);
    Model model;
    model.id = preset.text("id");
    model.title = preset.text("title");
    model.confirmed = preset.flag("confirmed");
    model.sources = preset.texts("sources");
    if (model.sources.size() < (model.confirmed ? 2 : 1)) {
      preset.fail("sources", "expected one, or two of a confirmed preset");
    }
    if (preset.find("note") != nullptr) model.note = preset.text("note");

    ConfigOptions options = given;
    const auto pairing = preset.word("pairing", text::kPairingWords);
    if (!options.pairing) {
      options.pairing = pairing;
      options.pairing_source = "preset";
    }
    options.allow_missing_lists = preset.find("missing") != nullptr;

    const nlohmann::json* config = preset.find("config");
    const nlohmann::json* rope = preset.find("rope");
    if ((config == nullptr) == (rope == nullptr)) {
      preset.fail("config", "expected it, or else rope");
    }
    model.ropes =
        config != nullptr
            ? ropes_of_config(*config, file + ": config", options)
            : std::vector{plain_rope(*rope, file + ": rope", options)};
    preset.finish();
    const bool is_complete = std::ranges::all_of(
        model.ropes, [](const auto& r) { return r.has_frequencies; });
    if (options.allow_missing_lists && (is_complete || model.confirmed)) {
      preset.fail("missing",
                  "expected only where a list is missing, and not "
                  "in a confirmed preset");
    }
    return model;
  } catch (const ConfigError& error) {
    throw text::FileError(error.what());
  }
}

std::optional<Model> find_preset(const fs::path& directory,
                                 const std::string& id,
                                 const ConfigOptions& options) {
  const fs::path path = directory / (id + ".json");
  if (!is_preset_id(id) || !fs::exists(path)) return {};
  return load_preset(path, options);
}

std::vector<Model> load_presets(const fs::path& directory) {
  std::error_code error;
  std::vector<Model> models;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    const fs::path& path = entry.path();
    if (path.extension() != ".json" || path.stem() == "schema") continue;
    models.push_back(load_preset(path, {}));
    if (path.stem() != models.back().id) {
      throw text::FileError(path.string() + ": has the id \"" +
                            models.back().id + "\"; expected that of its name");
    }
  }
  if (error) {
    throw text::FileError(directory.string() +
                          ": cannot be read: " + error.message());
  }
  std::ranges::sort(models, {}, &Model::id);
  return models;
}

Model read_config_file(const fs::path& path, const ConfigOptions& options) {
  std::string text;
  try {
    text = text::read_file(path);
  } catch (const text::FileError& error) {
    throw ConfigError(error.what());
  }
  Model model;
  model.id = path.string();
  model.sha256 = text::sha256(text);
  model.ropes = ropes_of_config(text, path.string(), options);
  return model;
}

}  // namespace ropeproof::conformance::models
