#include "conformance/bench/rows.h"

#include "conformance/check/offered.h"
#include "conformance/judge/tolerance.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::bench {

using reference::Format;
using reference::Pairing;

std::string Row::width() const {
  const std::string rotary = std::to_string(layout.rotary_dim);
  return layout.rotary_dim == layout.head_dim
             ? rotary
             : rotary + " of " + std::to_string(layout.head_dim);
}

std::string Row::name() const {
  std::string text = text::word(plugin::kOperationWords, operation) + "/" +
                     text::word(text::kFormatWords, dtype) + "/";
  if (!is_table()) {
    text += text::word(text::kPairingWords, layout.pairing) + "/";
  }
  for (const char letter : width()) {
    if (letter != ' ') text += letter;
  }
  text += "/" + std::to_string(tokens);
  if (is_head_major) text += "/head_major";
  if (threads > 1) text += "/" + std::to_string(threads) + "threads";
  return text;
}

std::string Row::group() const {
  std::string text = text::word(plugin::kOperationWords, operation) + "  " +
                     text::word(text::kFormatWords, dtype);
  if (!is_table()) {
    text += "  " + text::word(text::kPairingWords, layout.pairing);
  }
  if (is_head_major) text += ", head-major";
  if (threads > 1) text += ", " + std::to_string(threads) + " threads";
  return text;
}

double Row::bytes() const {
  const std::int64_t heads = is_table() ? 1 : kQHeads + kKHeads;
  const auto size = static_cast<std::int64_t>(plugin::bytes_of(dtype));
  return static_cast<double>((is_table() ? 1 : 2) * tokens * heads *
                             layout.rotary_dim * size);
}

cases::Case Row::case_at(const std::vector<std::int64_t>& chosen) const {
  cases::Case c;
  c.id = name();
  c.problem.dtype = dtype;
  c.problem.spec.layout = layout;
  c.problem.batch = 1;
  c.problem.seq = static_cast<std::int64_t>(chosen.size());
  if (!is_table()) {
    c.problem.q_heads = kQHeads;
    c.problem.k_heads = kKHeads;
  }
  if (is_head_major) c.problem.storage = cases::kStrided;
  for (const std::int64_t token : chosen) {
    c.problem.positions.push_back(
        static_cast<double>(first_position() + token));
  }
  return c;
}

std::vector<Row> all_rows() {
  constexpr Pairing kPairings[] = {Pairing::kHalfSplit, Pairing::kInterleaved};
  std::vector<Row> rows;
  for (const std::uint32_t operation : {ROPEPROOF_ROPE, ROPEPROOF_ROTATE}) {
    for (const Format dtype : {Format::kF32, Format::kF16, Format::kBF16}) {
      for (const Pairing pairing : kPairings) {
        for (const std::int64_t tokens : {1, 16, 512, 4096}) {
          for (const reference::Layout& layout :
               {reference::leading(64, 64, pairing),
                reference::leading(128, 128, pairing),
                reference::leading(256, 256, pairing),
                reference::leading(128, 64, pairing)}) {
            rows.push_back({operation, dtype, layout, tokens});
          }
        }
      }
    }
  }
  for (const Pairing pairing : kPairings) {
    rows.push_back({ROPEPROOF_ROTATE, Format::kF32,
                    reference::leading(128, 128, pairing), 4096, true});
  }
  const reference::Layout half = reference::leading(128, 128, kPairings[0]);
  for (const std::int64_t tokens : {4096, 131072}) {
    rows.push_back({ROPEPROOF_TABLE, Format::kF32, half, tokens});
  }
  for (const Format dtype : {Format::kF32, Format::kBF16}) {
    for (const std::int64_t tokens : {1, 4096}) {
      rows.push_back({ROPEPROOF_ROTATE, dtype, half, tokens, false, 2});
    }
  }
  return rows;
}

std::string missing_feature(const plugin::Description& description,
                            const Row& row, bool shares_memory) {
  if (row.threads > 1 && !shares_memory) return "threads of this process";
  const cases::Case c = row.case_at({0, row.tokens - 1});
  const std::string missing = check::missing_feature(description, row.operation,
                                                     c.problem, shares_memory);
  if (!missing.empty() || !row.is_table()) return missing;
  const Format table = judge::claim_of(description, row.dtype).table;
  return table == row.dtype
             ? ""
             : "table in " + text::word(text::kFormatWords, row.dtype);
}

}  // namespace ropeproof::conformance::bench
