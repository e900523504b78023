#include "reference/format.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ropeproof::reference {
namespace {

constexpr std::uint64_t kOne = 1;

// A sign bit before the other bits of a pattern.
std::uint64_t with_sign(const FormatTraits& f, bool negative,
                        std::uint64_t magnitude) {
  return (std::uint64_t{negative} << (f.total_bits - 1)) | magnitude;
}

std::uint64_t infinity_bits(const FormatTraits& f) {
  const auto exponents =
      static_cast<std::uint64_t>(f.max_exponent - f.min_exponent) + 2;
  return exponents << (f.precision - 1);
}

// Rounds to `f`. The last bit of the result weighs 2^q; numbers below
// 2^min_exponent keep the q of the smallest normal ones, which makes them
// subnormal. Adding the rounded integer n to a shifted exponent lets a carry
// out of n run into the exponent, where it belongs.
std::uint64_t round(const FormatTraits& f, const Pieces& pieces,
                    Rounding rounding) {
  if (pieces.significand == 0) return with_sign(f, pieces.negative, 0);
  const std::int64_t e = pieces.exponent + kPiecesBits - 1;
  const std::uint64_t infinity = infinity_bits(f);
  const std::uint64_t overflow =
      rounding == Rounding::kNearestEven ? infinity : infinity - 1;
  if (e > f.max_exponent) return with_sign(f, pieces.negative, overflow);

  const std::int64_t q =
      std::max<std::int64_t>(e, f.min_exponent) - (f.precision - 1);
  const std::int64_t shift = q - pieces.exponent;  // >= 2
  std::uint64_t n = 0, remainder = pieces.significand, half = 0;
  if (shift <= kPiecesBits + 1) {
    n = pieces.significand >> shift;
    remainder = pieces.significand & ((kOne << shift) - 1);
    half = kOne << (shift - 1);
  } else {
    remainder = 0;  // below half of the last bit: only "not zero" matters
  }
  const bool inexact = remainder != 0 || pieces.has_fraction || n == 0;
  if (rounding == Rounding::kToOdd) {
    if (inexact) n |= 1;
  } else if (half != 0) {
    const bool above =
        remainder > half || (remainder == half && pieces.has_fraction);
    const bool tie = remainder == half && !pieces.has_fraction;
    if (above || (tie && (n & 1) != 0)) ++n;
  }
  const auto exponent_field =
      static_cast<std::uint64_t>(q + (f.precision - 1) - f.min_exponent);
  const std::uint64_t magnitude = (exponent_field << (f.precision - 1)) + n;
  return with_sign(f, pieces.negative, std::min(magnitude, overflow));
}

struct Fields {
  bool negative;
  std::uint64_t exponent, fraction;
};

Fields split(const FormatTraits& f, std::uint64_t bits) {
  const int fraction_bits = f.precision - 1;
  const int exponent_bits = f.total_bits - f.precision;
  return {((bits >> (f.total_bits - 1)) & 1) != 0,
          (bits >> fraction_bits) & ((kOne << exponent_bits) - 1),
          bits & ((kOne << fraction_bits) - 1)};
}

bool is_special(const FormatTraits& f, const Fields& fields) {
  return fields.exponent == infinity_bits(f) >> (f.precision - 1);
}

// A finite, non-zero number; the significand is shifted up to kPiecesBits.
Pieces pieces_of(const FormatTraits& f, const Fields& fields) {
  const bool subnormal = fields.exponent == 0;
  const std::uint64_t hidden = subnormal ? 0 : kOne << (f.precision - 1);
  const std::uint64_t significand = hidden | fields.fraction;
  const std::int64_t exponent = static_cast<std::int64_t>(fields.exponent) +
                                (subnormal ? 1 : 0) - 1 + f.min_exponent -
                                (f.precision - 1);
  const int up = kPiecesBits - static_cast<int>(std::bit_width(significand));
  return {fields.negative, significand << up, exponent - up, false};
}

// Decodes one format: with its numbers constant, most of the work is gone.
template <Format kFormat>
[[gnu::always_inline]] inline double decode_from(std::uint64_t bits) {
  constexpr FormatTraits f = traits(kFormat), f64 = traits(Format::kF64);
  const Fields fields = split(f, bits);
  const std::uint64_t fraction = fields.fraction
                                 << (f64.precision - f.precision);
  if (is_special(f, fields)) {
    return std::bit_cast<double>(
        with_sign(f64, fields.negative, infinity_bits(f64) | fraction));
  }
  if (fields.exponent != 0) {  // normal: the same number, with zeros behind
    const std::uint64_t exponent =
        fields.exponent +
        static_cast<std::uint64_t>(f64.max_exponent - f.max_exponent);
    return std::bit_cast<double>(with_sign(
        f64, fields.negative, exponent << (f64.precision - 1) | fraction));
  }
  if (fields.exponent == 0 && fields.fraction == 0) {
    return std::bit_cast<double>(with_sign(f64, fields.negative, 0));
  }
  return std::bit_cast<double>(
      round(f64, pieces_of(f, fields), Rounding::kNearestEven));
}

template <Format kFormat>
std::uint64_t encode_as(double x) {
  constexpr FormatTraits f = traits(kFormat), f64 = traits(Format::kF64);
  const Fields fields = split(f64, std::bit_cast<std::uint64_t>(x));
  if (is_special(f64, fields)) {
    if (fields.fraction == 0) {
      return with_sign(f, fields.negative, infinity_bits(f));
    }
    const std::uint64_t quiet = kOne << (f.precision - 2);
    const std::uint64_t payload =
        fields.fraction >> (f64.precision - f.precision);
    return with_sign(f, fields.negative, infinity_bits(f) | quiet | payload);
  }
  constexpr std::uint64_t kBelow{f64.max_exponent - f.max_exponent};
  if (fields.exponent > kBelow) {  // normal, as round() would
    constexpr int kShift = f64.precision - f.precision;
    const std::uint64_t exponent = fields.exponent - kBelow;
    const std::uint64_t n = exponent << (f64.precision - 1) | fields.fraction;
    const std::uint64_t up = (kOne << (kShift - 1)) - 1 + (n >> kShift & 1);
    return with_sign(f, fields.negative,
                     std::min((n + up) >> kShift, infinity_bits(f)));
  }
  if (fields.exponent == 0 && fields.fraction == 0) {
    return with_sign(f, fields.negative, 0);
  }
  return round(f, pieces_of(f64, fields), Rounding::kNearestEven);
}

}  // namespace

