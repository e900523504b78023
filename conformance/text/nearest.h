// nearest.h -- names that a misspelt one may have meant.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ropeproof::conformance::text {

// The `most` of `names` that the fewest letters inserted, left out or replaced
// make of `given`, nearest first, as "a, b, c".
std::string nearest(std::string_view given, std::vector<std::string> names,
                    std::size_t most = 3);

// "; nearest is NAME", if so few letters are others that it may be meant.
std::string suggestion(std::string_view given,
                       const std::vector<std::string>& names);

}  // namespace ropeproof::conformance::text
