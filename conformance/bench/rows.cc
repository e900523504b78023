#include "conformance/bench/rows.h"

#include <initializer_list>
#include <numeric>
#include <utility>

#include "conformance/check/offered.h"
#include "conformance/judge/tolerance.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/text/format.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::bench {

using reference::Format;
using reference::Pairing;

std::string Row::width() const {
  const std::int64_t head = problem.spec.layout.head_dim,
                     rotary = problem.spec.layout.rotary_dim;
  return rotary == head ? std::to_string(rotary) : text::part_of(rotary, head);
}

std::size_t Row::element_bytes() const {
  return plugin::bytes_of(problem.dtype);
}

double Row::bytes() const {
  const std::int64_t vectors =
      is_table() ? 1 : 2 * (problem.q_heads + problem.k_heads);
  return static_cast<double>(vectors * problem.seq *
                             problem.spec.layout.rotary_dim) *
         static_cast<double>(element_bytes());
}

Row make_row(std::uint32_t operation, Format dtype,
             const reference::Layout& layout, std::int64_t tokens,
             bool is_head_major, int threads) {
  Row row;
  row.operation = operation;
  row.threads = threads;
  cases::Problem& p = row.problem;
  p.dtype = dtype;
  p.spec.layout = layout;
  p.batch = 1;
  p.seq = tokens;
  if (!row.is_table()) {
    p.q_heads = 32;
    p.k_heads = 8;
  }
  if (is_head_major) p.storage = cases::kStrided;
  p.positions.resize(static_cast<std::size_t>(tokens));
  std::iota(p.positions.begin(), p.positions.end(), tokens == 1 ? 4095.0 : 0.0);

  row.name = row.group = text::word(plugin::kOperationWords, operation);
  const auto add = [&](const std::string& word) {
    row.name += "/" + word;
    row.group += "  " + word;
  };
  add(text::word(text::kFormatWords, dtype));
  if (!row.is_table()) add(text::word(text::kPairingWords, layout.pairing));
  row.name += "/" + row.width() + "/" + std::to_string(tokens);
  std::erase(row.name, ' ');
  if (is_head_major) {
    row.name += "/head_major";
    row.group += ", head-major";
  }
  if (threads > 1) {
    row.name += "/" + std::to_string(threads) + "threads";
    row.group += ", " + std::to_string(threads) + " threads";
  }
  return row;
}

std::vector<Row> all_rows() {
  constexpr Pairing kPairings[] = {Pairing::kHalfSplit, Pairing::kInterleaved};
  std::vector<Row> rows;
  for (const std::uint32_t operation : {ROPEPROOF_ROPE, ROPEPROOF_ROTATE}) {
    for (const Format dtype : {Format::kF32, Format::kF16, Format::kBF16}) {
      for (const Pairing pairing : kPairings) {
        for (const std::int64_t tokens : {1, 16, 512, 4096}) {
          for (const auto& [head, rotary] :
               std::initializer_list<std::pair<int, int>>{
                   {64, 64}, {128, 128}, {256, 256}, {128, 64}}) {
            rows.push_back(make_row(operation, dtype,
                                    reference::leading(head, rotary, pairing),
                                    tokens));
          }
        }
      }
    }
  }
  for (const Pairing pairing : kPairings) {
    rows.push_back(make_row(ROPEPROOF_ROTATE, Format::kF32,
                            reference::leading(128, 128, pairing), 4096, true));
  }
  const reference::Layout half = reference::leading(128, 128, kPairings[0]);
  for (const std::int64_t tokens : {4096, 131072}) {
    rows.push_back(make_row(ROPEPROOF_TABLE, Format::kF32, half, tokens));
  }
  for (const Format dtype : {Format::kF32, Format::kBF16}) {
    for (const std::int64_t tokens : {1, 4096}) {
      rows.push_back(make_row(ROPEPROOF_ROTATE, dtype, half, tokens, false, 2));
    }
  }
  const auto add_moving = [&](auto positions, const std::string& word) {
    Row row = make_row(ROPEPROOF_ROPE, Format::kF32, half, 1);
    row.positions = positions;
    row.name += "/" + word;
    row.group += ", position " + word;
    rows.push_back(std::move(row));
  };
  add_moving(Row::kGoesOn, "goes_on");
  add_moving(Row::kJumps, "jumps");
  return rows;
}

std::string missing_feature(const plugin::Description& description,
                            const Row& row, bool shares_memory) {
  if (row.threads > 1 && !shares_memory) return "threads of this process";
  const std::string missing = check::missing_feature(
      description, row.operation, row.problem, shares_memory);
  const Format dtype = row.problem.dtype;
  if (!missing.empty() || !row.is_table() ||
      judge::claim_of(description, dtype).table == dtype) {
    return missing;
  }
  return "table in " + text::word(text::kFormatWords, dtype);
}

}  // namespace ropeproof::conformance::bench
