#include "conformance/plugin/members.h"

#include <functional>
#include <limits>
#include <utility>

#include "conformance/text/one_line.h"
#include "conformance/text/strict_json.h"

namespace ropeproof::conformance::plugin {

void refuse(const std::string& fault) {
  throw Malformed(text::one_line(fault));
}

Members::Members(Json object) : object_(std::move(object)) {
  if (!object_.is_object()) refuse("it is no JSON object");
}

Json Members::take(const char* key) {
  const auto member = object_.find(key);
  if (member == object_.end()) return nullptr;
  Json value = std::move(*member);
  object_.erase(member);
  return value;
}

std::string Members::text(const char* key) {
  const Json value = take(key);
  if (!value.is_string()) refuse(std::string(key) + " must be a string");
  return value;
}

std::int64_t Members::integer(const char* key, std::int64_t otherwise) {
  const Json value = take(key);
  if (value.is_null()) return otherwise;
  if (!text::is_integer(value, std::numeric_limits<std::int64_t>::min(),
                        std::numeric_limits<std::int64_t>::max())) {
    refuse(std::string(key) + " must be an integer");
  }
  return value;
}

void Members::finish() const {
  if (object_.empty()) return;
  refuse("has the unknown field \"" + object_.begin().key() + "\"");
}

Json parse_header(const std::string& line) {
  // A header is an object with a list of objects. What is deeper is refused
  // here: the library prints, for an error message, by recursion.
  constexpr int kMaxDepth = 8;
  text::JsonWatch watch("header", kMaxDepth);
  Json header;
  try {
    // The library takes a NUL for the end of the text.
    if (line.find('\0') == std::string::npos) {
      header = Json::parse(line, std::ref(watch), false);
    }
  } catch (const text::FileError& error) {
    refuse(error.what());
  }
  if (!header.is_object()) {
    refuse("header is no JSON object: \"" + line + "\"");
  }
  return header;
}

}  // namespace ropeproof::conformance::plugin
