#include "conformance/models/config_object.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "conformance/text/word_tables.h"
#include "reference/refuse.h"

namespace ropeproof::conformance::models {
namespace {

using nlohmann::json;

// Enough of a value to recognise it by.
std::string excerpt(const json& value) {
  constexpr std::size_t kMost = 40;
  const std::string text =
      value.is_number_float()
          ? reference::shortest(value.get<double>())
          : value.dump(-1, ' ', true, json::error_handler_t::replace);
  return text.size() <= kMost ? text : text.substr(0, kMost) + " ...";
}

// Returns null for an absent key and a null.
const json* member_of(const json& node, const std::string& key) {
  const auto member = node.find(key);
  return member == node.end() || member->is_null() ? nullptr : &*member;
}

std::string range(std::int64_t low, std::int64_t high) {
  return "an integer " + std::to_string(low) + " .. " + std::to_string(high);
}

}  // namespace

ConfigObject::ConfigObject(const json& node, std::string file, std::string path)
    : node_(&node), file_(std::move(file)), path_(std::move(path)) {
  if (!node.is_object()) {
    throw ConfigError(file_ + ": " + (path_.empty() ? "" : path_ + " ") +
                      "is " + excerpt(node) + "; expected a JSON object");
  }
}

ConfigObject ConfigObject::with_defaults(const json* defaults,
                                         std::shared_ptr<Notes> notes,
                                         const std::string& layers) const {
  ConfigObject result(*this);
  result.defaults_ = defaults;
  result.layers_of_defaults_ = layers.empty() ? "" : " of " + layers;
  result.notes_ = std::move(notes);
  return result;
}

ConfigObject ConfigObject::with_aliases(const json* aliases) const {
  ConfigObject result(*this);
  result.aliases_ = aliases;
  return result;
}

std::string ConfigObject::spelling(const std::string& key) const {
  if (aliases_ == nullptr || !aliases_->contains(key)) return key;
  const std::string own = aliases_->at(key);
  const json *const usual = member_of(*node_, key), *const other =
                                                        member_of(*node_, own);
  if (usual != nullptr && other != nullptr && *usual != *other) {
    fail((path_.empty() ? "" : path_ + ".") + key + " is " + excerpt(*usual) +
         "; expected what " + own + " says, " + excerpt(*other));
  }
  return usual != nullptr ? key : own;
}

std::string ConfigObject::path(const std::string& key) const {
  return (path_.empty() ? "" : path_ + ".") + spelling(key);
}

void ConfigObject::fail(const std::string& message) const {
  throw ConfigError(file_ + ": " + message);
}

void ConfigObject::missing(const std::string& key,
                           const std::string& expected) const {
  fail(path(key) + " is missing; expected " + expected);
}

void ConfigObject::refuse(const std::string& key,
                          const std::string& expected) const {
  fail(path(key) + " is " + excerpt(*find(key)) + "; expected " + expected);
}

const json* ConfigObject::find_own(const std::string& key) const {
  if (notes_) notes_->read.insert(path(key));
  const std::string own = spelling(key);
  const json* value = node_;
  for (std::size_t at = 0; value != nullptr && at <= own.size();) {
    const std::size_t end = std::min(own.find('.', at), own.size());
    if (!value->is_object()) {
      refuse(own.substr(0, at - 1), "a JSON object");
    }
    value = member_of(*value, own.substr(at, end - at));
    at = end + 1;
  }
  return value;
}

const json* ConfigObject::find(const std::string& key) const {
  if (const json* own = find_own(key)) return own;
  const std::string own = spelling(key);
  const json* value =
      defaults_ == nullptr ? nullptr : member_of(*defaults_, own);
  if (value != nullptr) {
    notes_->defaults.insert(own + " " + excerpt(*value) + layers_of_defaults_);
  }
  return value;
}

template <class T, class IsRight>
std::optional<T> ConfigObject::value(const std::string& key,
                                     const std::string& expected,
                                     const IsRight& is_right) const {
  const json* found = find(key);
  if (found == nullptr) return {};
  if (!is_right(*found)) refuse(key, expected);
  return found->get<T>();
}

std::optional<double> ConfigObject::number(const std::string& key,
                                           const Accepted& accepted) const {
  return value<double>(key, accepted.text, [&](const json& node) {
    if (!node.is_number()) return false;
    const double x = node.get<double>();
    return (accepted.is_open ? x > accepted.low : x >= accepted.low) &&
           x <= accepted.high;
  });
}

std::optional<std::int64_t> ConfigObject::integer(const std::string& key,
                                                  std::int64_t low,
                                                  std::int64_t high) const {
  return value<std::int64_t>(key, range(low, high), [&](const json& node) {
    if (!node.is_number()) return false;
    const double x = node.get<double>();  // 4096.0 is as good as 4096
    return x == std::floor(x) && x >= static_cast<double>(low) &&
           x <= static_cast<double>(high);
  });
}

std::optional<bool> ConfigObject::boolean(const std::string& key) const {
  return value<bool>(key, "true or false", std::mem_fn(&json::is_boolean));
}

std::optional<std::string> ConfigObject::text(const std::string& key) const {
  return value<std::string>(key, "a string", std::mem_fn(&json::is_string));
}

std::optional<ConfigObject> ConfigObject::object(const std::string& key) const {
  const json* value = find(key);
  if (value == nullptr) return {};
  return ConfigObject(*value, file_, path(key)).with_defaults(nullptr, notes_);
}

double ConfigObject::need_number(const std::string& key,
                                 const Accepted& accepted) const {
  const auto value = number(key, accepted);
  if (!value) missing(key, accepted.text);
  return *value;
}

std::int64_t ConfigObject::need_integer(const std::string& key,
                                        std::int64_t low,
                                        std::int64_t high) const {
  const auto value = integer(key, low, high);
  if (!value) missing(key, range(low, high));
  return *value;
}

std::optional<std::vector<double>> ConfigObject::positive_list(
    const std::string& key, std::int64_t size) const {
  const json* value = find(key);
  if (value == nullptr) return {};
  const std::string expected =
      "a list of " + std::to_string(size) + " finite numbers > 0";
  if (!value->is_array()) refuse(key, expected);
  if (value->size() != static_cast<std::size_t>(size)) {
    fail(path(key) + " has " + std::to_string(value->size()) +
         " entries; expected " + expected);
  }
  std::vector<double> result;
  for (const json& item : *value) {
    if (!item.is_number() || !(item.get<double>() > 0)) {
      fail(path(key) + "[" + std::to_string(result.size()) + "] is " +
           excerpt(item) + "; expected " + kPositive.text);
    }
    result.push_back(item.get<double>());
  }
  return result;
}

std::optional<std::vector<std::int64_t>> ConfigObject::sections(
    const std::string& key, std::size_t count, std::int64_t sum) const {
  const auto list = value<std::vector<std::int64_t>>(
      key, "a list of integers >= 0", [](const json& node) {
        constexpr std::int64_t kMost = 1 << 20;
        return node.is_array() &&
               std::ranges::all_of(node, [](const json& item) {
                 return item.is_number_integer() && item >= 0 && item <= kMost;
               });
      });
  if (list &&
      (list->size() != count ||
       std::accumulate(list->begin(), list->end(), std::int64_t{0}) != sum)) {
    refuse(key, std::to_string(count) + " integers with the sum " +
                    std::to_string(sum) + ", the number of pairs");
  }
  return list;
}

std::optional<std::vector<std::string>> ConfigObject::text_list(
    const std::string& key) const {
  return value<std::vector<std::string>>(
      key, "a list of strings", [](const json& node) {
        return node.is_array() &&
               std::ranges::all_of(node, std::mem_fn(&json::is_string));
      });
}

void ConfigObject::allow_only(const std::vector<std::string_view>& allowed,
                              const std::string& what) const {
  for (const auto& [key, value] : node_->items()) {
    const auto known = std::ranges::find(allowed, std::string_view(key));
    if (known != allowed.end() || value.is_null()) continue;
    refuse(key,
           "no such key: " + what + " takes " + text::joined(allowed, ", "));
  }
}

std::optional<double> inside_or_beside(const ConfigObject& rope,
                                       const ConfigObject& model,
                                       const std::string& key,
                                       const Accepted& accepted) {
  const auto inside = rope.number(key, accepted);
  if (inside && model.find_own(key) == nullptr) return inside;
  return agreed(rope, model, key, inside, model.number(key, accepted));
}

}  // namespace ropeproof::conformance::models
