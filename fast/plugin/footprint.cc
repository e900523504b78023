#include "fast/plugin/footprint.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace ropeproof::fast {
namespace {

// Whether each dimension steps over all that the smaller ones span.
bool is_nested(const Footprint& footprint) {
  Dimension d[3];
  std::copy(std::begin(footprint.dimensions), std::end(footprint.dimensions),
            d);
  for (Dimension& dimension : d) dimension.stride = std::abs(dimension.stride);
  std::sort(d, d + 3, [](const Dimension& a, const Dimension& b) {
    return a.stride < b.stride;
  });
  std::int64_t span = footprint.length;
  for (const Dimension& dimension : d) {
    if (dimension.size == 1) continue;
    if (dimension.stride < span) return false;
    span += (dimension.size - 1) * dimension.stride;
  }
  return true;
}

}  // namespace

std::optional<Extent> extent_of(const Footprint& footprint) noexcept {
  std::int64_t below = 0, above = footprint.length;
  for (const Dimension& dimension : footprint.dimensions) {
    std::int64_t stretch;
    std::int64_t& side = dimension.stride < 0 ? below : above;
    if (__builtin_mul_overflow(dimension.size - 1, dimension.stride,
                               &stretch) ||
        __builtin_add_overflow(side, stretch, &side)) {
      return std::nullopt;
    }
  }
  const auto address = reinterpret_cast<std::uintptr_t>(footprint.data);
  constexpr std::uintptr_t kHalf = UINTPTR_MAX / 2;
  const auto bytes = [&](std::int64_t elements, std::uintptr_t& result) {
    std::int64_t product;
    if (__builtin_mul_overflow(elements, footprint.element_bytes, &product)) {
      return false;
    }
    result = static_cast<std::uintptr_t>(product);
    return true;
  };
  std::uintptr_t down, up;
  if (below == INT64_MIN || !bytes(-below, down) || !bytes(above, up) ||
      address > kHalf || down > address || up > kHalf - address) {
    return std::nullopt;
  }
  return Extent{address - down, address + up};
}

bool rows_overlap(const Footprint& footprint) {
  if (is_nested(footprint)) return false;
  const auto& [a, b, c] = footprint.dimensions;
  // Two rows of a dimension that repeats itself need no look at the others.
  for (const Dimension& d : footprint.dimensions) {
    if (d.size > 1 && std::abs(d.stride) < footprint.length) return true;
  }
  std::vector<std::int64_t> begins;
  begins.reserve(static_cast<std::size_t>(a.size * b.size * c.size));
  for (std::int64_t i = 0; i < a.size; ++i) {
    for (std::int64_t j = 0; j < b.size; ++j) {
      for (std::int64_t k = 0; k < c.size; ++k) {
        begins.push_back(i * a.stride + j * b.stride + k * c.stride);
      }
    }
  }
  std::sort(begins.begin(), begins.end());
  return std::adjacent_find(begins.begin(), begins.end(),
                            [&](std::int64_t x, std::int64_t y) {
                              return y - x < footprint.length;
                            }) != begins.end();
}

}  // namespace ropeproof::fast
