#include "reference/exact.h"

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <variant>

namespace ropeproof::reference {
namespace {

using boost::multiprecision::cpp_int;
using boost::multiprecision::cpp_rational;
using Rational = std::optional<cpp_rational>;

// The d-th root of x >= 1 if it is an integer, bit by bit. Of most even numbers
// the factors 2 show that it is none.
std::optional<cpp_int> root(const cpp_int& x, std::int64_t d) {
  const auto n = static_cast<unsigned>(d);
  if (lsb(x) % n != 0) return std::nullopt;
  cpp_int result = 0;
  for (auto bit = static_cast<std::int64_t>(msb(x)) / d; bit >= 0; --bit) {
    const cpp_int larger = result + (cpp_int(1) << bit);
    if (pow(larger, n) <= x) result = larger;
  }
  if (pow(result, n) != x) return std::nullopt;
  return result;
}

cpp_rational power(const cpp_rational& x, std::int64_t n) {
  const auto m = static_cast<unsigned>(std::abs(n));
  const cpp_rational result(pow(numerator(x), m), pow(denominator(x), m));
  return n < 0 ? cpp_rational(1 / result) : result;
}

// x^(-n/d), x > 0, if it is rational: with n/d in lowest terms, x is the d-th
// power of a rational number.
Rational rational_power(const cpp_rational& x, const Exponent& e) {
  const std::int64_t gcd = std::gcd(e.numerator, e.denominator);
  const auto top = root(numerator(x), e.denominator / gcd);
  const auto bottom = root(denominator(x), e.denominator / gcd);
  if (e.numerator == 0) return 1;
  if (!top || !bottom) return std::nullopt;
  return power(cpp_rational(*top, *bottom), -e.numerator / gcd);
}

// (R1)
Rational rational_frequency(const Spec& spec, std::int64_t j) {
  const auto& inv_freq = spec.frequencies.inv_freq;
  if (!inv_freq.empty()) return cpp_rational(at(inv_freq, j));
  const Exponent e = exponent_of(spec, j);
  if (e.denominator == 0) return 0;
  return rational_power(base_of(spec, j), e);
}

// k, if x = 2^k.
std::optional<std::int64_t> log2_of(const cpp_rational& x) {
  const auto up = static_cast<std::int64_t>(lsb(numerator(x)));
  const auto down = static_cast<std::int64_t>(lsb(denominator(x)));
  if (power(2, up - down) != x) return std::nullopt;
  return up - down;
}

// (R8): base^(-n/d) alpha^(-n/(d-2)), if both are rational, or both 2 to a
// rational power and the product is 2 to a whole one.
Rational rational_ntk(const cpp_rational& base, const cpp_rational& alpha,
                      const Exponent& e) {
  const std::int64_t n = e.numerator, d = e.denominator;
  const Rational theta = rational_power(base, e);
  const Rational stretch = rational_power(alpha, {n, d - 2});
  if (theta && stretch) return cpp_rational(*theta * *stretch);
  const auto b = log2_of(base), a = log2_of(alpha);
  if (!b || !a) return std::nullopt;
  const std::int64_t exponent = -n * (*b * (d - 2) + *a * d);
  if (exponent % (d * (d - 2)) != 0) return std::nullopt;
  return power(2, exponent / (d * (d - 2)));
}

// (R1), (R7)-(R14)
Rational rational_scaled_frequency(const Rope& rope, std::int64_t j) {
  const Spec& spec = rope.spec;
  const Scaling& scaling = spec.frequencies.scaling;
  const Exponent e = exponent_of(spec, j);
  const Rational alpha = ntk_alpha<cpp_rational>(scaling);
  if (alpha && e.denominator != 0) {
    return rational_ntk(base_of(spec, j), *alpha, e);
  }
  const Rational theta = rational_frequency(spec, j);
  if (!theta) return std::nullopt;
  return scaled<cpp_rational>(scaling, rope.resolution, e, j, *theta);
}

// (R16): a factor is rational, so the product is where theta is, or nowhere.
Rational rational_frequency(const Rope& rope, std::int64_t j) {
  const auto& factors = rope.spec.frequencies.pair_factors;
  const Rational theta = rational_scaled_frequency(rope, j);
  if (!theta || factors.empty()) return theta;
  return pair_factor(at(factors, j), *theta);
}

}  // namespace

std::optional<BinaryNumber> exact_frequency(const Rope& rope, std::int64_t j) {
  const Rational theta = rational_frequency(rope, j);
  if (!theta) return std::nullopt;
  if (*theta == 0) return BinaryNumber{};
  const auto up = lsb(cpp_int(abs(numerator(*theta))));
  const auto down = lsb(denominator(*theta));
  const cpp_int odd = numerator(*theta) / (cpp_int(1) << up);
  const bool is_binary = denominator(*theta) == cpp_int(1) << down;
  if (!is_binary || abs(odd) >= cpp_int(1) << 53) return std::nullopt;
  return BinaryNumber{odd.convert_to<double>(),
                      static_cast<int>(up) - static_cast<int>(down)};
}

std::optional<int> exact_llama3_sign(const Spec& spec, std::int64_t j,
                                     double limit) {
  const Rational theta = rational_frequency(spec, j);
  if (!theta) return std::nullopt;
  const auto& scaling = std::get<Llama3>(spec.frequencies.scaling);
  const cpp_rational difference =
      llama3_rotations<cpp_rational>(scaling, *theta) - cpp_rational(limit);
  return difference.sign();
}

bool is_at_origin(const Spec& spec, std::span<const double> position,
                  std::int64_t j) {
  const Axes& axes = spec.axes;
  const double sum = coordinate<double>(spec, position, j);
  if (axes.weights.empty()) return sum == 0;
  // n products and their sum are off by (n + 1) 2^-53 of their sizes, nearly,
  // and by what underflows. A sum beyond that is not zero.
  double error = 0x1p-1000;
  for (std::int64_t k = 0; k < axes.count; ++k) {
    error += static_cast<double>(axes.count) * 0x1p-50 *
             std::abs(weight(axes, spec.layout.rotary_dim / 2, k, j) *
                      at(position, k));
  }
  return !(std::abs(sum) > error) &&
         coordinate<cpp_rational>(spec, position, j) == 0;
}

std::optional<RationalPower> exact_xpos(const XPos& xpos, const Exponent& e,
                                        double position) {
  const cpp_rational exponent =
      (cpp_rational(position) - cpp_rational(xpos.centre)) /
      cpp_rational(xpos.scale_base);
  if (denominator(exponent) != 1) return std::nullopt;
  const auto n = numerator(exponent).convert_to<std::int64_t>();
  // zeta_j = (2j + 0.4 d)/(1.4 d), times 5 above and below.
  const std::int64_t top = 5 * e.numerator + 2 * e.denominator;
  const std::int64_t bottom = 7 * e.denominator;
  const std::int64_t gcd = std::gcd(top, bottom);
  RationalPower result{top / gcd, bottom / gcd, std::abs(n)};
  if ((n < 0) != xpos.is_key) std::swap(result.top, result.bottom);
  return result;
}

}  // namespace ropeproof::reference
