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
  for (Dimension& dimension : d) {  // of size 1: any stride, even INT64_MIN
    dimension.stride = dimension.size == 1 ? 0 : std::abs(dimension.stride);
  }
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
