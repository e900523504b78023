// model_types.h -- what only the code of a model class says: the table
// vectors/models/types/types.json, one entry per model_type.
//
// No code knows a model by name: a type that is not in the table is unknown,
// also where another one has a name like it.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "conformance/models/config_object.h"

namespace ropeproof::conformance::models {

using ModelTypes = std::shared_ptr<const nlohmann::json>;

// Reads the table of the folder vectors/models. Throws FileError.
ModelTypes load_types(const std::filesystem::path& models);

// The object of a configuration that describes the language model, and the
// type that says how to read it.
struct TypedConfig {
  ConfigObject object;
  std::string type;  // model_type; empty: none is given
  // The entry of the table; null: the type is unknown.
  const nlohmann::json* entry = nullptr;
  std::shared_ptr<Notes> notes = {};
  // The name of a part that has no object of its own in the file; or empty.
  std::string part = {};

  // Returns what the file, or the part of it, is told by.
  std::string where() const {
    return part.empty() ? object.where() : object.path(part);
  }
  // Returns the configuration of some layers, read by the same entry.
  TypedConfig with_object(const nlohmann::json& node) const;
  // Returns a field of the entry, or null.
  const nlohmann::json* field(const std::string& name) const;
  // Returns the formulas that the entry has for a key, or null.
  const nlohmann::json* formulas(const std::string& key) const;
  // Whether the class of the type reads a key that some classes have; of an
  // unknown type that is assumed.
  bool reads(const std::string& key) const;
  // Whether the class of the type leaves this key unread.
  bool leaves(const std::string& key) const;
};

// Returns the models that a file describes: first its text model, at any depth,
// then the others in the order of their keys, vision and audio towers too.
std::vector<TypedConfig> models_of(const nlohmann::json& document,
                                   const std::string& file,
                                   const ModelTypes& types);

// Returns why the whole model has no RoPE, if it has none: "learned positions",
// "alibi is true". Throws ConfigError where a key that decides it has a value
// of another type.
std::optional<std::string> why_no_rope(const TypedConfig& model);

// Returns the first of `formulas` whose keys the object has: an integer, a key,
// or two keys with + or * or / (which cuts) between them.
std::optional<double> first_value(const ConfigObject& object,
                                  const nlohmann::json& formulas);

// Returns the text without what a terminal would obey or hide.
std::string printable(std::string text);

}  // namespace ropeproof::conformance::models
