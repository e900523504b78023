// markup.h -- text inside HTML, XML and SVG.
#ifndef ROPEPROOF_CONFORMANCE_TEXT_MARKUP_H_
#define ROPEPROOF_CONFORMANCE_TEXT_MARKUP_H_

#include <string>
#include <string_view>

namespace ropeproof::conformance::text {

// Returns printable(text), which XML 1.0 can hold, as content or as an
// attribute in double quotes.
std::string escaped(std::string_view text);

}  // namespace ropeproof::conformance::text

#endif  // ROPEPROOF_CONFORMANCE_TEXT_MARKUP_H_
