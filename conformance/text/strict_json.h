// strict_json.h -- reading JSON that must be exactly as the schema says: a
// file, a line that a process sends.
//
// A StrictObject refuses the members that nobody asked for, so that a grown
// file cannot be half read.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "conformance/text/file.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::text {

class StrictObject {
 public:
  // `where` names the file and the path in it; if it is empty, members go by
  // their own names. Throws FileError.
  StrictObject(const nlohmann::json& node, std::string where);

  const nlohmann::json& get(const std::string& key);
  const nlohmann::json* find(const std::string& key);  // null if absent
  bool has(const std::string& key) { return find(key) != nullptr; }
  const nlohmann::json& array(const std::string& key);
  std::string text(const std::string& key);
  std::int64_t integer(const std::string& key, std::int64_t low,
                       std::int64_t high);
  // Returns the integer, or `otherwise` where it is absent.
  std::int64_t integer(const std::string& key, std::int64_t otherwise);
  double number(const std::string& key, double low, double high);
  bool flag(const std::string& key);
  std::vector<std::string> texts(const std::string& key);
  std::vector<std::int64_t> integers(const std::string& key, std::int64_t low,
                                     std::int64_t high);

  // Returns the value whose word the member is.
  template <class Value, std::size_t kSize>
  Value word(const std::string& key, const Words<Value, kSize>& words) {
    const std::string given = text(key);
    const auto value = find_word(words, given);
    if (!value) fail(key, "\"" + given + "\"; expected " + list_words(words));
    return *value;
  }

  // Returns the bits whose words the member lists.
  template <std::size_t kSize>
  std::uint32_t bits(const std::string& key,
                     const Words<std::uint32_t, kSize>& words) {
    std::uint32_t result = 0;
    for (const std::string& given : texts(key)) {
      const auto bit = find_word(words, given);
      if (!bit) fail(key, "\"" + given + "\"; known are " + list_words(words));
      result |= *bit;
    }
    return result;
  }

  // Throws unless the member is this string.
  void expect(const std::string& key, const std::string& value);

  // Throws if a member was never asked for. Call it last.
  void finish() const;

  std::string at(const std::string& key) const {
    return where_.empty() ? key : where_ + "." + key;
  }
  [[noreturn]] void fail(const std::string& key,
                         const std::string& fault) const;

 private:
  const nlohmann::json& node_;
  std::string where_;
  std::set<std::string> used_;
};

// Whether `node` is an integer low .. high; high >= 0. The library's own
// comparison takes 2^64 - 1 for -1.
bool is_integer(const nlohmann::json& node, std::int64_t low,
                std::int64_t high);

// Parses one document; `where` names it in the error. Refuses what RFC 8259
// leaves open: a member that occurs twice, more than `max_depth` levels, NUL
// bytes, numbers beyond binary64. Memory: a multiple of the text.
inline constexpr int kMaxJsonDepth = 32;
nlohmann::json parse_json(const std::string& text, const std::string& where,
                          int max_depth = kMaxJsonDepth);

}  // namespace ropeproof::conformance::text
