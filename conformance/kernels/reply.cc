#include "conformance/kernels/reply.h"

#include <utility>

#include "conformance/kernels/description.h"

namespace ropeproof::conformance {

void refuse(const std::string& detail) {
  throw Broken{Outcome::kError, one_line(detail)};
}

Reply::Reply(const std::string& line)
    : object_(Json::parse(line, nullptr, false)) {
  if (!object_.is_object()) {
    refuse("header is no JSON object: \"" + line + "\"");
  }
}

Json Reply::take(const char* key) {
  const auto member = object_.find(key);
  if (member == object_.end()) return nullptr;
  Json value = std::move(*member);
  object_.erase(member);
  return value;
}

std::string Reply::text(const char* key) {
  const Json value = take(key);
  if (!value.is_string()) refuse(std::string(key) + " must be a string");
  return value;
}

std::int64_t Reply::integer(const char* key, std::int64_t otherwise) {
  const Json value = take(key);
  if (value.is_null()) return otherwise;
  if (!value.is_number_integer()) {
    refuse(std::string(key) + " must be an integer");
  }
  return value;
}

void Reply::finish() const {
  if (object_.empty()) return;
  refuse("header has the unknown field \"" + object_.begin().key() + "\"");
}

}  // namespace ropeproof::conformance
