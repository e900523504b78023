// Positions, amplitudes and angle tables of a problem: rows without heads.
#include <algorithm>

#include "conformance/check/call.h"
#include "conformance/check/call_layout.h"
#include "conformance/plugin/words.h"

namespace ropeproof::conformance::check {
namespace {

using reference::Format;

// Gaps after each row of positions, amplitudes and tables (token), and after as
// many rows as lie together (batch), in elements.
constexpr Strides kRowGaps{5, 3, 0};

}  // namespace

Call::Rows Call::lay_rows(std::int64_t outer, std::int64_t inner,
                          std::int64_t length) const {
  Rows rows;
  rows.shape = {outer, inner, 1};
  rows.length = length;
  rows.strides =
      with_gaps(rows.shape, length, has_gaps_ ? kRowGaps : Strides{});
  // No gap behind the last row: what borders it is the guard page or the zone.
  for_each_element(rows.shape, rows.strides, length,
                   [&](std::size_t offset) { rows.extent = offset + 1; });
  return rows;
}

std::size_t Call::add_rows(const std::string& name, const Rows& rows,
                           const cases::Bits& bits, std::size_t width,
                           std::optional<std::uint64_t> gap) {
  const std::size_t buffer =
      add_buffer(name, rows.extent * width, width, kFinite);
  std::byte* const data = buffers_[buffer].data;
  for (std::size_t i = 0; gap && i < rows.extent; ++i) {
    store(data + i * width, *gap, width);
  }
  std::size_t i = 0;
  for_each_element(rows.shape, rows.strides, rows.length,
                   [&](std::size_t offset) {
                     store(data + offset * width, bits[i++], width);
                   });
  return buffer;
}

std::size_t Call::add_output_rows(const std::string& name, const Rows& rows,
                                  std::size_t width) {
  const std::size_t index = add_output(name, rows.extent, width);
  Buffer& buffer = buffers_[index];
  buffer.kind = Buffer::kMixed;
  buffer.is_output.resize(buffer.bytes);
  for_each_element(
      rows.shape, rows.strides, rows.length, [&](std::size_t offset) {
        std::fill_n(buffer.is_output.begin() +
                        static_cast<std::ptrdiff_t>(offset * width),
                    width, std::uint8_t{1});
      });
  return index;
}

Call::Rows Call::lay_tables() {
  const Rows rows = lay_rows(case_->batch, case_->seq, case_->pairs());
  problem_.table_token_stride = rows.strides.token;
  problem_.table_batch_stride = rows.strides.batch;
  return rows;
}

// Given tables are the goldens, each rounded once to the table's dtype.
void Call::add_tables(std::uint32_t operation, Format table) {
  table_width_ = plugin::bytes_of(table);
  problem_.table_dtype = plugin::abi_dtype(table);
  table_rows_ = lay_tables();
  if (operation == ROPEPROOF_TABLE) {
    cos_ = add_output_rows("cos", table_rows_, table_width_);
    sin_ = add_output_rows("sin", table_rows_, table_width_);
  } else {
    const auto rounded = [&](const cases::Bits& goldens) {
      cases::Bits bits;
      for (const std::uint64_t golden : goldens) {
        bits.push_back(encode(table, decode(Format::kF64, golden)));
      }
      return bits;
    };
    cos_ = add_rows("cos", table_rows_, rounded(case_->cos), table_width_);
    sin_ = add_rows("sin", table_rows_, rounded(case_->sin), table_width_);
  }
  problem_.cos = buffers_[*cos_].data;
  problem_.sin = buffers_[*sin_].data;
}

cases::Bits Call::read(std::size_t buffer, const Rows& rows,
                       std::size_t width) const {
  cases::Bits bits;
  for_each_element(
      rows.shape, rows.strides, rows.length, [&](std::size_t offset) {
        bits.push_back(load(buffers_[buffer].data + offset * width, width));
      });
  return bits;
}

}  // namespace ropeproof::conformance::check
