// wildcard.h -- patterns of case ids.
#pragma once

#include <string_view>

namespace ropeproof::conformance::text {

// Whether the whole of `text` matches `pattern`: * is any run of characters, ?
// any one, all else itself. Cost: at most pattern times text.
bool matches(std::string_view pattern, std::string_view text);

}  // namespace ropeproof::conformance::text
