#include "conformance/bench/rows.h"

#include "conformance/check/features.h"
#include "conformance/judge/tolerance.h"
#include "conformance/plugin/words.h"
#include "conformance/text/words.h"

namespace ropeproof::conformance::bench {

using reference::Format;
using reference::Pairing;

std::string SpeedRow::width() const {
  const std::string turning = std::to_string(layout.rotary_dim);
  return layout.rotary_dim == layout.head_dim
             ? turning
             : turning + " of " + std::to_string(layout.head_dim);
}

std::string SpeedRow::name() const {
  std::string text = text::word(plugin::kOperationWords, operation) + "/" +
                     text::word(text::kFormatWords, dtype) + "/";
  if (!is_table())
    text += text::word(text::kPairingWords, layout.pairing) + "/";
  for (const char letter : width()) {
    if (letter != ' ') text += letter;
  }
  return text + "/" + std::to_string(tokens);
}

double SpeedRow::bytes() const {
  const std::int64_t heads = is_table() ? 1 : kSpeedQHeads + kSpeedKHeads;
  const auto size = static_cast<std::int64_t>(plugin::bytes_of(dtype));
  return static_cast<double>((is_table() ? 1 : 2) * tokens * heads *
                             layout.rotary_dim * size);
}

cases::RopeCase SpeedRow::case_at(
    const std::vector<std::int64_t>& chosen) const {
  cases::RopeCase c;
  c.id = name();
  c.dtype = dtype;
  c.spec.layout = layout;
  c.batch = 1;
  c.seq = static_cast<std::int64_t>(chosen.size());
  if (!is_table()) {
    c.q_heads = kSpeedQHeads;
    c.k_heads = kSpeedKHeads;
  }
  for (const std::int64_t token : chosen) {
    c.positions.push_back(static_cast<double>(first_position() + token));
  }
  return c;
}

std::vector<SpeedRow> speed_rows() {
  std::vector<SpeedRow> rows;
  for (const std::uint32_t operation : {ROPEPROOF_ROPE, ROPEPROOF_ROTATE}) {
    for (const Format dtype : {Format::kF32, Format::kF16, Format::kBF16}) {
      for (const Pairing pairing :
           {Pairing::kHalfSplit, Pairing::kInterleaved}) {
        for (const std::int64_t tokens : {1, 512, 4096}) {
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
  rows.push_back({ROPEPROOF_TABLE, Format::kF32,
                  reference::leading(128, 128, Pairing::kHalfSplit), 131072});
  return rows;
}

std::string missing_feature(const plugin::Description& description,
                            const SpeedRow& row, bool shares_memory) {
  const cases::RopeCase c = row.case_at({0, row.tokens - 1});
  const std::string missing =
      check::missing_feature(description, row.operation, c, shares_memory);
  if (!missing.empty() || !row.is_table()) return missing;
  const Format table = judge::claim_of(description, row.dtype).table;
  return table == row.dtype
             ? ""
             : "table in " + text::word(text::kFormatWords, row.dtype);
}

}  // namespace ropeproof::conformance::bench
