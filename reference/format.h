// format.h -- the four number formats, and rounding into them.
//
// Everything here is integer arithmetic on bit patterns: no host libm, no
// compiler flag and no rounding mode can change a result.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace ropeproof::reference {

enum class Format { kF64, kF32, kF16, kBF16 };

// IEEE 754 binary interchange format: `precision` counts the hidden bit, and
// normal numbers have exponents e with 2^e <= |x| < 2^(e+1), e >= min_exponent.
struct FormatTraits {
  int total_bits;
  int precision;
  int min_exponent;
  int max_exponent;
  // Half the distance from 1 to the next number: rounding to nearest changes a
  // normal x by at most unit_roundoff * |x|.
  double unit_roundoff;
};

constexpr FormatTraits traits(Format format) {
  switch (format) {
    case Format::kF32:
      return {32, 24, -126, 127, 0x1p-24};
    case Format::kF16:
      return {16, 11, -14, 15, 0x1p-11};
    case Format::kBF16:
      return {16, 8, -126, 127, 0x1p-8};
    case Format::kF64:
      break;
  }
  return {64, 53, -1022, 1023, 0x1p-53};
}

// Calls f.operator()<kFormat>(): with its numbers constant, most of the work of
// an element is gone.
template <class F>
decltype(auto) with_format(Format format, const F& f) {
  switch (format) {
    case Format::kF32:
      return f.template operator()<Format::kF32>();
    case Format::kF16:
      return f.template operator()<Format::kF16>();
    case Format::kBF16:
      return f.template operator()<Format::kBF16>();
    case Format::kF64:
      break;
  }
  return f.template operator()<Format::kF64>();
}

constexpr bool is_16_bit(Format format) {
  return traits(format).total_bits == 16;
}

// Decoding and encoding of every format but kF64.
double decode_narrow(Format format, std::uint64_t bits);
std::uint64_t encode_narrow(Format format, double x);

// The value of a bit pattern; every format embeds in binary64. NaNs stay NaNs.
inline double decode(Format format, std::uint64_t bits) {
  return format == Format::kF64 ? std::bit_cast<double>(bits)
                                : decode_narrow(format, bits);
}

// The values of as many bit patterns.
void decode(Format format, std::span<const std::uint64_t> bits,
            std::span<double> values);

// The bit pattern of `x` rounded to nearest, ties to even. Overflow gives the
// infinity, a NaN the format's quiet NaN with the sign and leading payload
// bits.
//
// If `x` is a real number y rounded to odd (below), the result is y rounded to
// nearest even: binary64 has 53 >= p + 2 bits for p = 24, 11, 8 (Boldo and
// Melquiond, "Emulation of FMA and correctly rounded sums", 2008). Not for
// kF64.
inline std::uint64_t encode(Format format, double x) {
  return format == Format::kF64 ? std::bit_cast<std::uint64_t>(x)
                                : encode_narrow(format, x);
}

// The number of `format` nearest to `x`, as encode() rounds.
inline double round_to(Format format, double x) {
  return decode(format, encode(format, x));
}

// The bit pattern of `x` with the bits that `format` does not have cut off: the
// number of `format` next to it towards zero. A NaN as in encode().
std::uint64_t truncate(Format format, double x);

// The distance between neighbours of `format` around |x|; the unit of "ulp".
// `x` is finite. Powers of two take the distance above them.
double ulp(Format format, double x);

enum class Rounding {
  kNearestEven,
  // Exact if representable, else the neighbour with an odd last bit. Never
  // overflows, never underflows to zero.
  kToOdd,
};

// A real number in pieces, as an oracle hands it over: the value is
//     (-1)^negative * (significand + fraction) * 2^exponent,
// 0 <= fraction < 1, where `significand` has 55 bits (its top bit set) or is
// zero, and `has_fraction` says whether fraction is non-zero.
struct Pieces {
  bool negative = false;
  std::uint64_t significand = 0;
  std::int64_t exponent = 0;
  bool has_fraction = false;
};
inline constexpr int kPiecesBits = 55;

// The binary64 bit pattern of the real number in `pieces`.
std::uint64_t round_f64(const Pieces& pieces, Rounding rounding);

}  // namespace ropeproof::reference
