#include "conformance/plugin/reply.h"

#include <algorithm>
#include <utility>

#include "conformance/plugin/words.h"
#include "conformance/text/one_line.h"

namespace ropeproof::conformance::plugin {

void refuse(const std::string& detail) {
  throw Broken{Outcome::kError, text::one_line(detail)};
}

namespace {

// A reply is an object with a list of objects. What is deeper is refused here:
// the library prints, for an error message, by recursion.
constexpr int kMaxDepth = 8;

Json parse(const std::string& line) {
  const auto check = [](int depth, Json::parse_event_t, Json&) {
    if (depth > kMaxDepth) refuse("header is nested too deep");
    return true;
  };
  return Json::parse(line, check, false);
}

}  // namespace

Reply::Reply(const std::string& line) : object_(parse(line)) {
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

Description read_description(Reply& reply) {
  Description d;
  d.name = reply.text("name");
  d.version = reply.text("version");
  d.operations = reply.some_of("operations", kOperationWords);
  d.dtypes = reply.some_of("dtypes", kDtypeWords);
  d.pairings = reply.some_of("pairings", kAbiPairingWords);
  d.features = reply.some_of("features", kFeatureWords);
  d.angle_class = reply.one_of("angle_class", kAngleClassWords);
  d.max_position = reply.integer("max_position", 0);
  d.angle_dtype = reply.one_of("angle_dtype", kDtypeWords, "none");
  d.power = reply.one_of("power", kPowerWords, "pow");
  d.trig_ulp = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(reply.integer("trig_ulp", 1), 0, UINT32_MAX));
  d.table_dtype = reply.one_of("table_dtype", kDtypeWords, "same");
  d.rounding = reply.one_of("rounding", kRoundingWords, "once");
  d.scalings = reply.any_of("scalings", kScalingWords);
  return d;
}

}  // namespace ropeproof::conformance::plugin
