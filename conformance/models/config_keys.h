// config_keys.h -- what the names of keys say by themselves.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace ropeproof::conformance::models {

// Returns whether an object is the configuration of a model: it has a type or a
// width.
bool describes_model(const nlohmann::json& node);

// Returns whether a key decides a RoPE, by its name: "no_rope_layers".
bool decides_rope(const std::string& key);

// Returns the paths of keys that decide a RoPE and are not in `read`: in the
// object at `where` of the document and around it, but not in other models.
// Cost: that of walking the document.
std::vector<std::string> unread_keys(const nlohmann::json& document,
                                     const std::string& where,
                                     const std::set<std::string>& read);

}  // namespace ropeproof::conformance::models
