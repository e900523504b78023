// encoding_case.h -- what RoPE is compared with, as vectors:
// vectors/encodings.json.
//
// A topic of its own: no operation of a kernel takes these cases, and no run
// loads them.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/cases/case.h"
#include "reference/encodings/encoding.h"

namespace ropeproof::conformance::cases {

// Names of the encodings, by the index of Encoding.
inline constexpr std::array<std::string_view, 12> kEncodingNames = {
    "integer",    "normalised",     "binary",  "sine",
    "sinusoidal", "shift",          "learned", "decay",
    "relative",   "transformer_xl", "t5",      "alibi"};

// The encoding of this name with no parameter set; nothing if there is none.
std::optional<reference::encodings::Encoding> encoding_named(
    std::string_view name);

// visit(name, parameter) for every parameter of an encoding: an integer, a
// truth value, a double, or a vector of them.
template <class AnyEncoding, class Visit>
void for_each_parameter(AnyEncoding& encoding, const Visit& visit) {
  std::visit(
      [&](auto& e) {
        if constexpr (requires { e.dim; }) visit("dim", e.dim);
        if constexpr (requires { e.head_dim; }) visit("head_dim", e.head_dim);
        if constexpr (requires { e.length; }) visit("length", e.length);
        if constexpr (requires { e.channels; }) visit("channels", e.channels);
        if constexpr (requires { e.heads; }) visit("heads", e.heads);
        if constexpr (requires { e.buckets; }) visit("buckets", e.buckets);
        if constexpr (requires { e.max_distance; }) {
          visit("max_distance", e.max_distance);
        }
        if constexpr (requires { e.is_causal; })
          visit("is_causal", e.is_causal);
        if constexpr (requires { e.base; }) visit("base", e.base);
        if constexpr (requires { e.table; }) visit("table", e.table);
        if constexpr (requires { e.w_q; }) {
          visit("x", e.x);
          visit("w_q", e.w_q);
          visit("w_ke", e.w_ke);
          visit("w_kr", e.w_kr);
          visit("u", e.u);
          visit("v", e.v);
        }
      },
      encoding);
}

struct EncodingCase {
  std::string id;  // as a Case's
  std::string comment;
  reference::encodings::Encoding encoding;
  std::vector<std::int64_t> positions;

  // Goldens, binary64 rounded to odd, of reference::encodings::shape().
  int precision_bits = 0;
  Bits values;

  // Decimals that a document prints for them.
  struct Printed {
    std::string source, tolerance;  // absolute, a decimal
    std::vector<std::string> values;
  };
  std::optional<Printed> printed;
};

// Every encoding case, without goldens. `source_text` is the text of
// vectors/sources/sinusoidal_table.json; throws FileError naming `file`.
std::vector<EncodingCase> encoding_cases(const std::string& source_text,
                                         const std::string& file);

void prove(reference::Oracle oracle, EncodingCase& c);

// The file, and one case of it as LEDGER.txt knows it (vector_file.h).
std::string write_encodings(std::span<const EncodingCase> cases);
std::string content_of(const EncodingCase& c);

// Throws FileError naming `file` and the place, as read_group does.
std::vector<EncodingCase> read_encodings(const std::string& text,
                                         const std::string& file);

// The encodings of a folder of vectors; none where it has no such file.
std::vector<EncodingCase> load_encodings(const std::filesystem::path& vectors);

}  // namespace ropeproof::conformance::cases
