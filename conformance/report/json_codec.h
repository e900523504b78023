// json_codec.h -- the members of an object, written to JSON or read from it by
// one list of them: a function template members(codec, object).
#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "conformance/judge/judge.h"
#include "conformance/plugin/description_json.h"
#include "conformance/text/hex.h"
#include "conformance/text/strict_json.h"
#include "conformance/text/word_tables.h"
#include "reference/format.h"

namespace ropeproof::conformance::report {

using Json = nlohmann::ordered_json;

struct Writer {
  static constexpr bool kReads = false;
  Json json = Json::object();

  // Whether a member that may be absent is there; `is_written` says when.
  bool has(const char*, bool is_written) const { return is_written; }

  template <class Value>
  void value(const char* key, const Value& x) {
    json[key] = x;
  }
  // A member that is there unless it is empty.
  template <class Value>
  void optional(const char* key, const Value& x) {
    if (!x.empty()) json[key] = x;
  }
  // JSON has no infinity: null.
  void number(const char* key, double x) {
    json[key] = std::isfinite(x) ? Json(x) : Json(nullptr);
  }
  template <class Value, std::size_t kSize>
  void word(const char* key, Value x, const text::Words<Value, kSize>& words) {
    json[key] = text::word(words, x);
  }
  template <std::size_t kSize>
  void bits(const char* key, std::uint32_t x,
            const text::Words<std::uint32_t, kSize>& words) {
    json[key] = text::words_of(words, x);
  }
  void pattern(const char* key, std::uint64_t x, reference::Format format) {
    json[key] = text::hex(x, reference::traits(format).total_bits / 4);
  }
  template <class Object>
  void object(const char* key, const Object& x) {
    Writer inner;
    members(inner, x);
    json[key] = std::move(inner.json);
  }
  template <class Object>
  void list(const char* key, const std::vector<Object>& all) {
    json[key] = Json::array();
    for (const Object& x : all) {
      Writer inner;
      members(inner, x);
      json[key].push_back(std::move(inner.json));
    }
  }
};

// Reads them. Throws for a member that is missing or of another type. Every
// other fault shows when Writer writes the report again and the texts differ.
struct Reader {
  static constexpr bool kReads = true;
  const Json& json;

  bool has(const char* key, bool) const { return json.contains(key); }

  template <class Value>
  void value(const char* key, Value& x) {
    x = json.at(key).get<Value>();
  }
  template <class Value>
  void optional(const char* key, Value& x) {
    if (json.contains(key)) value(key, x);
  }
  void number(const char* key, double& x) {
    const Json& node = json.at(key);
    x = node.is_null() ? std::numeric_limits<double>::infinity()
                       : node.get<double>();
  }
  template <class Value, std::size_t kSize>
  void word(const char* key, Value& x, const text::Words<Value, kSize>& words) {
    x = text::find_word(words, json.at(key).get<std::string>()).value();
  }
  template <std::size_t kSize>
  void bits(const char* key, std::uint32_t& x,
            const text::Words<std::uint32_t, kSize>& words) {
    for (const Json& item : json.at(key)) {
      x |= text::find_word(words, item.get<std::string>()).value();
    }
  }
  void pattern(const char* key, std::uint64_t& x, reference::Format) {
    x = text::parse_hex(json.at(key).get<std::string>()).value();
  }
  template <class Object>
  void object(const char* key, Object& x) {
    Reader inner{json.at(key)};
    members(inner, x);
  }
  template <class Object>
  void list(const char* key, std::vector<Object>& all) {
    for (const Json& item : json.at(key)) {
      Reader inner{item};
      members(inner, all.emplace_back());
    }
  }
};

// T or const T.
template <class Any, class T>
concept Is = std::same_as<std::remove_const_t<Any>, T>;

template <class Codec>
void members(Codec& c, Is<judge::Element> auto& e) {
  std::array<std::int64_t, 4> index{e.batch, e.token, e.head, e.channel};
  c.word("tensor", e.tensor, judge::kTensorWords);
  c.word("format", e.format, text::kFormatWords);
  c.value("index", index);
  c.value("pair", e.pair);
  c.value("position", e.position);
  c.number("got", e.got);
  c.number("want", e.want);
  c.pattern("got_bits", e.got_bits, e.format);
  c.pattern("want_bits", e.want_bits, e.format);
  c.number("error", e.error);
  c.number("bound", e.bound);
  if constexpr (Codec::kReads) {
    e.batch = index[0], e.token = index[1];
    e.head = index[2], e.channel = index[3];
    // A value that is not finite is null, and its bits say which it is.
    if (!std::isfinite(e.got)) e.got = decode(e.format, e.got_bits);
    if (!std::isfinite(e.want)) e.want = decode(e.format, e.want_bits);
  }
}

template <class Codec>
void element(Codec& c, const char* key, auto& x) {
  if (!c.has(key, x.has_value())) return;
  if constexpr (Codec::kReads) x.emplace();
  c.object(key, *x);
}

// What a kernel says of itself, as the framed protocol has it.
template <class Codec>
void description(Codec& c, Is<plugin::Description> auto& kernel) {
  if constexpr (Codec::kReads) {
    const nlohmann::json given = c.json.at("description");
    text::StrictObject object(given, "description");
    kernel = plugin::read_description(object);
  } else {
    c.json["description"] = plugin::description_json(kernel);
  }
}

}  // namespace ropeproof::conformance::report
