// wildcard.h -- patterns of case ids.
#ifndef ROPEPROOF_CONFORMANCE_TEXT_WILDCARD_H_
#define ROPEPROOF_CONFORMANCE_TEXT_WILDCARD_H_

#include <string_view>

namespace ropeproof::conformance::text {

// Whether the whole of `text` matches `pattern`: * is any run of characters, ?
// any one, all else itself. Cost: at most pattern times text.
bool matches(std::string_view pattern, std::string_view text);

}  // namespace ropeproof::conformance::text

#endif  // ROPEPROOF_CONFORMANCE_TEXT_WILDCARD_H_
