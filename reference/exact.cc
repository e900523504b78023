#include "reference/exact.h"

#include <bit>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <numeric>

#include "reference/rope.h"

namespace ropeproof::reference {
namespace {

using boost::multiprecision::cpp_int;
using boost::multiprecision::cpp_rational;

// x = odd * 2^exponent, x > 0 and normal.
struct Binary {
  std::int64_t odd = 0;
  std::int64_t exponent = 0;
};

Binary binary(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t significand =
      (bits & 0x000fffffffffffffu) | 0x0010000000000000u;
  const int zeros = std::countr_zero(significand);
  return {static_cast<std::int64_t>(significand >> zeros),
          static_cast<std::int64_t>((bits >> 52) & 0x7ff) - 1075 + zeros};
}

bool is_subnormal(double x) {
  return ((std::bit_cast<std::uint64_t>(x) >> 52) & 0x7ff) == 0;
}

cpp_rational power(const cpp_rational& x, std::int64_t n) {
  const auto m = static_cast<unsigned>(n < 0 ? -n : n);
  const cpp_rational result(pow(numerator(x), m), pow(denominator(x), m));
  return n < 0 ? cpp_rational(1 / result) : result;
}

// The d-th root of `odd`, if it is an integer.
std::optional<std::int64_t> root(std::int64_t odd, std::int64_t d) {
  if (odd == 1 || d == 1) return odd;
  if (d > 33) return std::nullopt;  // 3^34 > 2^53
  const auto near = std::llround(
      std::pow(static_cast<double>(odd), 1 / static_cast<double>(d)));
  if (pow(cpp_int(near), static_cast<unsigned>(d)) != odd) return std::nullopt;
  return near;
}

// base^(-n/d) if it is rational: with d in lowest terms, base is the d-th power
// of a rational number.
std::optional<cpp_rational> rational_power(double base, const Exponent& e) {
  const std::int64_t gcd = std::gcd(e.numerator, e.denominator);
  const std::int64_t n = e.numerator / gcd, d = e.denominator / gcd;
  if (n == 0) return cpp_rational(1);
  if (is_subnormal(base)) return std::nullopt;
  const Binary b = binary(base);
  const auto odd = root(b.odd, d);
  if (!odd || b.exponent % d != 0) return std::nullopt;
  return power(cpp_rational(*odd) * power(2, b.exponent / d), -n);
}

std::optional<cpp_rational> rational_frequency(const Spec& spec,
                                               std::int64_t j) {
  const Frequencies& frequencies = spec.frequencies;
  if (!frequencies.inv_freq.empty()) {
    return cpp_rational(frequencies.inv_freq[static_cast<std::size_t>(j)]);
  }
  const Exponent e = exponent_of(frequencies, spec.layout.rotary_dim, j);
  if (e.denominator == 0) return cpp_rational(0);
  return rational_power(base_of(frequencies, j), e);
}

// The value as a double, if it is one.
std::optional<double> as_double(const cpp_rational& x) {
  const auto value = x.convert_to<double>();
  if (!std::isfinite(value) || cpp_rational(value) != x) return std::nullopt;
  return value;
}

// base^(-n/d) alpha^(-n/(d-2)), where both are rational, or where base and
// alpha are powers of two and so is this.
std::optional<double> exact_ntk(double base, double alpha, const Exponent& e) {
  const std::int64_t n = e.numerator, d = e.denominator;
  const auto theta = rational_power(base, e);
  const auto stretch = rational_power(alpha, {n, d - 2});
  if (theta && stretch) return as_double(*theta * *stretch);
  if (is_subnormal(base)) return std::nullopt;
  const Binary b = binary(base), a = binary(alpha);
  if (b.odd != 1 || a.odd != 1) return std::nullopt;
  const std::int64_t exponent = -n * (b.exponent * (d - 2) + a.exponent * d);
  if (exponent % (d * (d - 2)) != 0) return std::nullopt;
  return as_double(power(2, exponent / (d * (d - 2))));
}

}  // namespace

std::optional<int> exact_frequency_exponent(double base, const Exponent& e) {
  if (e.numerator == 0) return 0;
  // Subnormal powers of two are no base that anybody uses; leaving them to the
  // ladder is safe: it throws rather than guess.
  if (is_subnormal(base)) return std::nullopt;
  const Binary b = binary(base);
  const std::int64_t numerator = -e.numerator * b.exponent;
  if (b.odd != 1 || numerator % e.denominator != 0) return std::nullopt;
  return static_cast<int>(numerator / e.denominator);
}

std::optional<int> exact_frequency_exponent(double base,
                                            std::int64_t rotary_dim,
                                            std::int64_t j) {
  return exact_frequency_exponent(base, {2 * j, rotary_dim});
}

std::optional<double> exact_frequency(const Spec& spec,
                                      const Resolution& resolution,
                                      std::int64_t j) {
  const Frequencies& frequencies = spec.frequencies;
  const Scaling& scaling = frequencies.scaling;
  const Exponent e = exponent_of(frequencies, spec.layout.rotary_dim, j);
  if (is_still(frequencies, j) ||
      (std::holds_alternative<Default>(scaling) && e.numerator >= 0)) {
    return std::nullopt;  // (R1) is exact where it can be
  }
  if (std::holds_alternative<Ntk>(scaling) ||
      std::holds_alternative<DynamicNtk>(scaling)) {
    if (!resolution.alpha) return std::nullopt;
    return exact_ntk(base_of(frequencies, j), *resolution.alpha, e);
  }
  const auto theta = rational_frequency(spec, j);
  if (!theta) return std::nullopt;
  return as_double(scaled<cpp_rational>(scaling, resolution, e, j, *theta));
}

std::optional<int> exact_llama3_sign(const Spec& spec, std::int64_t j,
                                     double limit) {
  const auto theta = rational_frequency(spec, j);
  if (!theta) return std::nullopt;
  const auto& scaling = std::get<Llama3>(spec.frequencies.scaling);
  const cpp_rational difference =
      llama3_rotations<cpp_rational>(scaling, *theta) - cpp_rational(limit);
  return difference.sign();
}

std::optional<double> exact_alpha(const DynamicNtk& scaling) {
  return as_double(dynamic_alpha<cpp_rational>(scaling));
}

bool is_at_origin(const Spec& spec, std::span<const double> position,
                  std::int64_t j) {
  return spec.axes.weights.empty()
             ? coordinate<double>(spec, position, j) == 0
             : coordinate<cpp_rational>(spec, position, j) == 0;
}

std::optional<std::int64_t> whole_exponent(const XPos& xpos, double position) {
  const cpp_rational exponent =
      (cpp_rational(position) - cpp_rational(xpos.centre)) /
      cpp_rational(xpos.scale_base);
  if (denominator(exponent) != 1) return std::nullopt;
  return numerator(exponent).convert_to<std::int64_t>();
}

}  // namespace ropeproof::reference
