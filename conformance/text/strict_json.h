// strict_json.h -- reading JSON that must be exactly as the schema says.
//
// A StrictObject hands out each member once and refuses the ones that nobody
// asked for, so that a grown file cannot be half read.
#ifndef ROPEPROOF_CONFORMANCE_TEXT_STRICT_JSON_H_
#define ROPEPROOF_CONFORMANCE_TEXT_STRICT_JSON_H_

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conformance/text/file.h"
#include "conformance/text/words.h"

namespace ropeproof::conformance::text {

class StrictObject {
 public:
  // `where` names the file and the place in it. Throws FileError.
  StrictObject(const nlohmann::json& node, std::string where);

  const nlohmann::json& get(const std::string& key);
  const nlohmann::json* find(const std::string& key);  // null if absent
  const nlohmann::json& array(const std::string& key);
  std::string text(const std::string& key);
  std::int64_t integer(const std::string& key, std::int64_t low,
                       std::int64_t high);
  bool flag(const std::string& key);
  std::vector<std::string> texts(const std::string& key);
  std::vector<std::int64_t> integers(const std::string& key, std::int64_t low,
                                     std::int64_t high);

  // The value whose word the member is.
  template <class Value, std::size_t kSize>
  Value word(const std::string& key, const Words<Value, kSize>& words) {
    const std::string given = text(key);
    const auto value = find_word(words, given);
    if (!value) fail(key, "\"" + given + "\"; expected " + list_words(words));
    return *value;
  }

  // Throws unless the member is this string.
  void expect(const std::string& key, const std::string& value);

  // Throws if a member was never asked for. Call it last.
  void finish() const;

  std::string at(const std::string& key) const { return where_ + "." + key; }
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

// For a parser of nlohmann's to call: throws FileError for a member that occurs twice,
// and where it is nested too deep.
class JsonWatch {
 public:
  JsonWatch(std::string where, int max_depth)
      : where_(std::move(where)), max_depth_(max_depth) {}

  template <class Json>
  bool operator()(int depth, typename Json::parse_event_t event,
                  const Json& parsed) {
    using Event = typename Json::parse_event_t;
    check_depth(depth);
    if (event == Event::object_start) open(depth);
    if (event == Event::key) add(depth, parsed.template get<std::string>());
    return true;
  }

 private:
  void check_depth(int depth) const;
  void open(int depth);
  void add(int depth, const std::string& key);

  std::string where_;
  int max_depth_;
  std::vector<std::set<std::string>> members_;  // by depth
};

// Parses one document; `where` names it in the error. Refuses what RFC 8259
// leaves open: a member that occurs twice, more than kMaxJsonDepth levels, NUL
// bytes, numbers beyond binary64. Memory: a multiple of the text.
inline constexpr int kMaxJsonDepth = 32;
nlohmann::json parse_json(const std::string& text, const std::string& where);

}  // namespace ropeproof::conformance::text

#endif  // ROPEPROOF_CONFORMANCE_TEXT_STRICT_JSON_H_
