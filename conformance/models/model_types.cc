#include "conformance/models/model_types.h"

#include <algorithm>
#include <cmath>

#include "conformance/text/file.h"
#include "conformance/text/format.h"
#include "conformance/text/strict_json.h"

namespace ropeproof::conformance::models {
namespace {

using nlohmann::json;

// Where the text model of an unknown composite stands, in this order.
constexpr const char* kTextKeys[] = {
    "thinker_config", "text_config", "llm_config",       "language_config",
    "language_model", "llm",         "text_model_config"};

const json* entry_of(const ModelTypes& types, const std::string& type) {
  if (!types) return nullptr;
  const auto found = types->at("types").find(type);
  return found == types->at("types").end() ? nullptr : &*found;
}

const json* member(const json* object, const std::string& key) {
  if (object == nullptr) return nullptr;
  const auto found = object->find(key);
  return found == object->end() ? nullptr : &*found;
}

TypedConfig typed(const ConfigObject& object, const std::string& type,
                  const json* entry) {
  const auto used = std::make_shared<std::set<std::string>>();
  return {object.with_defaults(member(entry, "defaults"), used), type, entry,
          used};
}

// By its own model_type, or class of diffusers, where the table has it, else by
// what surrounds it.
TypedConfig typed(const ConfigObject& object, const ModelTypes& types,
                  const std::string& fallback) {
  const char* key = object.has("model_type") ? "model_type" : "_class_name";
  const std::string own = printable(object.text(key).value_or(""));
  if (own.empty() || (entry_of(types, own) == nullptr && !fallback.empty())) {
    return typed(object, fallback, entry_of(types, fallback));
  }
  return typed(object, own, entry_of(types, own));
}

std::string value_words(const json& value) {
  return value.is_string() ? printable(value.get<std::string>()) : value.dump();
}

}  // namespace

ModelTypes load_types(const std::filesystem::path& models) {
  const auto path = models / "types" / "types.json";
  return std::make_shared<const json>(
      text::parse_json(text::read_file(path), path.string()));
}

const json* TypedConfig::field(const std::string& name) const {
  return member(entry, name);
}

const json* TypedConfig::formulas(const std::string& key) const {
  return member(field("keys"), key);
}

TypedConfig TypedConfig::with_object(const json& node) const {
  return {ConfigObject(node, object.file(), object.where())
              .with_defaults(field("defaults"), used),
          type, entry, used};
}

TypedConfig text_model(const json& document, const std::string& file,
                       const ModelTypes& types) {
  TypedConfig model = typed({document, file, ""}, types, "");
  for (int depth = 0; depth < 8; ++depth) {
    std::optional<ConfigObject> inner;
    std::string type;
    if (const json* text = model.field("text")) {
      inner = model.object.object(text->at("key"));
      type = text->value("type", "");
      // Version 4 kept the keys of the text model beside vision_config.
      if (!inner) return typed(model.object, type, entry_of(types, type));
    } else if (model.entry == nullptr) {
      for (const char* key : kTextKeys) {
        const json* found = model.object.find(key);
        if (!inner && found != nullptr && found->is_object()) {
          inner = model.object.object(key);
        }
      }
    }
    if (!inner) break;
    model = typed(*inner, types, type);
  }
  return model;
}

std::optional<std::string> why_no_rope(const TypedConfig& model) {
  if (const json* words = model.field("none")) return words->get<std::string>();
  const json* needs = model.field("needs");
  if (needs == nullptr) return {};
  for (const auto& [key, wanted] : needs->items()) {
    const json* value = model.object.find(key);
    const json given = value == nullptr ? json(nullptr) : *value;
    if (given == wanted) continue;
    return key +
           (value == nullptr ? " is absent" : " is " + value_words(given));
  }
  return {};
}

std::string layers_without_rope(const TypedConfig& model) {
  const ConfigObject& object = model.object;
  const auto count = object.integer("num_hidden_layers", 1, 100000);
  std::vector<std::int64_t> layers;
  json kinds = json::array();
  if (const json* known = model.field("nope_kinds")) kinds = *known;
  if (const json* key = model.field("nope_unless_null")) {
    const auto own = object.node().find(key->get<std::string>());
    if (own != object.node().end() && own->is_null()) kinds.clear();
  }
  if (const json* own = object.find_own("rope_parameters")) {
    for (const auto& [name, rope] : own->items()) {  // null: no RoPE
      if (rope.is_null() && !own->contains("rope_theta")) kinds.push_back(name);
    }
  }
  const auto types = object.text_list("layer_types");
  if (!kinds.empty() && types) {
    for (std::size_t i = 0; i < types->size(); ++i) {
      if (std::find(kinds.begin(), kinds.end(), (*types)[i]) != kinds.end()) {
        layers.push_back(static_cast<std::int64_t>(i));
      }
    }
  } else if (const json* key = model.field("nope_list");
             key != nullptr && object.has(*key)) {
    const json& flags = *object.find(*key);
    for (std::size_t i = 0; flags.is_array() && i < flags.size(); ++i) {
      const bool rotates = flags[i].is_number() && flags[i] != 0;
      if (!rotates) layers.push_back(static_cast<std::int64_t>(i));
    }
  } else if (const json* every = model.field("nope_every"); every && count) {
    const auto step = first_value(object, *every);
    const bool is_from_end = model.field("nope_from_end") != nullptr;
    for (std::int64_t i = 1; step && *step >= 1 && i <= *count; ++i) {
      const std::int64_t counted = is_from_end ? *count - i : i;
      if (counted % static_cast<std::int64_t>(*step) == 0) {
        layers.push_back(i - 1);
      }
    }
  } else if (!kinds.empty()) {
    return "the layers " + printable(kinds[0].get<std::string>());
  }
  return layers.empty() ? "" : layer_words(layers);
}

std::optional<double> first_value(const ConfigObject& object,
                                  const json& formulas) {
  constexpr Accepted kAny{0, true, 1e15, "a number > 0"};
  for (const json& formula : formulas) {
    const std::string text = formula;
    if (const auto number = text::parse_integer(text)) {
      return static_cast<double>(*number);
    }
    const std::size_t at = text.find_first_of("+*/");
    const auto left = object.number(text.substr(0, at), kAny);
    if (!left || at == std::string::npos) {
      if (left) return left;
      continue;
    }
    const auto right = object.number(text.substr(at + 1), kAny);
    if (!right) continue;
    if (text[at] == '+') return *left + *right;
    return text[at] == '*' ? std::floor(*left * *right)
                           : std::floor(*left / *right);
  }
  return {};
}

std::string layer_words(const std::vector<std::int64_t>& layers) {
  std::string words = layers.size() == 1 ? "layer" : "layers";
  for (std::size_t i = 0; i < layers.size(); ++i) {
    words += (i == 0 ? " " : ", ") + std::to_string(layers[i]);
  }
  return words;
}

std::string printable(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

}  // namespace ropeproof::conformance::models
