#include <cstddef>
#include <cstring>

#include "fast/rope_fast.h"

namespace ropeproof::fast {

void permute(const Layout& from, std::int64_t heads, std::size_t row_bytes,
             const void* in, void* out) noexcept {
  const auto head_dim = static_cast<std::size_t>(from.head_dim);
  const auto offset = static_cast<std::size_t>(from.rotary_offset);
  const auto half = static_cast<std::size_t>(from.rotary_dim) / 2;
  const auto* source = static_cast<const std::byte*>(in);
  auto* target = static_cast<std::byte*>(out);
  const auto copy = [&](std::size_t to_row, std::size_t from_row,
                        std::size_t rows) {
    std::memcpy(target + to_row * row_bytes, source + from_row * row_bytes,
                rows * row_bytes);
  };

  const auto rows = static_cast<std::size_t>(heads) * head_dim;
  for (std::size_t head = 0; head < rows; head += head_dim) {
    const std::size_t begin = head + offset, end = begin + 2 * half;
    copy(head, head, offset);
    for (std::size_t j = 0; j < half; ++j) {
      for (std::size_t side = 0; side < 2; ++side) {
        const std::size_t interleaved = begin + 2 * j + side;
        const std::size_t split = begin + j + side * half;
        if (from.pairing == Pairing::kInterleaved) {
          copy(split, interleaved, 1);
        } else {
          copy(interleaved, split, 1);
        }
      }
    }
    copy(end, end, head + head_dim - end);
  }
}

}  // namespace ropeproof::fast
