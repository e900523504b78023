// bits_json.h -- bit patterns as hex strings in JSON, written and read.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "conformance/cases/case.h"
#include "conformance/text/hex.h"
#include "conformance/text/strict_json.h"
#include "reference/format.h"
#include "reference/spec.h"

namespace ropeproof::conformance::cases {

using text::hex;
std::string hex(std::uint64_t bits, reference::Format format);

// Rows of `row` elements, each one string.
nlohmann::ordered_json hex_rows(const Bits& bits, std::int64_t row,
                                reference::Format format);

// One row of binary64.
std::string hex_row(const std::vector<double>& values);

// The readers below throw FileError naming the place.
Bits read_rows(text::StrictObject& object, const std::string& key,
               std::int64_t count, std::int64_t row, reference::Format format);
double read_double(text::StrictObject& object, const std::string& key);
double read_pattern(const std::string& text, const std::string& where);
std::vector<double> read_doubles(text::StrictObject& object,
                                 const std::string& key, std::int64_t count);

// A parameter of a scaling or an encoding: a list of `count` numbers, a number,
// one that may be absent, a truth value or an integer from 0 on.
template <class T>
void write_parameter(nlohmann::ordered_json& object, const char* key,
                     const T& value) {
  if constexpr (std::is_same_v<T, std::vector<double>>) {
    object[key] = hex_row(value);
  } else if constexpr (std::is_same_v<T, double>) {
    object[key] = hex(value);
  } else if constexpr (std::is_same_v<T, std::optional<double>>) {
    if (value) object[key] = hex(*value);
  } else {
    object[key] = value;
  }
}
template <class T>
void read_parameter(text::StrictObject& object, const char* key,
                    std::int64_t count, T& value) {
  if constexpr (std::is_same_v<T, std::vector<double>>) {
    value = read_doubles(object, key, count);
  } else if constexpr (std::is_same_v<T, double>) {
    value = read_double(object, key);
  } else if constexpr (std::is_same_v<T, std::optional<double>>) {
    if (object.find(key) != nullptr) value = read_double(object, key);
  } else if constexpr (std::is_same_v<T, bool>) {
    value = object.flag(key);
  } else {
    value = object.integer(key, 0, reference::kMaxPosition);
  }
}

}  // namespace ropeproof::conformance::cases
