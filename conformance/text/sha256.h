// sha256.h -- the digest that names bytes in manifests and ledgers.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace ropeproof::conformance::text {

// Returns the digest in lower-case hex.
std::string sha256(std::string_view bytes);

// Returns the digest of pieces one after another; an empty one is the end.
std::string sha256_of(const std::function<std::string_view()>& next_piece);

}  // namespace ropeproof::conformance::text
