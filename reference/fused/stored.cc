#include "reference/fused/stored.h"

#include <cmath>
#include <limits>

#include "reference/bound/bound.h"

namespace ropeproof::reference::fused {

double stored_error(Stored type) {
  return bound::composed(bound::gamma(2, 0x1p-24), traits(type).unit_roundoff);
}

double decode(Stored type, std::uint8_t byte) {
  if (type == Stored::kInt8) return static_cast<std::int8_t>(byte);
  const int fraction_bits = type == Stored::kE4M3 ? 3 : 2;
  const int bias = type == Stored::kE4M3 ? 7 : 15;
  const int magnitude = byte & 0x7f;
  const double sign = byte < 0x80 ? 1 : -1;
  if (type == Stored::kE4M3 && magnitude == 0x7f) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const int exponent = magnitude >> fraction_bits;
  const int fraction = magnitude & ((1 << fraction_bits) - 1);
  if (type == Stored::kE5M2 && exponent == 0x1f) {
    return fraction == 0 ? sign * HUGE_VAL
                         : std::numeric_limits<double>::quiet_NaN();
  }
  const int hidden = exponent == 0 ? 0 : 1 << fraction_bits;
  const int scale = (exponent == 0 ? 1 : exponent) - bias - fraction_bits;
  return sign * std::ldexp(hidden + fraction, scale);
}

}  // namespace ropeproof::reference::fused
