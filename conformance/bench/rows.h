// rows.h -- the rows of the speed table: one problem each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "conformance/cases/case.h"
#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::bench {

struct Row {
  // "rope/f32/half_split/64of128/4096", "table/f32/128/131072",
  // "rotate/f32/half_split/128/4096/head_major", ".../2threads".
  std::string name;
  // "rotate  f32  half_split, 2 threads": what all rows of a group share.
  std::string group;
  std::uint32_t operation = ROPEPROOF_ROPE;  // or rotate, table
  cases::Problem problem;  // dtype: of the table, for table; without q and k
  int threads = 1;
  // Whether each call of a decode step is at one position, the next, or any.
  enum { kStays, kGoesOn, kJumps } positions = kStays;

  bool is_table() const { return operation == ROPEPROOF_TABLE; }
  // [heads, tokens, head_dim] in memory.
  bool is_head_major() const { return !problem.storage.is_dense(); }
  // "64 of 128", or "128".
  std::string width() const;
  std::size_t element_bytes() const;
  // The traffic of one run: what is rotated, read once and written once; a
  // table, written once.
  double bytes() const;
};

// The row of a grouped-query layer: 32 query heads, 8 key heads. The first
// token's position is 0, but a decode step comes after 4095 tokens.
Row make_row(std::uint32_t operation, reference::Format dtype,
             const reference::Layout& layout, std::int64_t tokens,
             bool is_head_major = false, int threads = 1);

// All rows, which README.md describes.
std::vector<Row> all_rows();

// What a kernel does not offer of a row, in words; empty if it offers it.
std::string missing_feature(const plugin::Description& description,
                            const Row& row, bool shares_memory);

}  // namespace ropeproof::conformance::bench
