#include "conformance/text/sha256.h"

#include <openssl/evp.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <utility>

#include "conformance/text/hex.h"

namespace ropeproof::conformance::text {

std::string sha256(std::string_view bytes) {
  return sha256_of([&] { return std::exchange(bytes, {}); });
}

std::string sha256_of(const std::function<std::string_view()>& next_piece) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(
      EVP_MD_CTX_new(), EVP_MD_CTX_free);
  bool is_right = EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
  for (std::string_view piece; !(piece = next_piece()).empty();) {
    is_right &=
        EVP_DigestUpdate(context.get(), piece.data(), piece.size()) == 1;
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (!is_right ||
      EVP_DigestFinal_ex(context.get(), digest.data(), &size) != 1) {
    throw std::runtime_error("libcrypto offers no SHA-256");
  }
  std::string text;
  for (unsigned int i = 0; i < size; ++i) text += hex(digest[i], 2);
  return text;
}

}  // namespace ropeproof::conformance::text
