// config_object.h -- reading a configuration that somebody else wrote.
//
// Unlike StrictObject (strict_json.h), which reads files of ours, a
// ConfigObject reads one object of a Hugging Face config.json: keys that nobody
// asks for are none of its business, a null is an absent key, and every fault
// is one line that names the file, the key, its value and what is accepted.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "reference/refuse.h"

namespace ropeproof::conformance::models {

// A configuration that means no RoPE. what() is one line. Exit status 2.
struct ConfigError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// What a number may be. `text` completes "expected ...".
struct Accepted {
  double low = 0;
  bool is_open = false;  // greater than low, not equal to it
  double high = std::numeric_limits<double>::max();
  const char* text = "a finite number >= 0";
};
inline constexpr Accepted kNotNegative{};
inline constexpr Accepted kPositive{0, true, kNotNegative.high,
                                    "a finite number > 0"};
inline constexpr Accepted kAtLeastOne{1, false, kNotNegative.high,
                                      "a finite number >= 1"};
inline constexpr Accepted kFraction{0, true, 1, "a number > 0 and <= 1"};

// What was looked at while a file was read.
struct Notes {
  std::set<std::string> defaults;  // of the class, in the place of absent keys:
                                   // "head_dim 128"
  std::set<std::string> read;      // paths from the root of the file
};

class ConfigObject {
 public:
  // `node` outlives the object. `path` leads to it from the root of the file:
  // "" or "text_config.rope_scaling". Throws ConfigError if it is no object.
  ConfigObject(const nlohmann::json& node, std::string file, std::string path);
  // Returns the same object with values for keys that are absent; `defaults`
  // outlives it, or is null. `notes` gets what is read of it and of the objects
  // in it, and of which layers it is, if not of all.
  ConfigObject with_defaults(const nlohmann::json* defaults,
                             std::shared_ptr<Notes> notes,
                             const std::string& layers = "") const;
  // Returns the same object read under names of its class: `aliases`, which
  // outlives it, or is null, has the class's own key of a usual one; a file may
  // have either, or both with one value.
  ConfigObject with_aliases(const nlohmann::json* aliases) const;

  // Returns null where the key is absent or its value is null, and has no
  // default. "a.b" is the key b of the object a. Throws ConfigError where a is
  // something else.
  const nlohmann::json* find(const std::string& key) const;
  // Returns null where the file does not have the key. Throws likewise.
  const nlohmann::json* find_own(const std::string& key) const;
  bool has(const std::string& key) const { return find(key) != nullptr; }

  std::optional<double> number(const std::string& key,
                               const Accepted& accepted) const;
  std::optional<std::int64_t> integer(const std::string& key, std::int64_t low,
                                      std::int64_t high) const;
  std::optional<bool> boolean(const std::string& key) const;
  std::optional<std::string> text(const std::string& key) const;
  std::optional<ConfigObject> object(const std::string& key) const;

  // Return the value of a key that must be there.
  double need_number(const std::string& key, const Accepted& accepted) const;
  std::int64_t need_integer(const std::string& key, std::int64_t low,
                            std::int64_t high) const;

  // Return `size` numbers > 0; or `count` integers >= 0, the pairs of as many
  // axes, `sum` in all; or strings. Nothing is an absent key.
  std::optional<std::vector<double>> positive_list(const std::string& key,
                                                   std::int64_t size) const;
  std::optional<std::vector<std::int64_t>> sections(const std::string& key,
                                                    std::size_t count,
                                                    std::int64_t sum) const;
  std::optional<std::vector<std::string>> text_list(
      const std::string& key) const;

  // Throws if there is a key that `allowed` does not name. `what` says whose
  // keys they are.
  void allow_only(const std::vector<std::string_view>& allowed,
                  const std::string& what) const;

  [[noreturn]] void missing(const std::string& key,
                            const std::string& expected) const;
  // Throws, since the value of `key` is not `expected`.
  [[noreturn]] void refuse(const std::string& key,
                           const std::string& expected) const;
  [[noreturn]] void fail(const std::string& message) const;

  // Returns the path of `key` from the root of the file.
  std::string path(const std::string& key) const;
  const nlohmann::json& node() const { return *node_; }
  const std::string& file() const { return file_; }
  // Returns the path of the object itself, "" for the root.
  const std::string& where() const { return path_; }

 private:
  // Returns the value if `is_right` accepts it.
  template <class T, class IsRight>
  std::optional<T> value(const std::string& key, const std::string& expected,
                         const IsRight& is_right) const;

  // Returns the class's own key where the file does not have the usual one.
  std::string spelling(const std::string& key) const;

  const nlohmann::json* node_;
  std::string file_, path_;
  const nlohmann::json* aliases_ = nullptr;
  const nlohmann::json* defaults_ = nullptr;
  std::string layers_of_defaults_;  // " of sliding_attention", or empty
  std::shared_ptr<Notes> notes_;
};

// Returns what is `inside` the dictionary or `beside` it, in its model; refuses
// two values that are not the same.
template <class T>
std::optional<T> agreed(const ConfigObject& rope, const ConfigObject& model,
                        const std::string& key, const std::optional<T>& inside,
                        const std::optional<T>& beside) {
  if (inside && beside && *inside != *beside) {
    rope.refuse(key, "what " + model.path(key) + " says, " +
                         reference::shortest(static_cast<double>(*beside)));
  }
  return inside ? inside : beside;
}

// Returns the value of `key`, inside the dictionary or beside it; where both
// are there, they must agree.
std::optional<double> inside_or_beside(const ConfigObject& rope,
                                       const ConfigObject& model,
                                       const std::string& key,
                                       const Accepted& accepted);

}  // namespace ropeproof::conformance::models
