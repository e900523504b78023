#include "conformance/diagnosis/written.h"

#include <bit>
#include <cmath>
#include <limits>

#include "conformance/cases/storage.h"

namespace ropeproof::conformance::diagnosis {

using reference::Format;

namespace {

// For what a buffer held before the call: a NaN that no arithmetic forms.
constexpr std::uint64_t kUnwrittenBits = 0x7ff800000000dead;
const double kUnwritten = std::bit_cast<double>(kUnwrittenBits);

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool is_unwritten(double x) {
  return std::bit_cast<std::uint64_t>(x) == kUnwrittenBits;
}

}  // namespace

double written_number(Format format, std::uint64_t bits) {
  const int total = reference::traits(format).total_bits;
  for (const std::uint64_t byte : cases::kOutputFills) {
    if (bits == byte * 0x0101010101010101 >> (64 - total)) return kUnwritten;
  }
  return decode(format, bits);
}

double distance(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) {
    return std::isnan(a) == std::isnan(b) && is_unwritten(a) == is_unwritten(b)
               ? 0
               : kInfinity;
  }
  return a == b ? 0 : std::abs(a - b);
}

double as_in(Format dtype, double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const bool is_filled =
      bits == (bits & 0xff) * 0x0101010101010101 && bits != 0;
  return is_filled
             ? decode(dtype, bits >> (64 - reference::traits(dtype).total_bits))
             : x;
}

}  // namespace ropeproof::conformance::diagnosis
