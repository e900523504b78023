#include "tools/prove/second_oracle/pattern.h"

#include <bit>
#include <stdexcept>

namespace ropeproof::second_oracle {
namespace {

constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
constexpr std::uint64_t kInfinity = 0x7ff0000000000000;

// Magnitudes alone: the pattern of infinity counts as 2^1024, which is where
// the number after the largest one would be.
Rational magnitude(std::uint64_t pattern) {
  if (pattern == kInfinity) return Rational::scaled(1, 1024);
  return f64_value(pattern);
}

// Whether y lies in the open interval; refuted if certainly not.
Verdict is_between(const Ball& y, const Rational& low, const Rational& high) {
  // Neighbours and midpoints of binary64 numbers fit into 55 bits.
  constexpr slong kExact = 64;
  const Ball below(low, kExact), above(high, kExact);
  if (arb_gt(y, below) && arb_lt(y, above)) return Verdict::kProved;
  if (arb_le(y, below) || arb_ge(y, above)) return Verdict::kRefuted;
  return Verdict::kUndecided;
}

Verdict is_exactly(const Ball& y, const Rational& value) {
  const Ball exact(value, 64);
  if (!arb_overlaps(y, exact)) return Verdict::kRefuted;
  return y.is_exact() ? Verdict::kProved : Verdict::kUndecided;
}

Ball negated(const Ball& y) {
  Ball result;
  arb_neg(result.get(), y);
  return result;
}

// Half the distance between two numbers, as their mean.
Rational middle(const Rational& a, const Rational& b) {
  return (a + b) / Rational(2);
}

}  // namespace

Format format_named(const std::string& name) {
  if (name == "f64") return {64, 52};
  if (name == "f32") return {32, 23};
  if (name == "f16") return {16, 10};
  if (name == "bf16") return {16, 7};
  throw std::runtime_error("unknown dtype \"" + name + "\"");
}

Element decode(std::uint64_t pattern, const Format& format) {
  const int exponent_bits = format.bits - 1 - format.fraction_bits;
  const std::int64_t top = (std::int64_t{1} << exponent_bits) - 1;
  const std::uint64_t fraction =
      pattern & ((std::uint64_t{1} << format.fraction_bits) - 1);
  const auto field =
      static_cast<std::int64_t>(pattern >> format.fraction_bits) & top;
  Element element;
  element.is_negative = (pattern >> (format.bits - 1) & 1) != 0;
  if (field == top) {
    element.kind =
        fraction == 0 ? Element::Kind::kInfinite : Element::Kind::kNan;
    return element;
  }
  // Field 0 holds the subnormal numbers, which share field 1's exponent.
  const std::int64_t bias = top / 2;
  element.exponent = (field == 0 ? 1 : field) - bias - format.fraction_bits;
  element.significand = static_cast<std::int64_t>(fraction);
  if (field != 0)
    element.significand |= std::int64_t{1} << format.fraction_bits;
  return element;
}

Rational f64_value(std::uint64_t pattern) {
  const Element element = decode(pattern, Format{});
  if (!element.is_finite()) {
    throw std::runtime_error("a finite number was expected, not " +
                             hex(pattern));
  }
  return element.value();
}

Verdict is_rounded_to_odd(const Ball& y, std::uint64_t golden) {
  const std::uint64_t size = golden & ~kSign;
  if (size >= kInfinity || golden == kSign) return Verdict::kRefuted;
  if (golden != size) return is_rounded_to_odd(negated(y), size);
  if (size % 2 == 0) return is_exactly(y, magnitude(size));
  return is_between(y, magnitude(size - 1), magnitude(size + 1));
}

Verdict is_nearest(const Ball& y, std::uint64_t golden) {
  const std::uint64_t size = golden & ~kSign;
  if (size >= kInfinity) return Verdict::kRefuted;
  if (golden != size) return is_nearest(negated(y), size);
  if (size == 0) {  // a negative y of this size rounds to -0
    if (y.is_exact() && arb_is_zero(y)) return Verdict::kProved;
    return is_between(y, Rational(0), Rational::scaled(1, -1075));
  }
  const Rational value = magnitude(size);
  const Rational low = middle(magnitude(size - 1), value);
  const Rational high = middle(value, magnitude(size + 1));
  if (size % 2 == 0 && y.is_exact() &&
      (is_exactly(y, low) == Verdict::kProved ||
       is_exactly(y, high) == Verdict::kProved)) {
    return Verdict::kProved;  // a tie
  }
  return is_between(y, low, high);
}

Verdict is_nearest_pair(const Ball& y, std::uint64_t hi, std::uint64_t lo,
                        slong bits) {
  const Verdict first = is_nearest(y, hi);
  if (first != Verdict::kProved) return first;
  return is_nearest(subtract(y, Ball(f64_value(hi), 64), bits), lo);
}

std::uint64_t nearest_f64(const std::function<Ball(slong bits)>& enclose) {
  for (const slong bits : kLadder) {
    const Ball y = enclose(bits);
    arf_t low, high;
    arf_init(low);
    arf_init(high);
    arb_get_interval_arf(low, high, y, bits);
    const auto below =
        std::bit_cast<std::uint64_t>(arf_get_d(low, ARF_RND_NEAR));
    const auto above =
        std::bit_cast<std::uint64_t>(arf_get_d(high, ARF_RND_NEAR));
    arf_clear(low);
    arf_clear(high);
    if (below == above) return below;
  }
  throw std::runtime_error("a parameter's rounding stays undecided");
}

std::string hex(std::uint64_t pattern) {
  std::string digits(16, '0');
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    *digit = "0123456789abcdef"[pattern & 15];
    pattern >>= 4;
  }
  return digits;
}

}  // namespace ropeproof::second_oracle
