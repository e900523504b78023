// rows.h -- the rows of the speed table: one problem each.
#ifndef ROPEPROOF_CONFORMANCE_BENCH_ROWS_H_
#define ROPEPROOF_CONFORMANCE_BENCH_ROWS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/cases/case.h"
#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::bench {

// A grouped-query layer: 32 query heads, 8 key heads.
inline constexpr std::int64_t kQHeads = 32, kKHeads = 8;

struct Row {
  std::uint32_t operation = ROPEPROOF_ROPE;           // or rotate, table
  reference::Format dtype = reference::Format::kF32;  // of the table, for table
  reference::Layout layout;                           // rotary_dim for table
  std::int64_t tokens = 1;
  bool is_head_major = false;  // [heads, tokens, head_dim] in memory
  int threads = 1;

  bool is_table() const { return operation == ROPEPROOF_TABLE; }
  std::int64_t pairs() const { return layout.rotary_dim / 2; }
  // The first token's; a decode step comes after 4095 tokens.
  std::int64_t first_position() const { return tokens == 1 ? 4095 : 0; }

  // "rope/f32/half_split/64of128/4096", "table/f32/128/131072",
  // "rotate/f32/half_split/128/4096/head_major", ".../2threads".
  std::string name() const;
  // "64 of 128", or "128".
  std::string width() const;
  // "rotate  f32  half_split, 2 threads": what all rows of a group share.
  std::string group() const;

  // Of one run: what is rotated, read once and written once; a table, written
  // once.
  double bytes() const;

  // The row's problem at some of its tokens, with nothing in q and k.
  cases::Case case_at(const std::vector<std::int64_t>& chosen) const;
};

// rope and rotate of 1 (decode), 16, 512 and 4096 tokens, head_dim 64, 128 and
// 256 and 64 of 128, every dtype, interleaved and half-split; rotate of 4096
// tokens head-major; tables of 4096 and 131,072 positions; then rotate by two
// threads.
std::vector<Row> all_rows();

// What a kernel does not offer of a row, in words; empty if it offers it.
std::string missing_feature(const plugin::Description& description,
                            const Row& row, bool shares_memory);

}  // namespace ropeproof::conformance::bench

#endif  // ROPEPROOF_CONFORMANCE_BENCH_ROWS_H_
