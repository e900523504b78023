#include "conformance/text/strict_json.h"

#include <functional>
#include <utility>

namespace ropeproof::conformance::text {
void JsonWatch::check_depth(int depth) const {
  if (depth > max_depth_) {
    throw FileError(where_ + ": nested more than " +
                    std::to_string(max_depth_) + " deep");
  }
}

void JsonWatch::open(int depth) {
  const auto level = static_cast<std::size_t>(depth);
  members_.resize(level + 1);
  members_[level].clear();
}

void JsonWatch::add(int depth, const std::string& key) {
  if (!members_.at(static_cast<std::size_t>(depth) - 1).insert(key).second) {
    throw FileError(where_ + ": member " + nlohmann::json(key).dump() +
                    " occurs twice in one object");
  }
}

StrictObject::StrictObject(const nlohmann::json& node, std::string where)
    : node_(node), where_(std::move(where)) {
  if (!node.is_object()) throw FileError(where_ + ": expected an object");
}

void StrictObject::fail(const std::string& key,
                        const std::string& fault) const {
  throw FileError(at(key) + ": " + fault);
}

const nlohmann::json* StrictObject::find(const std::string& key) {
  used_.insert(key);
  const auto member = node_.find(key);
  return member == node_.end() ? nullptr : &*member;
}

const nlohmann::json& StrictObject::get(const std::string& key) {
  const nlohmann::json* member = find(key);
  if (member == nullptr) fail(key, "missing");
  return *member;
}

const nlohmann::json& StrictObject::array(const std::string& key) {
  const nlohmann::json& member = get(key);
  if (!member.is_array()) fail(key, "expected an array");
  return member;
}

std::string StrictObject::text(const std::string& key) {
  const nlohmann::json& member = get(key);
  if (!member.is_string()) fail(key, "expected a string");
  return member.get<std::string>();
}

std::int64_t StrictObject::integer(const std::string& key, std::int64_t low,
                                   std::int64_t high) {
  const nlohmann::json& member = get(key);
  if (!is_integer(member, low, high)) {
    fail(key, "expected an integer " + std::to_string(low) + " .. " +
                  std::to_string(high));
  }
  return member.get<std::int64_t>();
}

bool StrictObject::flag(const std::string& key) {
  const nlohmann::json& member = get(key);
  if (!member.is_boolean()) fail(key, "expected true or false");
  return member.get<bool>();
}

std::vector<std::string> StrictObject::texts(const std::string& key) {
  const nlohmann::json& member = get(key);
  if (!member.is_array()) fail(key, "expected an array of strings");
  std::vector<std::string> result;
  for (const nlohmann::json& item : member) {
    if (!item.is_string()) fail(key, "expected an array of strings");
    result.push_back(item.get<std::string>());
  }
  return result;
}

std::vector<std::int64_t> StrictObject::integers(const std::string& key,
                                                 std::int64_t low,
                                                 std::int64_t high) {
  std::vector<std::int64_t> result;
  for (const nlohmann::json& item : array(key)) {
    if (!is_integer(item, low, high)) {
      fail(key, "expected integers " + std::to_string(low) + " .. " +
                    std::to_string(high));
    }
    result.push_back(item.get<std::int64_t>());
  }
  return result;
}

void StrictObject::expect(const std::string& key, const std::string& value) {
  if (text(key) != value) fail(key, "expected " + value);
}

void StrictObject::finish() const {
  for (const auto& [key, value] : node_.items()) {
    if (!used_.contains(key)) {
      throw FileError(where_ + ": unknown field \"" + key +
                      "\"; this program is older than the file, or the file "
                      "was edited by hand");
    }
  }
}

bool is_integer(const nlohmann::json& node, std::int64_t low,
                std::int64_t high) {
  if (node.is_number_unsigned()) {
    const auto value = node.get<std::uint64_t>();
    return value <= static_cast<std::uint64_t>(high) &&
           static_cast<std::int64_t>(value) >= low;
  }
  return node.is_number_integer() && node.get<std::int64_t>() >= low &&
         node.get<std::int64_t>() <= high;
}

nlohmann::json parse_json(const std::string& text, const std::string& where) {
  // The library takes a NUL for the end of the text.
  if (const std::size_t at = text.find('\0'); at != std::string::npos) {
    throw FileError(where + ": not JSON, at byte " + std::to_string(at + 1) +
                    ": a NUL");
  }
  JsonWatch watch(where, kMaxJsonDepth);
  try {
    return nlohmann::json::parse(text, std::ref(watch));
  } catch (const nlohmann::json::parse_error& error) {
    throw FileError(where + ": not JSON, at byte " +
                    std::to_string(error.byte));
  } catch (const nlohmann::json::out_of_range&) {
    throw FileError(where + ": holds a number beyond binary64");
  }
}

}  // namespace ropeproof::conformance::text
