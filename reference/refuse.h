// refuse.h -- what is wrong with an argument, in one form.
#ifndef ROPEPROOF_REFERENCE_REFUSE_H_
#define ROPEPROOF_REFERENCE_REFUSE_H_

#include <bit>
#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace ropeproof::reference {

[[noreturn]] inline void refuse(const std::string& field,
                                const std::string& value,
                                const std::string& range) {
  throw std::invalid_argument(field + " is " + value + "; expected " + range);
}

// Whether x is finite, by its bits: no compiler flag can argue that away.
inline bool is_finite(double x) {
  constexpr std::uint64_t kExponent = 0x7ff0000000000000u;
  return (std::bit_cast<std::uint64_t>(x) & kExponent) != kExponent;
}

inline void check_range(const std::string& field, std::int64_t value,
                        std::int64_t low, std::int64_t high) {
  if (value >= low && value <= high) return;
  refuse(field, std::to_string(value),
         std::to_string(low) + " .. " + std::to_string(high));
}

// The shortest decimal that reads back as x, whole numbers below 10^15 without
// an exponent: 500000, not 5e+05.
inline std::string shortest(double x) {
  constexpr double kMost = 1e15;
  char text[32];
  const bool is_whole = -kMost < x && x < kMost &&
                        x == static_cast<double>(static_cast<std::int64_t>(x));
  const auto done = is_whole ? std::to_chars(text, text + sizeof text, x,
                                             std::chars_format::fixed)
                             : std::to_chars(text, text + sizeof text, x);
  return {text, done.ptr};
}

}  // namespace ropeproof::reference

#endif  // ROPEPROOF_REFERENCE_REFUSE_H_
