#include "conformance/text/one_line.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ropeproof::conformance::text {
namespace {

unsigned char byte_at(const std::string& text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

// Whether a character of three bytes changes the order or the lines of the
// text around it: U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069.
bool reorders(unsigned char second, unsigned char third) {
  return (second == 0x80 && (third == 0x8e || third == 0x8f ||
                             (third >= 0xa8 && third <= 0xae))) ||
         (second == 0x81 && third >= 0xa6 && third <= 0xa9);
}

// The length of the control character or XML's noncharacter at `i` of valid
// UTF-8; 0: there is none.
std::size_t control_length(const std::string& text, std::size_t i) {
  const unsigned char first = byte_at(text, i);
  if (first < ' ' || first == 0x7f) return 1;
  const bool is_c1 = first == 0xc2 && byte_at(text, i + 1) < 0xa0;
  const bool is_arabic_mark = first == 0xd8 && byte_at(text, i + 1) == 0x9c;
  if (is_c1 || is_arabic_mark) return 2;
  if (first == 0xe2 && reorders(byte_at(text, i + 1), byte_at(text, i + 2))) {
    return 3;
  }
  const bool is_noncharacter = first == 0xef && byte_at(text, i + 1) == 0xbf &&
                               byte_at(text, i + 2) >= 0xbe;
  return is_noncharacter ? 3 : 0;
}

}  // namespace

std::string printable(std::string_view text) {
  using Json = nlohmann::json;
  const std::string valid = Json::parse(
      Json(text).dump(-1, ' ', false, Json::error_handler_t::replace));
  std::string result;
  for (std::size_t i = 0; i < valid.size();) {
    const std::size_t length = valid[i] == '\n' ? 0 : control_length(valid, i);
    result += length > 0 ? ' ' : valid[i];
    i += std::max<std::size_t>(length, 1);
  }
  return result;
}

std::string one_line(std::string_view text) {
  constexpr std::size_t kLimit = 300;
  std::string line = printable(text);
  if (line.size() > kLimit) {
    std::size_t end = kLimit - 3;
    // Not in the middle of a character of UTF-8.
    while (end > 0 && (byte_at(line, end) & 0xC0) == 0x80) --end;
    line.replace(end, std::string::npos, "...");
  }
  std::ranges::replace(line, '\n', ' ');
  return line;
}

}  // namespace ropeproof::conformance::text
