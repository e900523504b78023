// refuse.h -- what is wrong with an argument, in one form. Each check throws
// std::invalid_argument naming the field, its value and its range.
#pragma once

#include <bit>
#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

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

inline void check_at_least(const std::string& field, double value, double low) {
  if (!is_finite(value) || !(value >= low)) {
    refuse(field, shortest(value), "a finite number >= " + shortest(low));
  }
}

inline void check_positive(const std::string& field, double value) {
  if (!is_finite(value) || !(value > 0)) {
    refuse(field, shortest(value), "a finite number > 0");
  }
}

inline void check_finite(const std::string& field, double value) {
  if (!is_finite(value)) refuse(field, shortest(value), "a finite number");
}

// A list that has one entry per pair.
template <class T>
void check_length(const std::string& field, const std::vector<T>& list,
                  std::int64_t pairs) {
  if (list.size() != static_cast<std::size_t>(pairs)) {
    refuse(field, std::to_string(list.size()) + " long",
           "rotary_dim/2 = " + std::to_string(pairs) + " entries");
  }
}

inline void check_factors(const std::string& field,
                          const std::vector<double>& list, std::int64_t pairs) {
  check_length(field, list, pairs);
  for (const double factor : list) check_positive(field, factor);
}

}  // namespace ropeproof::reference
