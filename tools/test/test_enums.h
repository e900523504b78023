// test_enums.h -- for tests, which all include it first: Catch2 prints an
// enumerator by its name, "kPass", not as an integer.
#pragma once

#include <catch2/catch_tostring.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ropeproof {

// The name of an enumerator, as GCC and Clang have it in what they call this
// function: "[... kValue = ropeproof::Verdict::kPass]". Empty for other values
// of the type, "kValue = (ropeproof::Verdict)9".
template <auto kValue>
constexpr std::string_view enumerator() {
  std::string_view name = __PRETTY_FUNCTION__;
  name.remove_prefix(name.find("kValue = "));
  name = name.substr(0, name.find_first_of(";]"));
  name.remove_prefix(name.rfind(':') + 1);
  return name.find(')') == name.npos ? name : "";
}

template <class Enum, std::size_t... kNumbers>
std::string enumerator(Enum value, std::index_sequence<kNumbers...>) {
  constexpr std::string_view kNames[] = {
      enumerator<static_cast<Enum>(kNumbers)>()...};
  const auto number = static_cast<std::size_t>(value);
  const bool is_named = number < std::size(kNames) && !kNames[number].empty();
  return is_named ? std::string(kNames[number]) : std::to_string(number);
}

}  // namespace ropeproof

namespace Catch {

template <class Enum>
requires(std::is_enum_v<Enum> && !std::is_convertible_v<Enum, int>)  // scoped
    struct StringMaker<Enum> {
  static std::string convert(Enum value) {
    return ropeproof::enumerator(value, std::make_index_sequence<64>());
  }
};

}  // namespace Catch
