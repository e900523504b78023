#include "conformance/call/rows.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/large.h"

namespace ropeproof::conformance::call {
namespace {

// Calls f(row) for every row, in row-major order.
template <class F>
void for_each_row(const Array& array, const F& f) {
  const auto& [shape, length, strides] = array.rows;
  const auto width = static_cast<std::int64_t>(array.width);
  for (std::int64_t b = 0; b < shape.batch; ++b) {
    for (std::int64_t s = 0; s < shape.seq; ++s) {
      for (std::int64_t h = 0; h < shape.heads; ++h) {
        f(array.data +
          (b * strides.batch + s * strides.token + h * strides.head) * width);
      }
    }
  }
}

}  // namespace

std::size_t extent(const Rows& rows) {
  const auto& [shape, length, strides] = rows;
  if (shape.batch * shape.seq * shape.heads * length == 0) return 0;
  return static_cast<std::size_t>((shape.batch - 1) * strides.batch +
                                  (shape.seq - 1) * strides.token +
                                  (shape.heads - 1) * strides.head + length);
}

bool is_sparse(const Rows& rows) {
  const auto& [batch, seq, heads] = rows.shape;
  const std::size_t all = extent(rows);
  return all > std::size_t{1} << 16 &&
         all > 2 * static_cast<std::size_t>(batch * seq * heads * rows.length);
}

std::vector<plugin::ByteRange> ranges_of(const Rows& rows, std::size_t width) {
  struct Dimension {
    std::int64_t count, stride;
  };
  const auto& [shape, length, strides] = rows;
  std::vector<plugin::ByteRange> ranges;
  if (extent(rows) == 0) return ranges;
  std::array<Dimension, 3> d{{{shape.batch, strides.batch},
                              {shape.seq, strides.token},
                              {shape.heads, strides.head}}};
  for (Dimension& dimension : d) {
    if (dimension.stride == 0) dimension.count = 1;
  }
  std::ranges::sort(d, std::ranges::greater(), &Dimension::stride);
  const auto row = static_cast<std::size_t>(length) * width;
  for (std::int64_t i = 0; i < d[0].count; ++i) {
    for (std::int64_t j = 0; j < d[1].count; ++j) {
      for (std::int64_t k = 0; k < d[2].count; ++k) {
        const std::size_t at =
            static_cast<std::size_t>(i * d[0].stride + j * d[1].stride +
                                     k * d[2].stride) *
            width;
        if (!ranges.empty() && ranges.back().end == at) {
          ranges.back().end += row;
        } else {
          ranges.push_back({at, at + row});
        }
      }
    }
  }
  return ranges;
}

cases::Bits read(const Array& array) {
  const auto& [shape, length, strides] = array.rows;
  const auto row = static_cast<std::size_t>(length);
  auto bits = plugin::large<std::uint64_t>(
      static_cast<std::size_t>(shape.batch * shape.seq * shape.heads) * row);
  std::uint64_t* to = bits.data();
  plugin::with_element(array.width, [&]<class T>(T) {
    for_each_row(array, [&](const std::byte* from) {
      for (std::size_t t = 0; t < row; ++t) {
        T element;
        std::memcpy(&element, from + t * sizeof(T), sizeof(T));
        to[t] = element;
      }
      to += row;
    });
  });
  return bits;
}

void write(const Array& array, const cases::Bits& bits) {
  const auto row = static_cast<std::size_t>(array.rows.length);
  const std::uint64_t* from = bits.data();
  plugin::with_element(array.width, [&]<class T>(T) {
    for_each_row(array, [&](std::byte* to) {
      for (std::size_t t = 0; t < row; ++t) {
        const auto element = static_cast<T>(from[t]);
        std::memcpy(to + t * sizeof(T), &element, sizeof(T));
      }
      from += row;
    });
  });
}

}  // namespace ropeproof::conformance::call
