// decimal.h -- exact decimals, for judging what documents print.
#pragma once

#include <charconv>
#include <iterator>
#include <string>

namespace ropeproof::reference {

// `x` rounded to `digits` decimals after the point, ties to even, exactly:
// "-215.0415"; what rounds to zero has no sign. `x` is finite, 1 <= digits <=
// 18. Of a golden (a real number rounded to odd) it is the rounded real number,
// unless a tie lies within an ulp of it.
inline std::string to_decimal(double x, int digits) {
  char text[336];  // 309 digits before the point
  const auto [end, error] =
      std::to_chars(text, std::end(text), x, std::chars_format::fixed, digits);
  const std::string decimal(text, end);
  const bool is_zero = decimal.find_first_of("123456789") == std::string::npos;
  return is_zero && decimal[0] == '-' ? decimal.substr(1) : decimal;
}

}  // namespace ropeproof::reference
