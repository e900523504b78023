// reply.h -- the header line of a process's reply, read strictly.
#ifndef ROPEPROOF_CONFORMANCE_PLUGIN_REPLY_H_
#define ROPEPROOF_CONFORMANCE_PLUGIN_REPLY_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "conformance/plugin/kernel.h"
#include "conformance/text/words.h"

namespace ropeproof::conformance::plugin {

// Members in the order of the documentation.
using Json = nlohmann::ordered_json;

// The conversation cannot go on: the process is killed.
struct Broken {
  Outcome outcome;
  std::string detail;
};

[[noreturn]] void refuse(const std::string& detail);

// Takes members out of an object, so that what is left is unknown.
class Reply {
 public:
  // Throws Broken, as every member does, if the header is not as it must be.
  explicit Reply(const std::string& line);

  Json take(const char* key);  // null: absent
  std::string text(const char* key);
  std::int64_t integer(const char* key, std::int64_t otherwise);

  template <std::size_t kSize>
  std::uint32_t one_of(const char* key,
                       const text::Words<std::uint32_t, kSize>& words) {
    const std::string given = text(key);
    const auto value = text::find_word(words, given);
    if (!value) {
      refuse(std::string(key) + " \"" + given + "\" must be " +
             text::list_words(words));
    }
    return *value;
  }

  template <std::size_t kSize>
  std::uint32_t one_of(const char* key,
                       const text::Words<std::uint32_t, kSize>& words,
                       const char* default_word) {
    if (object_.contains(key) && object_[key] != default_word) {
      return one_of(key, words);
    }
    take(key);
    return text::find_word(words, default_word).value_or(0);
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

  // The same, where an absent list is an empty one.
  template <std::size_t kSize>
  std::uint32_t any_of(const char* key,
                       const text::Words<std::uint32_t, kSize>& words) {
    return object_.contains(key) ? some_of(key, words) : 0;
  }

  void finish() const;  // nothing may be left

 private:
  Json object_;
};

// The members of a description, taken; check_description() judges them.
Description read_description(Reply& reply);

}  // namespace ropeproof::conformance::plugin

#endif  // ROPEPROOF_CONFORMANCE_PLUGIN_REPLY_H_
