#include "conformance/text/strict_json.h"

#include <functional>
#include <limits>
#include <utility>

#include "conformance/text/format.h"

namespace ropeproof::conformance::text {
namespace {

// What the library does not look at: a member that occurs twice, and the depth.
class Watch {
 public:
  Watch(const std::string& where, int max_depth)
      : where_(where), max_depth_(max_depth) {}

  bool operator()(int depth, nlohmann::json::parse_event_t event,
                  const nlohmann::json& parsed) {
    using Event = nlohmann::json::parse_event_t;
    if (depth > max_depth_) {
      throw FileError(where_ + ": nested more than " +
                      std::to_string(max_depth_) + " deep");
    }
    const auto level = static_cast<std::size_t>(depth);
    if (event == Event::object_start) {
      members_.resize(level + 1);
      members_[level].clear();
    }
    if (event == Event::key && !members_.at(level - 1).insert(parsed).second) {
      throw FileError(where_ + ": member " + parsed.dump() +
                      " occurs twice in one object");
    }
    return true;
  }

 private:
  const std::string& where_;
  int max_depth_;
  std::vector<std::set<std::string>> members_;  // by depth
};

}  // namespace

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

std::int64_t StrictObject::integer(const std::string& key,
                                   std::int64_t otherwise) {
  const nlohmann::json* member = find(key);
  if (member == nullptr) return otherwise;
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (!is_integer(*member, -kMax - 1, kMax)) fail(key, "expected an integer");
  return member->get<std::int64_t>();
}

double StrictObject::number(const std::string& key, double low, double high) {
  const nlohmann::json& member = get(key);
  const double value = member.is_number() ? member.get<double>() : low - 1;
  if (!(value >= low && value <= high)) {
    fail(key, "expected a number " + format("%g", low) + " .. " +
                  format("%g", high));
  }
  return value;
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
      fail(key, "unknown field; mistyped, or newer than this program");
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

nlohmann::json parse_json(const std::string& text, const std::string& where,
                          int max_depth) {
  // The library takes a NUL for the end of the text.
  if (const std::size_t at = text.find('\0'); at != std::string::npos) {
    throw FileError(where + ": not JSON, at byte " + std::to_string(at + 1) +
                    ": a NUL");
  }
  Watch watch(where, max_depth);
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
