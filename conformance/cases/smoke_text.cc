#include "conformance/cases/smoke_text.h"

#include <stdexcept>

#include "conformance/cases/bits_json.h"
#include "conformance/cases/spec_json.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::cases {
namespace {

using reference::Format;

constexpr const char* kHeader =
    R"(# The smoke cases of ropeproof, one per line; for readers without JSON.
# Words are separated by one space. In this order:
#   id dtype pairing direction head_dim rotary_dim rotary_offset
#   batch seq q_heads k_heads   integers
#   base amplitude              bit patterns of binary64, 16 hex digits
# and then lists, each its length followed by as many words:
#   positions     integers, [batch, seq]
#   inv_freq_hi   binary64, [rotary_dim/2]; hi + lo is radians per position
#   inv_freq_lo   binary64, [rotary_dim/2]
#   q             bit patterns of dtype, [batch, seq, q_heads, head_dim]
#   k             bit patterns of dtype, [batch, seq, k_heads, head_dim]
#   expected_q    binary64, as q: cast once to dtype, correctly rounded
#   expected_k    binary64, as k
# Row-major, the last index fastest. Most significant digit first.
# README.md and schema.json say what the words mean.
)";

void add_word(std::string& line, const std::string& text) {
  line += (line.empty() ? "" : " ") + text;
}

void add_list(std::string& line, const Bits& bits, Format format) {
  add_word(line, std::to_string(bits.size()));
  for (const std::uint64_t pattern : bits) add_word(line, hex(pattern, format));
}

// What a consumer of the columns cannot know must not matter.
void require_plain(const Case& c) {
  nlohmann::ordered_json variant = nlohmann::ordered_json::object();
  write_variant(c.problem.spec, variant);
  if (!variant.empty() || c.problem.has_real_positions() ||
      c.problem.is_special || c.problem.dtype == Format::kF64) {
    throw std::logic_error("case " + c.id + " does not fit smoke.txt");
  }
}

std::string line_of(const Case& c) {
  require_plain(c);
  std::string line;
  add_word(line, c.id);
  add_word(line, text::word(text::kFormatWords, c.problem.dtype));
  add_word(line,
           text::word(text::kPairingWords, c.problem.spec.layout.pairing));
  add_word(line, text::word(text::kDirectionWords, c.problem.spec.direction));
  for (const std::int64_t size :
       {c.problem.spec.layout.head_dim, c.problem.spec.layout.rotary_dim,
        c.problem.spec.layout.rotary_offset, c.problem.batch, c.problem.seq,
        c.problem.q_heads, c.problem.k_heads}) {
    add_word(line, std::to_string(size));
  }
  add_word(line, hex(c.problem.spec.frequencies.base));
  add_word(line, hex(c.golden.amplitude));
  add_word(line, std::to_string(c.problem.positions.size()));
  for (const double p : c.problem.positions) {
    add_word(line, std::to_string(static_cast<std::int64_t>(p)));
  }
  add_list(line, c.golden.inv_freq_hi, Format::kF64);
  add_list(line, c.golden.inv_freq_lo, Format::kF64);
  add_list(line, c.problem.q, c.problem.dtype);
  add_list(line, c.problem.k, c.problem.dtype);
  add_list(line, c.golden.q, Format::kF64);
  add_list(line, c.golden.k, Format::kF64);
  return line + "\n";
}

}  // namespace

std::string smoke_text(std::span<const Group> groups) {
  std::string text = kHeader;
  for (const Group& group : groups) {
    if (group.tier != Tier::kSmoke) continue;
    for (const Case& c : group.rope_cases) text += line_of(c);
  }
  return text;
}

}  // namespace ropeproof::conformance::cases
