#include "conformance/text/signature.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace ropeproof::conformance::text {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

// A pair of keys in files that go away.
class Keys {
 public:
  explicit Keys(int type = EVP_PKEY_ED25519) {
    static int number = 0;
    const fs::path folder = fs::temp_directory_path();
    const std::string name = "ropeproof-" + std::to_string(::getpid()) + "-" +
                             std::to_string(++number);
    secret = (folder / (name + ".pem")).string();
    open = (folder / (name + ".pub")).string();
    EVP_PKEY* key = nullptr;
    EVP_PKEY_CTX* const context = EVP_PKEY_CTX_new_id(type, nullptr);
    REQUIRE(EVP_PKEY_keygen_init(context) == 1);
    REQUIRE(EVP_PKEY_keygen(context, &key) == 1);
    std::FILE* file = std::fopen(secret.c_str(), "w");
    PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr);
    std::fclose(file);
    file = std::fopen(open.c_str(), "w");
    PEM_write_PUBKEY(file, key);
    std::fclose(file);
    EVP_PKEY_free(key);
    EVP_PKEY_CTX_free(context);
  }
  ~Keys() {
    fs::remove(secret);
    fs::remove(open);
  }
  Keys(const Keys&) = delete;
  Keys& operator=(const Keys&) = delete;

  std::string secret, open;
};

// A report's form, and a verdict's.
constexpr const char* kDocuments[] = {
    "{\n \"a\": {\n  \"signature\": 1\n }\n}\n",
    "{\"a\":\"\\\"signature\\\":\\\"ed25519:\"}", "{\"a\":1}\n"};

TEST_CASE("no byte of a signed document can be changed", "[text]") {
  const Keys keys;
  for (const std::string json : kDocuments) {
    const std::string whole = with_signature(json, keys.secret);
    CAPTURE(whole);
    CHECK(whole.size() == json.size() + (json[1] == '\n' ? 154 : 151));
    CHECK(why_not_signed(whole, keys.open) == "");
    CHECK(without_signature(whole) == json);
    CHECK(with_signature(json, keys.secret) == whole);
    std::size_t accepted = 0;
    for (std::size_t i = 0; i < whole.size(); ++i) {
      for (const int change : {1, 32}) {
        std::string other = whole;
        other[i] = static_cast<char>(other[i] ^ change);
        accepted += why_not_signed(other, keys.open).empty() ? 1u : 0u;
      }
      accepted += why_not_signed(whole.substr(0, i), keys.open).empty();
    }
    accepted += why_not_signed(whole + "\n", keys.open).empty();
    accepted += why_not_signed(' ' + whole, keys.open).empty();
    CHECK(accepted == 0);
  }
}

TEST_CASE("who has not signed is told so", "[text]") {
  const Keys keys, others;
  for (const std::string json : kDocuments) {
    CHECK(without_signature(json) == json);
    CHECK_THAT(why_not_signed(json, keys.open),
               ContainsSubstring("no signature"));
    const std::string whole = with_signature(json, keys.secret);
    CHECK_THAT(why_not_signed(whole, others.open),
               ContainsSubstring("another key"));
    // A signature that belongs to another document.
    std::string moved = whole;
    moved.replace(moved.find("\"a\""), 3, "\"b\"");
    CHECK_THAT(why_not_signed(moved, keys.open), ContainsSubstring("changed"));
  }
  for (const std::string text : {"", "{", "}", "\"signature\":\"ed25519:"}) {
    CHECK_THAT(why_not_signed(text, keys.open),
               ContainsSubstring("no signature"));
  }
}

TEST_CASE("what is no Ed25519 key signs nothing", "[text]") {
  const Keys keys, other(EVP_PKEY_ED448);
  const auto fails = [](const auto& body, const std::string& text) {
    CHECK_THROWS_MATCHES(body(), std::invalid_argument,
                         MessageMatches(ContainsSubstring(text)));
  };
  expect_private_key(keys.secret);
  for (const std::string& file : {keys.open, other.secret}) {
    fails([&] { with_signature("{}", file); }, "no private Ed25519 key");
  }
  fails([&] { expect_private_key(keys.open); }, "no private Ed25519 key");
  fails([&] { expect_private_key(keys.secret + "x"); }, "cannot be read");
  fails([&] { with_signature("{}", keys.secret + "x"); }, "cannot be read");
  for (const std::string& file : {keys.secret, other.open}) {
    fails([&] { static_cast<void>(why_not_signed("{}", file)); },
          "no public Ed25519 key");
  }
}

}  // namespace
}  // namespace ropeproof::conformance::text
