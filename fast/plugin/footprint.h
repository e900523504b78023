// footprint.h -- where the rows of a strided tensor lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "hwy/base.h"

namespace ropeproof::fast {

// Whether `data` is there, and aligned as its elements need: to a power of two.
inline bool is_array(const void* data, std::size_t element_bytes) noexcept {
  return data != nullptr &&
         (reinterpret_cast<std::uintptr_t>(data) & (element_bytes - 1)) == 0;
}

struct Dimension {
  std::int64_t size, stride;  // size >= 1
};

// Rows of `length` elements, one for every index into three dimensions.
struct Footprint {
  const void* data;
  std::int64_t element_bytes, length;
  Dimension dimensions[3];
};

// Addresses from the first to the last byte, gaps included.
struct Extent {
  std::uintptr_t begin, end;
};

// The extent of a footprint; nothing if it does not fit into the address space.
// Inline: a decode step would wait for copies of the arguments longer than for
// the arithmetic.
HWY_INLINE std::optional<Extent> extent_of(
    const Footprint& footprint) noexcept {
  std::int64_t below = 0, above = footprint.length;
  for (const Dimension& dimension : footprint.dimensions) {
    std::int64_t stretch;
    if (__builtin_mul_overflow(dimension.size - 1, dimension.stride,
                               &stretch) ||
        __builtin_add_overflow(below, stretch < 0 ? stretch : 0, &below) ||
        __builtin_add_overflow(above, stretch < 0 ? 0 : stretch, &above)) {
      return std::nullopt;
    }
  }
  std::int64_t down, up;
  constexpr std::uintptr_t kHalf = UINTPTR_MAX / 2;
  const auto address = reinterpret_cast<std::uintptr_t>(footprint.data);
  if (__builtin_mul_overflow(below, footprint.element_bytes, &down) ||
      __builtin_mul_overflow(above, footprint.element_bytes, &up) ||
      address > kHalf || -static_cast<std::uintptr_t>(down) > address ||
      static_cast<std::uintptr_t>(up) > kHalf - address) {
    return std::nullopt;
  }
  return Extent{address + static_cast<std::uintptr_t>(down),
                address + static_cast<std::uintptr_t>(up)};
}

inline bool overlap(const Extent& a, const Extent& b) noexcept {
  return a.begin < b.end && b.begin < a.end;
}

// Whether two of the rows share an element. Exact.
// Throws std::bad_alloc. Cost: constant for rows nested in rows; else sorts.
bool rows_overlap(const Footprint& footprint);

}  // namespace ropeproof::fast
