#include "conformance/check/shard.h"

#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "conformance/text/format.h"
#include "conformance/text/one_line.h"

namespace ropeproof::conformance::check {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& rule) {
  throw std::invalid_argument(text::one_line(what) + ": " + rule);
}

Shard checked(std::int64_t index, std::int64_t count, const std::string& what) {
  if (count < 1 || count > kMaxShards || index < 1 || index > count) {
    refuse(what, "no such shard; there are 1 to " + std::to_string(kMaxShards) +
                     ", and the index is one of them");
  }
  return {index, count};
}

// What names a shard: `first` is the variable that says which index counts
// first, and where it is not set 0 does.
struct Variables {
  const char *index, *first, *count;
};
constexpr Variables kVariables[] = {
    {"GTEST_SHARD_INDEX", nullptr, "GTEST_TOTAL_SHARDS"},
    {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_COUNT"}};

bool is_set(const char* name) { return std::getenv(name) != nullptr; }

std::int64_t number_in(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr) {
    refuse(name, "not set, but its partner is; set both, or neither");
  }
  const auto value = text::parse_integer(text);
  if (!value) refuse(std::string(name) + "=" + text, "expected a number");
  return *value;
}

}  // namespace

std::string Shard::text() const {
  return std::to_string(index) + "/" + std::to_string(count);
}

Shard parse_shard(const std::string& text, const std::string& source) {
  const std::string what = source + " " + text;
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) refuse(what, "expected i/n, as 2/8");
  const auto index =
      text::parse_integer(std::string_view(text).substr(0, slash));
  const auto count =
      text::parse_integer(std::string_view(text).substr(slash + 1));
  if (!index || !count) refuse(what, "expected i/n, as 2/8");
  return checked(*index, *count, what);
}

Shard shard_of_environment() {
  for (const auto& [index, first, count] : kVariables) {
    if (!is_set(index) && !is_set(count)) continue;
    std::string what;
    const auto number = [&](const char* name) {
      const std::int64_t value = number_in(name);
      what += (what.empty() ? "" : " ") + std::string(name) + "=" +
              std::to_string(value);
      return value;
    };
    const std::int64_t at = number(index);
    const std::int64_t from =
        first != nullptr && is_set(first) ? number(first) : 0;
    return checked(at - from + 1, number(count), what);
  }
  return {};
}

}  // namespace ropeproof::conformance::check
