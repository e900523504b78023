#include "conformance/check/shard.h"

#include <cstdlib>
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

// What names a shard: `first` is the variable that says which index counts
// first, and where it is not set `least` does. `prefix` stands before the
// index.
struct Variables {
  const char *index, *first, *count;
  std::int64_t least = 0;
  std::string_view prefix = "";
};
constexpr Variables kVariables[] = {
    {"GTEST_SHARD_INDEX", nullptr, "GTEST_TOTAL_SHARDS"},
    {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_COUNT"}};
constexpr Variables kAskedFor[] = {
    {"ROPEPROOF_SHARD_INDEX", nullptr, "ROPEPROOF_SHARD_COUNT"},
    {"PYTEST_XDIST_WORKER", nullptr, "PYTEST_XDIST_WORKER_COUNT", 0, "gw"},
    {"CI_NODE_INDEX", nullptr, "CI_NODE_TOTAL", 1},
    {"JOB_COMPLETION_INDEX", nullptr, "JOB_COMPLETIONS"}};

bool is_set(const char* name) { return std::getenv(name) != nullptr; }

std::int64_t number_in(const char* name, std::string_view prefix = "") {
  const char* text = std::getenv(name);
  if (text == nullptr) {
    refuse(name, "not set, but its partner is; set both, or neither");
  }
  std::string_view digits = text;
  if (digits.starts_with(prefix)) digits.remove_prefix(prefix.size());
  const auto value = text::parse_integer(digits);
  if (!value) refuse(std::string(name) + "=" + text, "expected a number");
  return *value;
}

std::optional<Shard> shard_of(const Variables& variables) {
  const auto& [index, first, count, least, prefix] = variables;
  if (!is_set(index) && !is_set(count)) return std::nullopt;
  std::string what;
  const auto number = [&](const char* name, std::string_view before = "") {
    const std::int64_t value = number_in(name, before);
    what += (what.empty() ? "" : " ") + std::string(name) + "=" +
            std::to_string(value);
    return value;
  };
  const std::int64_t at = number(index, prefix);
  const std::int64_t from =
      first != nullptr && is_set(first) ? number(first) : least;
  return checked(at - from + 1, number(count), what);
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
  for (const Variables& variables : kVariables) {
    if (const auto shard = shard_of(variables)) return *shard;
  }
  return {};
}

Shard shard_asked_for() {
  for (const Variables& variables : kAskedFor) {
    if (const auto shard = shard_of(variables)) return *shard;
  }
  for (const Variables& variables : kVariables) {
    if (const auto shard = shard_of(variables)) return *shard;
  }
  std::string names;
  for (const Variables& variables : kAskedFor) {
    names += (names.empty() ? "" : ", ") + std::string(variables.index);
  }
  refuse("--shard auto", "none of " + names + " and those of Slurm is set");
}

}  // namespace ropeproof::conformance::check
