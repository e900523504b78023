// format.h -- numbers as text.
#ifndef ROPEPROOF_CONFORMANCE_TEXT_FORMAT_H_
#define ROPEPROOF_CONFORMANCE_TEXT_FORMAT_H_

#include <cstdio>
#include <string>

namespace ropeproof::conformance::text {

// As printf; at most 255 characters.
template <class... Arguments>
std::string format(const char* pattern, Arguments... arguments) {
  char buffer[256];
  std::snprintf(buffer, sizeof buffer, pattern, arguments...);
  return buffer;
}

// "32 of 64".
template <class Part, class All>
std::string part_of(Part part, All all) {
  return std::to_string(part) + " of " + std::to_string(all);
}

}  // namespace ropeproof::conformance::text

#endif  // ROPEPROOF_CONFORMANCE_TEXT_FORMAT_H_
