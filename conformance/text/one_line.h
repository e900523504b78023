// one_line.h -- text from elsewhere, fit to stand in a message.
#pragma once

#include <string>
#include <string_view>

namespace ropeproof::conformance::text {

// Returns `text` as UTF-8 that a terminal, JSON and XML can hold: bytes that
// are no UTF-8 become U+FFFD, control characters but line feeds become spaces,
// and so do those that have a terminal write from right to left.
std::string printable(std::string_view text);

// Returns printable(text) on one line, at most 300 bytes long.
std::string one_line(std::string_view text);

}  // namespace ropeproof::conformance::text
