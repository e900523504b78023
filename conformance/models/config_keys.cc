#include "conformance/models/config_keys.h"

#include <algorithm>

namespace ropeproof::conformance::models {
namespace {

using nlohmann::json;

constexpr const char* kWidths[] = {"hidden_size", "embed_dim", "d_model",
                                   "n_embd", "width"};
constexpr const char* kWords[] = {"rope",
                                  "rotary",
                                  "theta",
                                  "alibi",
                                  "yarn",
                                  "ntk",
                                  "dual_chunk",
                                  "mscale",
                                  "pos_emb",
                                  "position_embedding_type",
                                  "position_embeddings_type",
                                  "positional_embedding",
                                  "position_encoding"};
// Who reads these refuses what it does not know in them.
constexpr const char* kDictionaries[] = {"rope_scaling", "rope_parameters",
                                         "per_layer_config"};

bool starts_within(const std::string& where, const std::string& path) {
  return where == path || where.starts_with(path + ".");
}

class Walk {
 public:
  Walk(const std::string& where, const std::set<std::string>& read)
      : where_(where), read_(read) {}

  void walk(const json& node, const std::string& path) {
    for (const auto& [key, value] : node.items()) {
      const std::string own = path.empty() ? key : path + "." + key;
      const bool is_dictionary =
          std::ranges::find(kDictionaries, key) != std::end(kDictionaries);
      if (value.is_object() && !is_dictionary) {
        if (!describes_model(value) || starts_within(where_, own)) {
          walk(value, own);
        }
      } else if (!value.is_null() && value != "absolute" && decides_rope(own) &&
                 !read_.contains(own)) {
        paths.push_back(own);
      }
    }
  }

  std::vector<std::string> paths;

 private:
  const std::string& where_;
  const std::set<std::string>& read_;
};

}  // namespace

bool describes_model(const json& node) {
  if (!node.is_object()) return false;
  const auto type = node.find("model_type");
  if (type != node.end() && type->is_string() && *type != "") return true;
  return std::ranges::any_of(
      kWidths, [&](const char* key) { return node.contains(key); });
}

bool decides_rope(const std::string& key) {
  return std::ranges::any_of(kWords, [&](const char* word) {
    return key.find(word) != std::string::npos;
  });
}

std::vector<std::string> unread_keys(const json& document,
                                     const std::string& where,
                                     const std::set<std::string>& read) {
  Walk walk(where, read);
  walk.walk(document, "");
  return walk.paths;
}

}  // namespace ropeproof::conformance::models
