#include "conformance/explain/written.h"

#include <bit>
#include <cmath>
#include <limits>

#include "conformance/cases/storage.h"

namespace ropeproof::conformance::explain {

using reference::Format;

namespace {

// For what a buffer held before the call: a NaN that no arithmetic forms; and
// another where that is a NaN itself, which may have been written.
constexpr std::uint64_t kUnwrittenBits = 0x7ff800000000dead;
constexpr std::uint64_t kPerhapsBits = 0x7ff800000000beef;

constexpr double kUnlike = std::numeric_limits<double>::infinity();

bool are_bits(double x, std::uint64_t bits) {
  return std::bit_cast<std::uint64_t>(x) == bits;
}

}  // namespace

double written_number(Format format, std::uint64_t bits) {
  const double number = decode(format, bits);
  if (!cases::is_output_fill(format, bits)) return number;
  return std::bit_cast<double>(std::isnan(number) ? kPerhapsBits
                                                  : kUnwrittenBits);
}

double unwritten_number() { return std::bit_cast<double>(kUnwrittenBits); }

bool may_be_unwritten(double number) {
  return are_bits(number, kUnwrittenBits) || are_bits(number, kPerhapsBits);
}

double distance(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) {
    const bool may_be_like =
        are_bits(a, kPerhapsBits) || are_bits(b, kPerhapsBits) ||
        are_bits(a, kUnwrittenBits) == are_bits(b, kUnwrittenBits);
    return std::isnan(a) && std::isnan(b) && may_be_like ? 0 : kUnlike;
  }
  return a == b ? 0 : std::abs(a - b);
}

}  // namespace ropeproof::conformance::explain
