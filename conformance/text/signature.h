// signature.h -- a JSON document that says who wrote it: Ed25519 (RFC 8032).
#pragma once

#include <string>
#include <string_view>

namespace ropeproof::conformance::text {

// Adds a last member, "signature": "ed25519:...", to an object as dump() writes
// it: one line, or lines indented by one space. It signs all bytes of `json`,
// the line feed at the end too. `key` is a file with a private key in PEM, as
// `openssl genpkey -algorithm ed25519` makes it; no copy of it stays in memory.
// Throws std::invalid_argument, one line, where it holds none.
std::string with_signature(std::string_view json, const std::string& key);

// Throws the same where the file does not begin as one with a private key does,
// and reads no more of it: a process that is forked after this has no secret.
void expect_private_key(const std::string& key);

// Returns what was signed, or the document as it is where it has no signature.
std::string without_signature(std::string_view json);

// Returns why a document is not what the owner of the public key in the file
// `key` (PEM) signed, in words; empty where it is, byte for byte. Throws
// std::invalid_argument, one line, where the file holds none.
std::string why_not_signed(std::string_view json, const std::string& key);

}  // namespace ropeproof::conformance::text
