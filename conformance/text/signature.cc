#include "conformance/text/signature.h"

#include <fcntl.h>
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <optional>
#include <stdexcept>

#include "conformance/text/file.h"
#include "conformance/text/hex.h"
#include "conformance/text/one_line.h"

namespace ropeproof::conformance::text {
namespace {

constexpr std::size_t kBytes = 64;  // of a signature
constexpr std::string_view kName = "\"signature\":", kScheme = "\"ed25519:";

using Signature = std::array<unsigned char, kBytes>;
using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Context = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

// Nobody is asked for the pass phrase of an encrypted key.
int no_phrase(char*, int, int, void*) { return 0; }

[[noreturn]] void refuse(const std::string& file, const char* kind) {
  throw std::invalid_argument(
      one_line(file) + ": holds no " + kind +
      " Ed25519 key in PEM without a pass phrase; openssl genpkey -algorithm "
      "ed25519 and openssl pkey -pubout make them");
}

template <class Read>
Key read_key(const std::string& file, const Read& read, const char* kind) {
  auto pem = read_whole(file);
  if (!pem) throw std::invalid_argument(one_line(file) + ": cannot be read");
  const std::unique_ptr<BIO, decltype(&BIO_free)> bytes(
      BIO_new_mem_buf(pem->data(), static_cast<int>(pem->size())), BIO_free);
  Key key(bytes ? read(bytes.get(), nullptr, no_phrase, nullptr) : nullptr,
          EVP_PKEY_free);
  OPENSSL_cleanse(pem->data(), pem->size());
  if (!key || EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_ED25519) {
    refuse(file, kind);
  }
  return key;
}

const unsigned char* data_of(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

// Where the object ends: its closing brace, or the line feed before that.
std::size_t end_of(std::string_view json) {
  const std::size_t brace = json.rfind('}');
  if (brace == std::string_view::npos) return brace;
  return brace > 0 && json[brace - 1] == '\n' ? brace - 1 : brace;
}

// The member, as dump() would write it.
std::string member(std::string_view json, const Signature& signature) {
  const bool has_lines = json[end_of(json)] == '\n';
  std::string text = has_lines ? ",\n " : ",";
  text += kName;
  if (has_lines) text += ' ';
  text += kScheme;
  for (const unsigned char byte : signature) text += hex(byte, 2);
  return text + '"';
}

std::string joined_with(std::string_view json, const Signature& signature) {
  std::string text(json);
  return text.insert(end_of(json), member(json, signature));
}

struct Signed {
  std::string json;
  Signature signature;
};

// Nothing where the document has no signature, or one that is written in
// another way: all that signing adds is fixed, so that no byte is free.
std::optional<Signed> split(std::string_view text) {
  const std::size_t name = text.rfind(kName);
  const std::size_t scheme = text.rfind(kScheme);
  if (name == std::string_view::npos || scheme == std::string_view::npos ||
      scheme < name) {
    return std::nullopt;
  }
  const std::size_t comma = text.substr(0, name).rfind(','),
                    digits = scheme + kScheme.size(),
                    end = digits + 2 * kBytes + 1;
  if (comma == std::string_view::npos || end > text.size()) return std::nullopt;
  Signed parts;
  for (std::size_t i = 0; i < kBytes; ++i) {
    const auto byte = parse_hex(text.substr(digits + 2 * i, 2));
    if (!byte) return std::nullopt;
    parts.signature[i] = static_cast<unsigned char>(*byte);
  }
  parts.json =
      std::string(text.substr(0, comma)) + std::string(text.substr(end));
  if (end_of(parts.json) == std::string_view::npos ||
      joined_with(parts.json, parts.signature) != text) {
    return std::nullopt;
  }
  return parts;
}

}  // namespace

void expect_private_key(const std::string& key) {
  constexpr std::string_view kBegin = "-----BEGIN PRIVATE KEY-----";
  char begin[kBegin.size()];
  const int file = open(key.c_str(), O_RDONLY | O_CLOEXEC);
  const ssize_t size = file < 0 ? -1 : read(file, begin, sizeof begin);
  if (file >= 0) close(file);
  if (size < 0) throw std::invalid_argument(one_line(key) + ": cannot be read");
  if (std::string_view(begin, static_cast<std::size_t>(size)) != kBegin) {
    refuse(key, "private");
  }
}

std::string with_signature(std::string_view json, const std::string& key) {
  const Key secret = read_key(key, PEM_read_bio_PrivateKey, "private");
  const Context context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  Signature signature{};
  std::size_t size = signature.size();
  if (!context ||
      EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr,
                         secret.get()) != 1 ||
      EVP_DigestSign(context.get(), signature.data(), &size, data_of(json),
                     json.size()) != 1 ||
      size != signature.size()) {
    throw std::runtime_error("libcrypto cannot sign");
  }
  return joined_with(json, signature);
}

std::string without_signature(std::string_view json) {
  auto parts = split(json);
  return parts ? std::move(parts->json) : std::string(json);
}

std::string why_not_signed(std::string_view json, const std::string& key) {
  const Key owner = read_key(key, PEM_read_bio_PUBKEY, "public");
  const auto parts = split(json);
  if (!parts) return "has no signature, or is cut short";
  const Context context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  if (!context || EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr,
                                       owner.get()) != 1) {
    throw std::runtime_error("libcrypto cannot check signatures");
  }
  const bool is_good =
      EVP_DigestVerify(context.get(), parts->signature.data(),
                       parts->signature.size(), data_of(parts->json),
                       parts->json.size()) == 1;
  return is_good ? ""
                 : "was changed after it was signed, or signed by another key";
}

}  // namespace ropeproof::conformance::text
