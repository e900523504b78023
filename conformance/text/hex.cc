#include "conformance/text/hex.h"

#include <bit>

namespace ropeproof::conformance::text {

std::string hex(std::uint64_t bits, int digits) {
  std::string text(static_cast<std::size_t>(digits), '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit) {
    *digit = "0123456789abcdef"[bits & 15];
    bits >>= 4;
  }
  return text;
}

std::string hex(double value) {
  return hex(std::bit_cast<std::uint64_t>(value), 16);
}

}  // namespace ropeproof::conformance::text
