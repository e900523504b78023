// hardest.h -- finds the values that lie closest to a rounding boundary.
//
// A boundary of a format is a number half-way between two of its neighbours:
// there a correctly rounded result changes. N random values come as close as
// 1/(2N) ulp to one; a search over all of them finds the few where an
// implementation needs the most bits to round correctly.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/format.h"
#include "reference/golden.h"
#include "reference/sweep/double_double.h"

namespace ropeproof::reference::sweep {

// What is close to a boundary: cos, sin, or x_u cos - x_v sin.
enum class Hard { kCos, kSin, kRotated };

struct HardCase {
  Format format = Format::kF32;
  Hard what = Hard::kCos;
  double base = 0;
  std::int64_t rotary_dim = 0, pair = 0, position = 0;
  double x_u = 0, x_v = 0;  // kRotated; numbers of `format`
  double distance = 0;      // from the boundary, in ulps of `format` at y
};

// The distance of y from the nearest boundary, in ulps of `format` around y.
// Off by what y is off by, over the ulp.
double boundary_distance(Format format, DoubleDouble y);

struct HardSearch {
  std::vector<double> bases;
  std::vector<std::int64_t> rotary_dims;
  std::int64_t dense = 0;    // every position 1 .. dense - 1, cos and sin
  std::int64_t limit = 0;    // and as many random ones below this
  std::int64_t rotated = 0;  // random positions with random x, half below dense
  std::size_t cos_sin_kept = 0, rotated_kept = 0;  // for each format and kind
  std::uint64_t seed = 0;
};

// The closest, for each format and kind, closest first. A function of `search`
// alone, whatever the number of threads. Throws ArithmeticError, and what
// golden.h throws.
std::vector<HardCase> find_hardest(Oracle oracle, const HardSearch& search);

}  // namespace ropeproof::reference::sweep
