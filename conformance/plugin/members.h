// members.h -- the members of a JSON object that somebody else wrote, read
// strictly: a process's header, a device's file.
#ifndef ROPEPROOF_CONFORMANCE_PLUGIN_MEMBERS_H_
#define ROPEPROOF_CONFORMANCE_PLUGIN_MEMBERS_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "conformance/text/words.h"

namespace ropeproof::conformance::plugin {

// Members in the order of the documentation.
using Json = nlohmann::ordered_json;

// Not as it must be. what() is one line.
struct Malformed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[noreturn]] void refuse(const std::string& fault);

// Takes members out of an object, so that what is left is unknown. All throw
// Malformed.
class Members {
 public:
  explicit Members(Json object);

  Json take(const char* key);  // null: absent
  std::string text(const char* key);
  std::int64_t integer(const char* key, std::int64_t otherwise);

  // 0 where it is absent or the word for that, if there is one.
  template <std::size_t kSize>
  std::uint32_t one_of(const char* key,
                       const text::Words<std::uint32_t, kSize>& words,
                       const char* default_word) {
    if (default_word != nullptr &&
        (!object_.contains(key) || object_[key] == default_word)) {
      take(key);
      return 0;
    }
    const std::string given = text(key);
    const auto value = text::find_word(words, given);
    if (!value) {
      refuse(std::string(key) + " \"" + given + "\" must be " +
             text::list_words(words));
    }
    return *value;
  }

  template <std::size_t kSize>
  std::uint32_t some_of(const char* key,
                        const text::Words<std::uint32_t, kSize>& words) {
    const Json list = take(key);
    if (!list.is_array()) refuse(std::string(key) + " must be a list of words");
    std::uint32_t bits = 0;
    for (const Json& item : list) {
      const auto bit = item.is_string()
                           ? text::find_word(words, item.get<std::string>())
                           : std::nullopt;
      if (!bit) {
        refuse(std::string(key) + " has " + item.dump() + "; known are " +
               text::list_words(words));
      }
      bits |= *bit;
    }
    return bits;
  }

  bool has(const char* key) const { return object_.contains(key); }

  void finish() const;  // nothing may be left

 private:
  Json object_;
};

// A header line as JSON.
Json parse_header(const std::string& line);

}  // namespace ropeproof::conformance::plugin

#endif  // ROPEPROOF_CONFORMANCE_PLUGIN_MEMBERS_H_
