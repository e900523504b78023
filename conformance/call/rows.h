// rows.h -- rows of elements in memory, and how to read and write them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "conformance/cases/case.h"
#include "conformance/plugin/blocks.h"
#include "reference/spec.h"

namespace ropeproof::conformance::call {

// Distances between rows, in elements.
struct Strides {
  std::int64_t batch = 0, token = 0, head = 0;
};

// Rows of `length` elements each, which lie back to back. With a stride of 0
// rows are the same one.
struct Rows {
  reference::Shape shape;
  std::int64_t length = 0;
  Strides strides;
};

inline Rows list_of(std::size_t count) {
  return {{1, 1, 1}, static_cast<std::int64_t>(count), {}};
}

// A wide stride is longer than 16 bits can say; of `count` rows a far stride
// apart, two or more, the last one begins where 32 bits cannot say.
inline constexpr std::int64_t kWideStride = (std::int64_t{1} << 16) + 7;
constexpr std::int64_t far_stride(std::int64_t count) {
  return ((std::int64_t{1} << 32) + count - 2) / (count - 1) + 3;
}

// Returns the number of elements from the first to the last.
std::size_t extent(const Rows& rows);

// Whether the gaps are larger than the rows, and too large to fill.
bool is_sparse(const Rows& rows);

// Returns where the rows lie, in bytes from the first one: in ascending order,
// one range for what lies back to back. Strides must nest, in any order of
// dimensions.
std::vector<plugin::ByteRange> ranges_of(const Rows& rows, std::size_t width);

struct Array {
  Rows rows;
  std::size_t width = 0;      // bytes per element: 2, 4 or 8
  std::byte* data = nullptr;  // the first element
  std::size_t buffer = 0;     // number
};

// Reads or writes the elements, row by row.
cases::Bits read(const Array& array);
void write(const Array& array, const cases::Bits& bits);

}  // namespace ropeproof::conformance::call
