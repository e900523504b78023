#include "conformance/models/config.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "conformance/models/config_keys.h"
#include "conformance/models/config_parts.h"
#include "conformance/models/config_reader.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::models {
namespace {

using nlohmann::json;

bool speaks_of_rope(const json& config) {
  return std::ranges::any_of(config.items(), [](const auto& item) {
    return decides_rope(item.key());
  });
}

// "git" is the type of GitModel and not of Grok1ForCausalLM.
bool names_other_class(const TypedConfig& model) {
  const json* names = model.object.find("architectures");
  if (names == nullptr || !names->is_array()) return false;
  const auto letters = [](const std::string& name) {
    std::string kept;
    for (const char c : name) {
      if (std::isalnum(static_cast<unsigned char>(c)) == 0) continue;
      kept += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return kept;
  };
  return std::ranges::any_of(*names, [&](const json& name) {
    return name.is_string() &&
           !letters(name.get<std::string>()).starts_with(letters(model.type));
  });
}

// What a configuration says of one of its models.
PartRopes read_part(const TypedConfig& model, const ConfigOptions& options) {
  const std::string type = model.type.empty() ? "the model" : model.type;
  PartRopes result{model.where(), model.type, {}, {}};
  std::set<std::string>& used = model.notes->defaults;
  used.clear();
  if (const auto words = why_no_rope(model)) {
    result.facts = {type + " has no RoPE: " + *words};
    return result;
  }
  if (const json* words = model.field("refused")) {
    model.object.fail(type + " has " + words->get<std::string>());
  }
  if (const json* only = model.field("only")) {
    for (const auto& [key, wanted] : only->items()) {
      const json* value = model.object.find(key);
      if (value != nullptr && *value != wanted) {
        model.object.refuse(key, wanted.dump() +
                                     ", as the table of model "
                                     "types knows " +
                                     type);
      }
    }
  }
  result.ropes = read_ropes(model, options);
  const WithoutRope without = layers_without_rope(model);
  if (without.is_all) {
    result.ropes.clear();
    result.facts = {type + " has no RoPE: " + without.words};
    return result;
  }
  if (!without.words.empty()) result.facts.push_back(without.words);
  if (const json* note = model.field("note")) result.facts.push_back(*note);
  const bool reads_interleaved =
      std::ranges::any_of(result.ropes, [](const ModelRope& rope) {
        return rope.spec.layout.pairing == reference::Pairing::kInterleaved;
      });
  if (model.field("writes") != nullptr && reads_interleaved) {
    result.facts.push_back(
        "its own function (" + model.field("source")->get<std::string>() +
        ") writes the rotated pairs half_split, engines leave them in place; "
        "q.k is the same. A port of that function: --pairing "
        "interleaved_to_half");
  }
  if (const json* tensor = model.field("learned_factors")) {
    result.facts.push_back(
        "each frequency is multiplied by a factor of its own, exp of " +
        tensor->get<std::string>() + " in the checkpoint" +
        (model.object.has("pair_factors") ? "" : "; add it as pair_factors"));
  }
  if (!used.empty()) {
    result.facts.push_back("absent from the file, as the class of " + type +
                           " has them: " + text::joined(used, ", "));
  }
  return result;
}

// The smaller heads beside attention that choose what it reads: they turn by
// the angles of its layers, or of those of one kind.
void add_indexer(const TypedConfig& model, const PartRopes& told,
                 std::vector<PartRopes>& others) {
  const json* entry = model.field("indexer");
  if (entry == nullptr) return;
  const auto d = first_value(model.object, entry->at("head_dim"));
  if (!d) return;
  PartRopes indexer{model.object.path("indexer"), told.type, {}, {}};
  const std::string layers = entry->value("layers", "");
  for (ModelRope rope : told.ropes) {
    if (!layers.empty() && rope.layers != layers) continue;
    const std::int64_t r = rope.spec.layout.rotary_dim;
    const auto pairing = text::find_word(
        text::kPairingWords, entry->at("pairing").get<std::string>());
    rope.spec.layout =
        (entry->contains("window") ? reference::trailing : reference::leading)(
            static_cast<std::int64_t>(*d), r, pairing.value());
    rope.pairing_source = "indexer of model_type " + model.type;
    rope.score_scale.reset();
    check_rope(rope, model.object.file());
    indexer.ropes.push_back(std::move(rope));
  }
  if (!indexer.ropes.empty()) others.push_back(std::move(indexer));
}

// The words of an error, without the file that it names first.
std::string words_of(const ConfigError& error, const TypedConfig& model) {
  const std::string words = error.what(), file = model.object.file() + ": ";
  return words.starts_with(file) ? words.substr(file.size()) : words;
}

// The model that a file is about. Of an unknown type an error says so first,
// and what is taken for granted is told.
PartRopes read_first(const TypedConfig& model, const ConfigOptions& options) {
  if (model.entry != nullptr || model.type.empty()) {
    return read_part(model, options);
  }
  const std::string type = "model_type " + model.type + " is not known";
  try {
    PartRopes result = read_part(model, options);
    result.facts.push_back(type +
                           "; assumed: the first channels of a head rotate, "
                           "positions have one axis, all layers that the file "
                           "does not tell apart are alike, latent attention "
                           "rotates the last channels");
    return result;
  } catch (const ConfigError& error) {
    throw ConfigError(model.object.file() + ": " + type + ", and " +
                      words_of(error, model));
  }
}

// A part beside the text model: what is not known of it is said.
PartRopes read_other(const TypedConfig& model, const ConfigOptions& options) {
  PartRopes result{model.where(), model.type, {}, {}};
  if (model.entry == nullptr) {
    result.facts = {"not told: " +
                    (model.type.empty()
                         ? "it has no model_type"
                         : "model_type " + model.type + " is not known")};
    return result;
  }
  try {
    return read_part(model, options);
  } catch (const ConfigError& error) {
    result.facts = {"not told: " + words_of(error, model)};
    return result;
  }
}

}  // namespace

ConfigRopes ropes_of_config(const json& document, const std::string& file,
                            const ConfigOptions& options) {
  const std::vector<TypedConfig> models =
      models_of(document, file, options.types);
  const TypedConfig& model = models.front();
  const std::string type = model.type.empty() ? "the model" : model.type;
  const bool is_known = model.entry != nullptr;
  if (model.object.has("_class_name") && !is_known) {
    model.object.fail("is of " + type +
                      ", a class of diffusers that is not known; `ropeproof "
                      "list models` has the usual models");
  }
  if (model.type.empty() && !speaks_of_rope(model.object.node())) {
    model.object.fail(
        "says nothing of a RoPE; expected model_type, or "
        "rope_theta, rope_scaling or rope_parameters");
  }
  ConfigRopes result{read_first(model, options), {}, ""};
  add_indexer(model, result, result.others);
  for (std::size_t i = 1; i < models.size(); ++i) {
    ConfigOptions own = options;
    own.pairing.reset();
    own.seq_len = 0;
    result.others.push_back(read_other(models[i], own));
  }
  const std::string keys = printable(text::joined(
      unread_keys(document, model.object.where(), model.notes->read), ", "));
  if (!keys.empty()) {
    result.facts.push_back("not read" +
                           (is_known ? std::string(", as by the class of ")
                                     : ", and may decide the RoPE of ") +
                           type + ": " + keys);
    if (!is_known) {
      result.doubt = file + ": nobody knows what " + type + " does with " +
                     keys + "; remove what does not change its RoPE";
    }
  }
  const bool has_code = model.object.has("auto_map");
  // A class without RoPE says nothing of other code that reads such keys.
  const json* none = model.field("none");
  const bool is_doubtful = none != nullptr && why_no_rope(model) == *none &&
                           !keys.empty() &&
                           (has_code || names_other_class(model));
  if (is_known && (has_code || is_doubtful)) {
    result.facts.push_back(
        "the file names code of its own (" +
        std::string(has_code ? "auto_map" : "architectures") + "); told is " +
        model.field("source")->get<std::string>());
    if (is_doubtful) {
      result.facts.front() =
          "it is not known whether the model has a RoPE: its own code may "
          "read " +
          keys + ", and the class of " + type + " does not";
      result.doubt = file + ": " + result.facts.front();
    }
  }
  return result;
}

}  // namespace ropeproof::conformance::models
