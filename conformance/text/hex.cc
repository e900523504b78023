#include "conformance/text/hex.h"

#include <bit>
#include <charconv>

namespace ropeproof::conformance::text {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

}  // namespace

std::string hex(std::uint64_t bits, int digits) {
  std::string text(static_cast<std::size_t>(digits), '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit) {
    *digit = kDigits[bits & 15];
    bits >>= 4;
  }
  return text;
}

std::string hex(double value) {
  return hex(std::bit_cast<std::uint64_t>(value), 16);
}

bool is_hex(std::string_view text) {
  return text.find_first_not_of(kDigits) == std::string_view::npos;
}

std::optional<std::uint64_t> parse_hex(std::string_view text) {
  std::uint64_t bits = 0;
  const char* const end = text.data() + text.size();
  const auto done = std::from_chars(text.data(), end, bits, 16);
  if (!is_hex(text) || done.ec != std::errc() || done.ptr != end) return {};
  return bits;
}

}  // namespace ropeproof::conformance::text