double decode_narrow(Format format, std::uint64_t bits) {
  return format == Format::kF32   ? decode_from<Format::kF32>(bits)
         : format == Format::kF16 ? decode_from<Format::kF16>(bits)
                                  : decode_from<Format::kBF16>(bits);
}

void decode(Format format, std::span<const std::uint64_t> bits,
            std::span<double> values) {
  with_format(format, [&]<Format kFormat>() {
    for (std::size_t i = 0; i < bits.size(); ++i) {
      if constexpr (kFormat == Format::kF64) {
        values[i] = std::bit_cast<double>(bits[i]);
      } else {
        values[i] = decode_from<kFormat>(bits[i]);
      }
    }
  });
}

std::uint64_t encode_narrow(Format format, double x) {
  return format == Format::kF32   ? encode_as<Format::kF32>(x)
         : format == Format::kF16 ? encode_as<Format::kF16>(x)
                                  : encode_as<Format::kBF16>(x);
}

std::uint64_t truncate(Format format, double x) {
  const std::uint64_t bits = encode(format, x);
  const bool is_beyond = std::abs(decode(format, bits)) > std::abs(x);
  return is_beyond ? bits - 1 : bits;
}

double ulp(Format format, double x) {
  const FormatTraits f = traits(format);
  const FormatTraits f64 = traits(Format::kF64);
  const Fields fields = split(f64, std::bit_cast<std::uint64_t>(x));
  std::int64_t e = f.min_exponent;
  if (fields.exponent != 0 || fields.fraction != 0) {
    e = std::max(e, pieces_of(f64, fields).exponent + kPiecesBits - 1);
  }
  const Pieces power{false, kOne << (kPiecesBits - 1),
                     e - (f.precision - 1) - (kPiecesBits - 1), false};
  return std::bit_cast<double>(round(f64, power, Rounding::kNearestEven));
}

std::uint64_t round_f64(const Pieces& pieces, Rounding rounding) {
  return round(traits(Format::kF64), pieces, rounding);
}

}  // namespace ropeproof::reference
