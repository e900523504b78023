#include "reference/spec.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

namespace ropeproof::reference {
namespace {

[[noreturn]] void refuse(const std::string& field, const std::string& value,
                         const std::string& range) {
  throw std::invalid_argument(field + " is " + value + "; expected " + range);
}

void check_range(const std::string& field, std::int64_t value, std::int64_t low,
                 std::int64_t high) {
  if (value < low || value > high) {
    refuse(field, std::to_string(value),
           std::to_string(low) + " .. " + std::to_string(high));
  }
}

// By bits, so that no compiler flag can argue it away.
bool is_finite(double x) {
  constexpr std::uint64_t kExponent = 0x7ff0000000000000u;
  return (std::bit_cast<std::uint64_t>(x) & kExponent) != kExponent;
}

// More channels per head, or heads per tensor, than this are a mistake; and the
// size of a tensor, at most 2^60, stays in range.
constexpr std::int64_t kMaxHeadDim = 1 << 20;
constexpr std::int64_t kMaxCount = std::int64_t{1} << 40;

}  // namespace

void validate(const Spec& spec) {
  const Layout& layout = spec.layout;
  check_range("head_dim", layout.head_dim, 2, kMaxHeadDim);
  check_range("rotary_dim", layout.rotary_dim, 2, layout.head_dim);
  if (layout.rotary_dim % 2 != 0) {
    refuse("rotary_dim", std::to_string(layout.rotary_dim), "an even number");
  }
  check_range("rotary_offset", layout.rotary_offset, 0,
              layout.head_dim - layout.rotary_dim);

  const Frequencies& frequencies = spec.frequencies;
  if (frequencies.inv_freq.empty()) {
    if (!is_finite(frequencies.base) || !(frequencies.base > 0)) {
      refuse("base", std::to_string(frequencies.base), "a finite number > 0");
    }
  } else {
    const auto pairs = static_cast<std::size_t>(layout.rotary_dim / 2);
    if (frequencies.inv_freq.size() != pairs) {
      refuse("inv_freq", std::to_string(frequencies.inv_freq.size()) + " long",
             "rotary_dim/2 = " + std::to_string(pairs) + " entries");
    }
    for (const double theta : frequencies.inv_freq) {
      if (!is_finite(theta)) {
        refuse("inv_freq", std::to_string(theta), "finite numbers");
      }
    }
  }
  if (!is_finite(frequencies.amplitude)) {
    refuse("amplitude", std::to_string(frequencies.amplitude),
           "a finite number");
  }
}

void validate(const Shape& shape) {
  check_range("batch", shape.batch, 0, kMaxCount);
  const std::int64_t seqs = std::max<std::int64_t>(shape.batch, 1);
  check_range("seq", shape.seq, 0, kMaxCount / seqs);
  const std::int64_t tokens = seqs * std::max<std::int64_t>(shape.seq, 1);
  check_range("heads", shape.heads, 0, kMaxCount / tokens);
}

void validate_position(std::int64_t position) {
  check_range("position", position, -kMaxPosition, kMaxPosition);
}

}  // namespace ropeproof::reference
