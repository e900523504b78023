// word_tables.h -- the words that files, flags, reports and the protocol use.
//
// There is one table per enumeration, beside what it names; the schema and the
// adapters' documentation use the same words.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "reference/format.h"
#include "reference/spec.h"

namespace ropeproof::conformance::text {

template <class Value, std::size_t kSize>
using Words = std::array<std::pair<Value, std::string_view>, kSize>;

template <class Value, std::size_t kSize>
std::string word(const Words<Value, kSize>& words, Value value) {
  for (const auto& [known, text] : words) {
    if (known == value) return std::string(text);
  }
  return "?";
}

template <class Value, std::size_t kSize>
constexpr std::optional<Value> find_word(const Words<Value, kSize>& words,
                                         std::string_view text) {
  for (const auto& [value, known] : words) {
    if (known == text) return value;
  }
  return std::nullopt;
}

// Returns the table of the same words for the values that `to` makes of theirs.
template <class Value, std::size_t kSize, class To>
constexpr auto words_for(const Words<Value, kSize>& words, To to) {
  Words<decltype(to(Value())), kSize> result;
  for (std::size_t i = 0; i < kSize; ++i) {
    result[i] = {to(words[i].first), words[i].second};
  }
  return result;
}

// Returns the table of what rows have in these two members.
template <class Row, std::size_t kSize, class Value>
constexpr Words<Value, kSize> columns(const Row (&rows)[kSize],
                                      Value Row::*value,
                                      std::string_view Row::*word) {
  Words<Value, kSize> words;
  for (std::size_t i = 0; i < kSize; ++i) {
    words[i] = {rows[i].*value, rows[i].*word};
  }
  return words;
}

// Returns "a, b or c", for error messages.
template <class Value, std::size_t kSize>
std::string list_words(const Words<Value, kSize>& words) {
  std::string result;
  for (std::size_t i = 0; i < kSize; ++i) {
    if (i > 0) result += i + 1 < kSize ? ", " : " or ";
    result += words[i].second;
  }
  return result;
}

template <class Bits, std::size_t kSize>
constexpr Bits all_bits(const Words<Bits, kSize>& words) {
  Bits bits = 0;
  for (const auto& [bit, word] : words) bits |= bit;
  return bits;
}

template <class Bits, std::size_t kSize>
std::vector<std::string> words_of(const Words<Bits, kSize>& words,
                                  std::type_identity_t<Bits> bits) {
  std::vector<std::string> result;
  for (const auto& [bit, word] : words) {
    if ((bits & bit) != 0) result.emplace_back(word);
  }
  return result;
}

// Returns the texts of a list with `between` between two of them.
template <class List>
std::string joined(const List& list, const char* between) {
  std::string result;
  for (const auto& text : list) {
    if (!result.empty()) result += between;
    result += text;
  }
  return result;
}

inline constexpr Words<reference::Format, 4> kFormatWords{
    {{reference::Format::kF64, "f64"},
     {reference::Format::kF32, "f32"},
     {reference::Format::kF16, "f16"},
     {reference::Format::kBF16, "bf16"}}};

inline constexpr Words<reference::Pairing, 4> kPairingWords{
    {{reference::Pairing::kInterleaved, "interleaved"},
     {reference::Pairing::kHalfSplit, "half_split"},
     {reference::Pairing::kInterleavedToHalf, "interleaved_to_half"},
     {reference::Pairing::kNestedHalfSplit, "nested_half_split"}}};

inline constexpr Words<reference::Direction, 2> kDirectionWords{
    {{reference::Direction::kForward, "forward"},
     {reference::Direction::kAdjoint, "adjoint"}}};

// A function table_of(enumerator) returns the one table of an enumeration. It
// stands beside the table, in the enumeration's namespace; for reference/ here.
constexpr const auto& table_of(reference::Format) { return kFormatWords; }
constexpr const auto& table_of(reference::Pairing) { return kPairingWords; }
constexpr const auto& table_of(reference::Direction) { return kDirectionWords; }

template <class Value>
concept HasTable = requires(Value value) {
  table_of(value);
};

template <HasTable Value>
std::string word(Value value) {
  return word(table_of(value), value);
}

}  // namespace ropeproof::conformance::text
