#include "conformance/check/shard.h"

#include <optional>
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

// A variable that holds a number, or `otherwise` where it is not set.
std::int64_t variable(const Environment& environment, const char* name,
                      std::optional<std::int64_t> otherwise) {
  const char* text = environment(name);
  if (text == nullptr && otherwise) return *otherwise;
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

Shard shard_of_environment(const Environment& environment) {
  constexpr const char* kIndex = "GTEST_SHARD_INDEX";
  constexpr const char* kCount = "GTEST_TOTAL_SHARDS";
  if (environment(kIndex) != nullptr || environment(kCount) != nullptr) {
    const std::int64_t index = variable(environment, kIndex, {});
    const std::int64_t count = variable(environment, kCount, {});
    return checked(index + 1, count,
                   std::string(kIndex) + "=" + std::to_string(index) + " " +
                       kCount + "=" + std::to_string(count));
  }
  constexpr const char* kTask = "SLURM_ARRAY_TASK_ID";
  constexpr const char* kFirst = "SLURM_ARRAY_TASK_MIN";
  constexpr const char* kTasks = "SLURM_ARRAY_TASK_COUNT";
  if (environment(kTask) != nullptr || environment(kTasks) != nullptr) {
    const std::int64_t task = variable(environment, kTask, {});
    const std::int64_t first = variable(environment, kFirst, 0);
    const std::int64_t count = variable(environment, kTasks, {});
    return checked(task - first + 1, count,
                   std::string(kTask) + "=" + std::to_string(task) + " " +
                       kFirst + "=" + std::to_string(first) + " " + kTasks +
                       "=" + std::to_string(count));
  }
  return {};
}

}  // namespace ropeproof::conformance::check
