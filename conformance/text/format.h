// format.h -- numbers as text.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace ropeproof::conformance::text {

// Formats as printf does, at most 255 characters.
template <class... Arguments>
std::string format(const char* pattern, Arguments... arguments) {
  char buffer[256];
  std::snprintf(buffer, sizeof buffer, pattern, arguments...);
  return buffer;
}

// Returns the integer that all of `text` is, nothing if it is none of 64 bits.
inline std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return value;
}

// Returns "32 of 64".
template <class Part, class All>
std::string part_of(Part part, All all) {
  return std::to_string(part) + " of " + std::to_string(all);
}

}  // namespace ropeproof::conformance::text
