#include <algorithm>
#include <map>
#include <set>

#include "conformance/models/config_keys.h"
#include "conformance/models/config_parts.h"
#include "conformance/text/format.h"

namespace ropeproof::conformance::models {
namespace {

using nlohmann::json;

constexpr std::int64_t kMaxLayers = 100000;

template <class IsRight>
void check_list(const ConfigObject& object, const std::string& key,
                const std::string& expected, const IsRight& is_right) {
  const json* list = object.find_own(key);
  if (list == nullptr) return;
  if (!list->is_array() || !std::ranges::all_of(*list, is_right)) {
    object.refuse(key, "a list of " + expected);
  }
  if (object.find_own("num_hidden_layers") == nullptr || list->empty()) return;
  const auto count = object.need_integer("num_hidden_layers", 1, kMaxLayers);
  // Layers that predict further tokens stand behind the others.
  const std::int64_t more =
      object.integer("num_nextn_predict_layers", 0, kMaxLayers).value_or(0);
  const auto size = static_cast<std::int64_t>(list->size());
  if (size == count || size == count + more) return;
  object.fail(object.path(key) + " has " + std::to_string(size) +
              " entries; expected " + std::to_string(count) +
              ", one for each layer");
}

bool is_flag(const json& item) {
  return item.is_boolean() || item == 0 || item == 1;
}

bool is_index(const json& item) {
  return item.is_number_integer() && item >= 0 && item < kMaxLayers;
}

bool is_base(const json& item) {
  return item.is_null() || (item.is_number() && item >= 0);
}

bool is_fraction(const json& item) {
  return item.is_number() && item > 0 && item <= 1;
}

bool is_text(const json& item) { return item.is_string(); }
bool is_object(const json& item) { return item.is_object(); }

bool decides_width(const std::string& key) {
  return key == "head_dim" || key == "hidden_size" ||
         key == "num_attention_heads";
}

// What per_layer_config says of the RoPE of a layer otherwise than the model.
json own_of_layer(const ConfigObject& model, const json& layer) {
  json own = json::object();
  for (const auto& [key, value] : layer.items()) {
    const json* usual = model.find(key);
    const bool is_usual = usual != nullptr && *usual == value;
    if ((decides_width(key) || decides_rope(key)) && !is_usual) {
      own[key] = value;
    }
  }
  return own;
}

// Layers of a kind must have one RoPE: those of one type, where the table names
// kinds, else all.
void check_per_layer(const TypedConfig& model) {
  const ConfigObject& object = model.object;
  const auto layers = object.object("per_layer_config");
  if (!layers) return;
  const auto types = object.text_list("layer_types");
  const std::int64_t count =
      types ? static_cast<std::int64_t>(types->size())
            : object.integer("num_hidden_layers", 1, kMaxLayers)
                  .value_or(kMaxLayers);
  std::map<std::int64_t, json> own;
  for (const auto& [index, keys] : layers->node().items()) {
    const auto layer = text::parse_integer(index);
    if (!layer || *layer < 0 || *layer >= count) {
      object.fail(layers->path(index) + " is for no layer; expected 0 .. " +
                  std::to_string(count - 1));
    }
    own[*layer] = own_of_layer(object, layers->object(index)->node());
  }
  const bool has_kinds = model.field("kinds") != nullptr && types;
  std::map<std::string, json> of_kind;
  if (!has_kinds) of_kind[""] = json::object();
  for (std::int64_t i = 0; i < (has_kinds ? count : 0); ++i) {
    own.try_emplace(i, json::object());
  }
  for (const auto& [layer, keys] : own) {
    const std::string kind =
        has_kinds ? (*types)[static_cast<std::size_t>(layer)] : "";
    const json& wanted = of_kind.try_emplace(kind, keys).first->second;
    if (keys == wanted) continue;
    object.fail(layers->path(std::to_string(layer)) + " has " + keys.dump() +
                " for its RoPE, other layers " +
                (kind.empty() ? "" : "of " + printable(kind) + " ") +
                wanted.dump() + "; expected one RoPE for them");
  }
}

// The names of layer types without RoPE.
std::set<std::string> kinds_without(const TypedConfig& model) {
  std::set<std::string> kinds;
  if (const json* known = model.field("nope_kinds")) {
    kinds = known->get<std::set<std::string>>();
  }
  if (const json* key = model.field("nope_unless_null")) {
    const auto own = model.object.node().find(key->get<std::string>());
    if (own != model.object.node().end() && own->is_null()) kinds.clear();
  }
  if (const json* own = model.object.find_own("rope_parameters");
      own != nullptr && own->is_object() &&
      std::ranges::any_of(*own, is_object)) {
    for (const auto& [name, rope] : own->items()) {
      if (rope.is_null()) kinds.insert(name);
    }
  }
  return kinds;
}

// Whether a layer turns though its type does not: where a key of the
// configuration has some value, those with another value in a second list, or
// the first few.
bool turns_all_the_same(const TypedConfig& model, std::size_t layer) {
  const json* but = model.field("nope_but");
  if (but == nullptr) return false;
  const json* found = model.object.find(but->at("where"));
  if (found == nullptr || *found != but->at("is")) return false;
  const auto list = model.object.text_list(but->at("list"));
  if (list && layer < list->size()) return (*list)[layer] == but->at("entry");
  const auto first = model.object.integer(but->at("first"), 0, kMaxLayers);
  return static_cast<std::int64_t>(layer) < first.value_or(0);
}

}  // namespace

void check_layer_lists(const TypedConfig& model) {
  const ConfigObject& object = model.object;
  check_list(object, "layer_types", "strings", is_text);
  for (const char* key : {"layer_rope_theta", "rope_theta"}) {
    const auto list = object.node().find(key);
    if (list == object.node().end() || !list->is_array()) continue;
    if (list->empty()) object.refuse(key, "a number > 0 for each layer");
    check_list(object, key, "numbers > 0, or 0 for a layer without", is_base);
    check_list(object, "partial_rotary_factors", "numbers > 0 and <= 1",
               is_fraction);
  }
  const json* flags = model.field("nope_list");
  if (flags != nullptr && *flags != "layer_rope_theta") {
    check_list(object, *flags, "0 and 1, one for each layer", is_flag);
  }
  if (const json* at = model.field("nope_at")) {
    const json* list = object.find(*at);
    if (!list->is_array() || !std::ranges::all_of(*list, is_index)) {
      object.refuse(*at, "a list of layers, from 0 on");
    }
  }
  check_per_layer(model);
}

WithoutRope layers_without_rope(const TypedConfig& model) {
  const ConfigObject& object = model.object;
  std::vector<std::int64_t> layers;
  std::int64_t count = 0;
  const std::set<std::string> kinds = kinds_without(model);
  const auto types = object.text_list("layer_types");
  const json* key = model.field("nope_list");
  const json* flags = key == nullptr ? nullptr : object.find(*key);
  if (!kinds.empty() && types) {
    count = static_cast<std::int64_t>(types->size());
    for (std::size_t i = 0; i < types->size(); ++i) {
      if (kinds.contains((*types)[i]) && !turns_all_the_same(model, i)) {
        layers.push_back(static_cast<std::int64_t>(i));
      }
    }
  } else if (flags != nullptr && !flags->empty()) {
    count = static_cast<std::int64_t>(flags->size());
    for (std::size_t i = 0; i < flags->size(); ++i) {
      const json& flag = (*flags)[i];
      if (flag.is_null() || flag == 0 || flag == false) {
        layers.push_back(static_cast<std::int64_t>(i));
      }
    }
  } else if (const json* at = model.field("nope_at")) {
    count = object.integer("num_hidden_layers", 1, kMaxLayers).value_or(0);
    for (const json& layer : *object.find(*at)) {
      if (layer < count) layers.push_back(layer.get<std::int64_t>());
    }
  } else if (const json* every = model.field("nope_every");
             every != nullptr &&
             (!kinds.empty() || !model.field("nope_kinds"))) {
    count = object.integer("num_hidden_layers", 1, kMaxLayers).value_or(0);
    const auto step = first_value(object, *every);
    const bool is_from_end = model.field("nope_from_end") != nullptr;
    for (std::int64_t i = 1; step && *step >= 1 && i <= count; ++i) {
      const std::int64_t counted = is_from_end ? count - i : i;
      if (counted % static_cast<std::int64_t>(*step) == 0) {
        layers.push_back(i - 1);
      }
    }
  } else if (!kinds.empty()) {
    const json* but = model.field("nope_but");
    return {"the layers " + printable(*kinds.begin()) +
                (but == nullptr
                     ? ""
                     : ", but for those that are " +
                           but->at("entry").get<std::string>() + " where " +
                           but->at("where").get<std::string>() + " is " +
                           but->at("is").dump() + ",") +
                " have no RoPE",
            false};
  }
  if (layers.empty()) return {};
  if (static_cast<std::int64_t>(layers.size()) == count) {
    return {"none of its layers has one", true};
  }
  return {layer_words(layers) + (layers.size() == 1 ? " has" : " have") +
              " no RoPE",
          false};
}

std::string layer_words(const std::vector<std::int64_t>& layers) {
  std::string words = layers.size() == 1 ? "layer" : "layers";
  for (std::size_t i = 0; i < layers.size(); ++i) {
    words += (i == 0 ? " " : ", ") + std::to_string(layers[i]);
  }
  return words;
}

}  // namespace ropeproof::conformance::models
