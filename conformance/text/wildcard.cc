#include "conformance/text/wildcard.h"

#include <cstddef>

namespace ropeproof::conformance::text {

bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0;
  // The last star and the text that it has swallowed: where to go on from when
  // the characters after it do not fit.
  std::size_t star = std::string_view::npos, swallowed = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      swallowed = t;
    } else if (p < pattern.size() &&
               (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++swallowed;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace ropeproof::conformance::text
