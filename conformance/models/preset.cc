#include "conformance/models/preset.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "conformance/models/config_object.h"
#include "conformance/text/file.h"
#include "conformance/text/sha256.h"
#include "conformance/text/strict_json.h"
#include "conformance/text/word_tables.h"
#include "reference/schemes.h"

namespace ropeproof::conformance::models {
namespace {

namespace fs = std::filesystem;
using reference::Axes;
using Sections = std::span<const std::int64_t>;

struct SectionScheme {
  std::string_view name;
  Axes (*axes)(Sections);
};
constexpr std::array<SectionScheme, 4> kSectionSchemes = {
    {{"contiguous_sections", reference::contiguous_sections},
     {"interleaved_sections", reference::interleaved_sections},
     {"round_robin_sections", reference::round_robin_sections},
     {"ernie_sections", reference::ernie_sections}}};

void set_scheme(const ConfigObject& axes, ModelRope& rope) {
  const std::string scheme = axes.text("scheme").value_or("");
  const std::int64_t pairs = rope.spec.layout.rotary_dim / 2;
  const std::size_t count = rope.axis_names.size();
  const auto sections = [&] {
    const auto of_axes = axes.sections("pairs", count, pairs);
    if (!of_axes) axes.missing("pairs", "a number of pairs per axis");
    return *of_axes;
  };
  const auto set = [&](const reference::Scheme& made) {
    rope.spec.axes = made.axes;
    rope.spec.frequencies.exponents = made.exponents;
  };
  if (scheme == "axial" || scheme == "axial_even_odd") {
    if (count != 2) axes.refuse("names", "two names");
    if (axes.has("pairs")) axes.refuse("pairs", "none: half for each axis");
    return set(reference::axial_2d(pairs, 0,
                                   scheme == "axial"
                                       ? reference::Spectrum::kShared
                                       : reference::Spectrum::kEvenOdd));
  }
  if (scheme == "blocks") {
    return set(reference::n_axis(sections()));
  }
  for (const SectionScheme& known : kSectionSchemes) {
    if (known.name != scheme) continue;
    rope.spec.axes = known.axes(sections());
    return;
  }
  constexpr const char* kSchemes =
      "blocks, axial, axial_even_odd, contiguous_sections, "
      "interleaved_sections, round_robin_sections or ernie_sections";
  if (!axes.has("scheme")) axes.missing("scheme", kSchemes);
  axes.refuse("scheme", kSchemes);
}

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
    axes->allow_only({"scheme", "names", "pairs", "weight"}, "axes");
    rope.axis_names =
        axes->text_list("names").value_or(std::vector<std::string>{});
    if (rope.axis_names.empty()) axes->missing("names", "a name per axis");
    if (layout.rotary_dim % 2 != 0) object.refuse("rotary_dim", "even");
    set_scheme(*axes, rope);
    if (const auto weight = axes->number("weight", kPositive)) {
      rope.spec.axes =
          reference::weighted(rope.spec.axes, layout.rotary_dim / 2, *weight);
    }
    if (layout.pairing == reference::Pairing::kNestedHalfSplit) {
      layout.blocks = rope.spec.axes.count;
    }
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
  Model model;
  model.id = path.string();
  try {
    const std::string text = text::read_file(path);
    model.sha256 = text::sha256(text);
    model.ropes =
        ropes_of_config(text::parse_json(text, model.id), model.id, options);
  } catch (const text::FileError& error) {
    throw ConfigError(error.what());
  }
  return model;
}

}  // namespace ropeproof::conformance::models
