#include "conformance/models/model_types.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "conformance/models/config_keys.h"
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
                  const json* entry, const std::shared_ptr<Notes>& notes) {
  return {object.with_aliases(member(entry, "aliases"))
              .with_defaults(member(entry, "defaults"), notes),
          type, entry, notes};
}

// One file while its models are looked for.
class Finder {
 public:
  Finder(const json& document, const std::string& file, const ModelTypes& types)
      : types_(types) {
    add(typed({document, file, ""}, ""));
  }

  std::vector<TypedConfig> take() { return std::move(models_); }

 private:
  // By its own class of diffusers, or model_type, where the table has it, else
  // by what surrounds it.
  TypedConfig typed(const ConfigObject& object,
                    const std::string& fallback) const {
    const char* key = object.has("_class_name") ? "_class_name" : "model_type";
    const std::string own = printable(object.text(key).value_or(""));
    const bool is_own = entry_of(types_, own) != nullptr || fallback.empty();
    return of_type(object, is_own ? own : fallback);
  }

  TypedConfig of_type(const ConfigObject& object,
                      const std::string& type) const {
    return models::typed(object, type, entry_of(types_, type), notes_);
  }

  // Adds the text model of `root`, and the parts beside it on each level.
  void add(const TypedConfig& root) {
    std::vector<std::pair<TypedConfig, std::string>> levels;
    TypedConfig model = root;
    for (int depth = 0; depth < 8; ++depth) {
      std::string key, type, absent;
      if (const json* text = model.field("text")) {
        key = text->at("key");
        type = text->value("type", "");
        absent = text->value("usual", type);
      } else if (model.entry == nullptr) {
        for (const char* usual : kTextKeys) {
          const json* found = model.object.find(usual);
          if (key.empty() && found != nullptr && found->is_object()) {
            key = usual;
          }
        }
      }
      levels.emplace_back(model, key);
      if (key.empty()) break;
      const auto inner = model.object.object(key);
      // Version 4 kept the keys of the text model beside vision_config.
      if (inner && !inner->has("model_type")) type = absent;
      model = inner ? typed(*inner, type) : of_type(model.object, type);
      if (!inner) break;
    }
    models_.push_back(model);
    for (const auto& [level, inner] : levels) {
      if (const json* own = level.field("beside")) {
        models_.push_back(of_type(level.object, own->at("type")));
        models_.back().part = own->at("name");
      }
      for (const auto& [key, value] : level.object.node().items()) {
        if (key != inner && is_model(level, key, value)) add(part(level, key));
      }
    }
  }

  static bool is_model(const TypedConfig& around, const std::string& key,
                       const json& value) {
    if (!value.is_object()) return false;
    const json* parts = around.field("parts");
    return (parts != nullptr && parts->contains(key)) || describes_model(value);
  }

  // The class of a composite says of which type a part is, or the part itself.
  TypedConfig part(const TypedConfig& around, const std::string& key) const {
    const ConfigObject object = *around.object.object(key);
    const json* parts = around.field("parts");
    if (parts == nullptr || !parts->contains(key)) return typed(object, "");
    return of_type(object, parts->at(key));
  }

  const ModelTypes& types_;
  std::shared_ptr<Notes> notes_ = std::make_shared<Notes>();
  std::vector<TypedConfig> models_;
};

std::string value_words(const json& value) {
  return value.is_string() ? printable(value.get<std::string>()) : value.dump();
}

// What the file has for a key of the rope dictionary or, without it, of the
// model, also a null; or null.
const json* written(const ConfigObject& object, const std::string& key) {
  for (const char* name : {"rope_parameters", "rope_scaling"}) {
    const auto inner = object.node().find(name);
    if (inner != object.node().end() && inner->is_object() &&
        inner->contains(key)) {
      return &inner->at(key);
    }
  }
  return member(&object.node(), key);
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

bool TypedConfig::reads(const std::string& key) const {
  const json* defaults = field("defaults");
  const json* others = field("reads");
  const json* flags = field("nope_list");
  return entry == nullptr || (defaults && defaults->contains(key)) ||
         (others && std::ranges::find(*others, json(key)) != others->end()) ||
         (flags && *flags == key);
}

bool TypedConfig::leaves(const std::string& key) const {
  const json* unread = field("unread");
  return unread != nullptr &&
         std::ranges::find(*unread, json(key)) != unread->end();
}

TypedConfig TypedConfig::with_object(const json& node) const {
  return typed({node, object.file(), object.where()}, type, entry, notes);
}

std::vector<TypedConfig> models_of(const json& document,
                                   const std::string& file,
                                   const ModelTypes& types) {
  return Finder(document, file, types).take();
}

std::optional<std::string> why_no_rope(const TypedConfig& model) {
  if (const json* needs = model.field("needs")) {
    for (const auto& [key, wanted] : needs->items()) {
      const json* value = model.object.find(key);
      if (value == nullptr) return key + " is absent";
      if (value->type() != wanted.type()) {
        model.object.refuse(key, wanted.is_boolean()
                                     ? "true or false"
                                     : "a string, as " + wanted.dump());
      }
      if (*value != wanted) return key + " is " + value_words(*value);
    }
  }
  if (const json* off = model.field("off")) {
    for (const auto& [key, value] : off->items()) {
      const json* own = written(model.object, key);
      if (own != nullptr && *own == value) {
        return key + " is " + value_words(value);
      }
    }
  }
  if (const json* layers = model.field("recurrent")) {
    const std::string key = layers->at("list");
    const json* list = model.object.find(key);
    const std::string words = ", and so no layer has attention";
    if (list == nullptr) {
      if (layers->value("or_absent", false)) return key + " is absent" + words;
    } else if (list->is_array() &&
               std::ranges::all_of(*list, [&](const json& layer) {
                 return std::ranges::find(layers->at("names"), layer) !=
                        layers->at("names").end();
               })) {
      return key + " is " +
             (list->empty() ? "empty"
                            : value_words(list->front()) + " throughout") +
             words;
    }
  }
  const json* words = model.field("none");
  return words == nullptr ? std::nullopt
                          : std::optional(words->get<std::string>());
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

std::string printable(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

}  // namespace ropeproof::conformance::models
