// hex.h -- bit patterns as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ropeproof::conformance::text {

// Returns the lowest 4 * `digits` bits in lower case, most significant digit
// first.
std::string hex(std::uint64_t bits, int digits);

// Returns all 16 digits of a binary64.
std::string hex(double value);

// Whether the text has nothing but digits.
bool is_hex(std::string_view text);

// Returns the number that at most 16 digits form, nothing if they form none.
std::optional<std::uint64_t> parse_hex(std::string_view text);

}  // namespace ropeproof::conformance::text
