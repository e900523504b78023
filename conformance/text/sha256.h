// sha256.h -- the digest that names bytes in manifests and ledgers.
#ifndef ROPEPROOF_CONFORMANCE_TEXT_SHA256_H_
#define ROPEPROOF_CONFORMANCE_TEXT_SHA256_H_

#include <string>
#include <string_view>

namespace ropeproof::conformance::text {

// Returns the digest in lower-case hex.
std::string sha256(std::string_view bytes);

}  // namespace ropeproof::conformance::text

#endif  // ROPEPROOF_CONFORMANCE_TEXT_SHA256_H_
