// footprint.h -- where the rows of a strided tensor lie.
#ifndef ROPEPROOF_FAST_PLUGIN_FOOTPRINT_H_
#define ROPEPROOF_FAST_PLUGIN_FOOTPRINT_H_

#include <cstddef>
#include <cstdint>
#include <optional>

namespace ropeproof::fast {

// There, and aligned as its elements need.
inline bool is_array(const void* data, std::size_t element_bytes) noexcept {
  return data != nullptr &&
         reinterpret_cast<std::uintptr_t>(data) % element_bytes == 0;
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

// Nothing if it does not fit into the address space.
std::optional<Extent> extent_of(const Footprint& footprint) noexcept;

inline bool overlap(const Extent& a, const Extent& b) noexcept {
  return a.begin < b.end && b.begin < a.end;
}

// Whether two of the rows share an element. Exact.
// Throws std::bad_alloc. Cost: constant for rows nested in rows; else sorts.
bool rows_overlap(const Footprint& footprint);

}  // namespace ropeproof::fast

#endif  // ROPEPROOF_FAST_PLUGIN_FOOTPRINT_H_
