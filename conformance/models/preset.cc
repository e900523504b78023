#include "conformance/models/preset.h"

#include <algorithm>
#include <string_view>
#include <system_error>

#include "conformance/models/axis_schemes.h"
#include "conformance/models/config_object.h"
#include "conformance/text/file.h"
#include "conformance/text/sha256.h"
#include "conformance/text/strict_json.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::models {
namespace {

namespace fs = std::filesystem;
// A rope in words of our own: image and video models.
// vectors/models/schema.json has its members; the schemes are those of
// reference/schemes.h. `where` names the object in errors; options.pairing is
// there. Throws ConfigError.
ModelRope plain_rope(const nlohmann::json& node, const std::string& where,
                     const ConfigOptions& options) {
  const ConfigObject object(node, where, "");
  object.allow_only({"head_dim", "rotary_dim", "rotary_offset", "base",
                     "context_length", "axes"},
                    "rope");
  ModelRope rope;
  reference::Layout& layout = rope.spec.layout;
  layout.head_dim = object.need_integer("head_dim", 2, reference::kMaxHeadDim);
  layout.rotary_dim = object.integer("rotary_dim", 2, layout.head_dim)
                          .value_or(layout.head_dim);
  layout.rotary_offset =
      object.integer("rotary_offset", 0, layout.head_dim).value_or(0);
  layout.pairing = options.pairing.value_or(reference::Pairing::kHalfSplit);
  rope.pairing_source = options.pairing_source;
  rope.spec.frequencies.base = object.need_number("base", kPositive);
  rope.context_length =
      object.integer("context_length", 1, reference::kMaxPosition).value_or(0);
  if (const auto axes = object.object("axes")) {
    if (layout.rotary_dim % 2 != 0) object.refuse("rotary_dim", "even");
    set_axes(*axes, rope);
  }
  check_rope(rope, where);
  return rope;
}

bool is_preset_id(const std::string& id) {
  return !id.empty() && id != "schema" && std::ranges::all_of(id, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.';
  });
}

Model load_preset(const fs::path& path, const ConfigOptions& options) {
  return read_preset(text::read_file(path), path.string(), options);
}

// Python writes Infinity and NaN. As strings they are refused only where they
// matter.
std::string with_python_numbers(const std::string& text) {
  std::string result;
  bool is_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string_view token = std::string_view(text).substr(i, 1);
    if (is_string && text[i] == '\\')
      token = {&text[i], i + 1 < text.size() ? 2u : 1u};
    if (text[i] == '"') is_string = !is_string;
    for (const std::string_view word : {"Infinity", "-Infinity", "NaN"}) {
      if (!is_string && text.compare(i, word.size(), word) == 0) token = word;
    }
    result +=
        token.size() > 2 ? '"' + std::string(token) + '"' : std::string(token);
    i += token.size() - 1;
  }
  return result;
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
    if (config != nullptr) {
      model.set(ropes_of_config(*config, file + ": config", options));
    } else {
      model.ropes = {plain_rope(*rope, file + ": rope", options)};
    }
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
  ConfigOptions with_types = options;
  with_types.types = load_types(directory);
  return load_preset(path, with_types);
}

std::vector<Model> load_presets(const fs::path& directory) {
  std::error_code error;
  std::vector<Model> models;
  ConfigOptions options;
  options.types = load_types(directory);
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    const fs::path& path = entry.path();
    if (path.extension() != ".json" || path.stem() == "schema") continue;
    models.push_back(load_preset(path, options));
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

Model read_config(const std::string& text, const std::string& name,
                  const ConfigOptions& options) {
  Model model;
  model.id = name;
  try {
    model.sha256 = text::sha256(text);
    model.set(
        ropes_of_config(text::parse_json(with_python_numbers(text), model.id),
                        model.id, options));
  } catch (const text::FileError& error) {
    throw ConfigError(error.what());
  }
  return model;
}

Model read_config_file(const fs::path& path, const ConfigOptions& options) {
  try {
    return read_config(text::read_file(path), path.string(), options);
  } catch (const text::FileError& error) {
    throw ConfigError(error.what());
  }
}

std::vector<std::pair<std::string, const ModelRope*>> named_ropes(
    const Model& model) {
  std::vector<std::pair<std::string, const ModelRope*>> named;
  for (const ModelRope& rope : model.ropes) {
    named.emplace_back(rope.layers, &rope);
  }
  for (const PartRopes& part : model.others) {
    for (const ModelRope& rope : part.ropes) {
      const std::string dot = rope.layers.empty() ? "" : ".";
      named.emplace_back(part.where + dot + rope.layers, &rope);
    }
  }
  return named;
}

const ModelRope& rope_named(const Model& model, const std::string& layers) {
  std::string names;
  for (const auto& [name, rope] : named_ropes(model)) {
    if (name == layers) return *rope;
    if (!name.empty()) names += (names.empty() ? "" : " or ") + name;
  }
  if (!layers.empty()) {
    throw std::invalid_argument(
        model.id + " has no layers \"" + layers + "\"; " +
        (names.empty() ? "leave out layers" : "expected " + names));
  }
  const std::string choice = names.empty() ? "" : "; choose by layers " + names;
  throw std::invalid_argument(
      !model.ropes.empty() ? model.id + " has several kinds of layers" + choice
                           : (model.facts.empty() ? "the model has no RoPE"
                                                  : model.facts.front()) +
                                 choice);
}

}  // namespace ropeproof::conformance::models
