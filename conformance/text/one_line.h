// one_line.h -- text from elsewhere, fit to stand in a message.
#ifndef ROPEPROOF_CONFORMANCE_TEXT_ONE_LINE_H_
#define ROPEPROOF_CONFORMANCE_TEXT_ONE_LINE_H_

#include <string>
#include <string_view>

namespace ropeproof::conformance::text {

// `text` on one line, without control characters, at most 300 bytes long.
std::string one_line(std::string_view text);

}  // namespace ropeproof::conformance::text

#endif  // ROPEPROOF_CONFORMANCE_TEXT_ONE_LINE_H_
