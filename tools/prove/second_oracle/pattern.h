// pattern.h -- bit patterns as numbers, and proofs that one is a rounding.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tools/prove/second_oracle/number.h"

namespace ropeproof::second_oracle {

// An IEEE 754 binary interchange format, or bfloat16.
struct Format {
  int bits = 64;
  int fraction_bits = 52;
};
// Throws std::runtime_error for a name that is none of f64, f32, f16, bf16.
Format format_named(const std::string& name);

// What a bit pattern says. A finite one is -+ significand * 2^exponent.
struct Element {
  enum class Kind { kFinite, kInfinite, kNan } kind = Kind::kFinite;
  bool is_negative = false;
  std::int64_t significand = 0;
  std::int64_t exponent = 0;

  bool is_finite() const { return kind == Kind::kFinite; }
  bool is_zero() const { return is_finite() && significand == 0; }
  Rational value() const {  // of a finite one
    return Rational::scaled(is_negative ? -significand : significand, exponent);
  }
};
Element decode(std::uint64_t pattern, const Format& format);

// The real number that a finite binary64 pattern stands for.
Rational f64_value(std::uint64_t pattern);

// What an enclosure of the real number y says about a golden.
enum class Verdict { kProved, kRefuted, kUndecided };

// Whether `golden` is y rounded to odd: y itself, or, y being no binary64, the
// neighbour whose last bit is 1. So an odd golden wants y strictly between its
// two neighbours, an even one wants y itself. Zero is +0.
Verdict is_rounded_to_odd(const Ball& y, std::uint64_t golden);

// Whether `golden` is y rounded to nearest, ties to even: |y - golden| is at
// most half the distance to the neighbour on that side.
Verdict is_nearest(const Ball& y, std::uint64_t golden);

// Whether hi is y and lo is y - hi, each rounded to nearest.
Verdict is_nearest_pair(const Ball& y, std::uint64_t hi, std::uint64_t lo,
                        slong bits);

// The pattern of the binary64 nearest to the real number that `enclose` gives
// at any precision. Throws std::runtime_error where the ladder ends undecided.
std::uint64_t nearest_f64(const std::function<Ball(slong bits)>& enclose);

// 16 hex digits.
std::string hex(std::uint64_t pattern);

}  // namespace ropeproof::second_oracle
