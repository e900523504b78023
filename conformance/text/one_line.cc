#include "conformance/text/one_line.h"

#include <algorithm>

namespace ropeproof::conformance::text {

std::string one_line(std::string_view text) {
  constexpr std::size_t kLimit = 300;
  std::string line(text);
  if (line.size() > kLimit) {
    std::size_t end = kLimit - 3;
    // Not in the middle of a character of UTF-8.
    while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) {
      --end;
    }
    line.replace(end, std::string::npos, "...");
  }
  std::replace_if(
      line.begin(), line.end(),
      [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; },
      ' ');
  return line;
}

}  // namespace ropeproof::conformance::text
