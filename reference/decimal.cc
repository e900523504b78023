#include "reference/decimal.h"

#include <algorithm>
#include <bit>
#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>

namespace ropeproof::reference {

std::string to_decimal(double x, int digits) {
  using boost::multiprecision::cpp_int;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto field = static_cast<int>((bits >> 52) & 0x7ff);
  cpp_int significand = bits & 0x000fffffffffffffu;
  if (field != 0) significand += std::uint64_t{1} << 52;
  const int exponent = (field == 0 ? 1 : field) - 1075;

  // |x| * 10^digits as a fraction, then rounded.
  cpp_int numerator =
      significand * pow(cpp_int(10), static_cast<unsigned>(digits));
  cpp_int denominator = 1;
  (exponent >= 0 ? numerator : denominator) <<=
      static_cast<unsigned>(exponent >= 0 ? exponent : -exponent);
  cpp_int quotient, remainder;
  divide_qr(numerator, denominator, quotient, remainder);
  remainder *= 2;
  if (remainder > denominator ||
      (remainder == denominator && (quotient & 1) != 0)) {
    ++quotient;
  }

  const auto places = static_cast<std::size_t>(digits);
  const std::string shortest = quotient.str();
  const std::size_t width = std::max(shortest.size(), places + 1);
  const std::string padded(width - shortest.size(), '0');
  const std::string text = padded + shortest;
  const bool negative = (bits >> 63) != 0 && quotient != 0;
  return (negative ? "-" : "") + text.substr(0, width - places) + "." +
         text.substr(width - places);
}

}  // namespace ropeproof::reference
