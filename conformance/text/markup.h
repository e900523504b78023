// markup.h -- text inside HTML, XML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace ropeproof::conformance::text {

// Returns printable(text), which XML 1.0 can hold, as content or as an
// attribute in double quotes.
std::string escaped(std::string_view text);

}  // namespace ropeproof::conformance::text
