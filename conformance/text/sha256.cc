#include "conformance/text/sha256.h"

#include <openssl/evp.h>

#include <array>
#include <stdexcept>

#include "conformance/text/hex.h"

namespace ropeproof::conformance::text {

std::string sha256(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(),
                 nullptr) != 1) {
    throw std::runtime_error("libcrypto offers no SHA-256");
  }
  std::string text;
  for (unsigned int i = 0; i < size; ++i) text += hex(digest[i], 2);
  return text;
}

}  // namespace ropeproof::conformance::text
