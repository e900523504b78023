// Rounding is checked against a definition, not against another rounding: the
// nearest number is the one between whose midpoints to its neighbours x lies.
// Midpoints of f32, f16 and bf16 are exact in double. That a number rounded to
// odd, then cast, is rounded once follows from what is tested here, by [BM08].
#include "reference/format.h"

#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "reference/test_oracle.h"

namespace ropeproof::reference {
namespace {

std::uint64_t infinity_of(Format format) {
  constexpr std::uint64_t kOfFormats[] = {0x7ff0000000000000, 0x7f800000,
                                          0x7c00, 0x7f80};
  return kOfFormats[static_cast<int>(format)];
}

std::uint64_t sign_of(Format format) {
  return std::uint64_t{1} << (traits(format).total_bits - 1);
}

// The neighbour after the largest finite number, were there no infinity.
double number(Format format, std::uint64_t magnitude) {
  if (magnitude == infinity_of(format)) {
    return std::ldexp(1.0, traits(format).max_exponent + 1);
  }
  return decode(format, magnitude);
}

// x > 0 as round_f64 takes it. 53 of the 55 bits are in `head`.
Pieces pieces(std::uint64_t significand, std::int64_t exponent, bool fraction) {
  return {false, significand, exponent, fraction};
}
Pieces pieces(double head, bool more) {
  int exponent = 0;
  const double scaled = std::ldexp(std::frexp(head, &exponent), kPiecesBits);
  return pieces(static_cast<std::uint64_t>(scaled), exponent - kPiecesBits,
                more);
}

TEST_CASE("tests print an enumerator by its name", "[reference]") {
  CHECK(Catch::Detail::stringify(Format::kBF16) == "kBF16");
  CHECK(Catch::Detail::stringify(static_cast<Format>(9)) == "9");
}

TEST_CASE("every f16 and bf16 number has its value and keeps its bits",
          "[reference][format]") {
  const Format format = GENERATE(Format::kF16, Format::kBF16);
  const FormatTraits f = traits(format);
  const std::uint64_t infinity = infinity_of(format);
  const std::uint64_t hidden = std::uint64_t{1} << (f.precision - 1);
  std::size_t wrong = 0;
  for (std::uint64_t bits = 0; bits < infinity; ++bits) {
    const auto field = static_cast<int>(bits / hidden);
    const std::uint64_t significand = bits % hidden + (field > 0 ? hidden : 0);
    const double want =
        std::ldexp(static_cast<double>(significand),
                   f.min_exponent - (f.precision - 1) + std::max(field - 1, 0));
    const std::uint64_t negative = bits | sign_of(format);
    wrong += bits_of(decode(format, bits)) != bits_of(want);
    wrong += bits_of(decode(format, negative)) != bits_of(-want);
    wrong += encode(format, want) != bits;
    wrong += encode(format, -want) != negative;
  }
  CHECK(wrong == 0);
}

TEST_CASE("f32 encodes as the hardware casts", "[reference][format]") {
  std::mt19937_64 random(2);
  std::size_t wrong = 0;
  const auto check = [&](double x) {
    if (std::isnan(x)) return;
    wrong += encode(Format::kF32, x) !=
             std::bit_cast<std::uint32_t>(static_cast<float>(x));
  };
  for (int i = 0; i < 500000; ++i) {
    const std::uint64_t bits = random();
    check(std::bit_cast<double>(bits));
    // Exponents -180 .. 130, where f32 lives.
    const std::uint64_t exponent = 1023 - 180 + bits % 311;
    check(std::bit_cast<double>((bits & 0x800fffffffffffff) | exponent << 52));
  }
  CHECK(wrong == 0);
}

// How many roundings between number(bits) and the next are wrong.
std::size_t wrong_between(Format format, std::uint64_t bits) {
  const double low = number(format, bits), high = number(format, bits + 1);
  const double middle = (low + high) / 2;
  const std::uint64_t even = bits + bits % 2;
  std::size_t wrong = 0;
  wrong += encode(format, middle) != even;
  wrong += encode(format, -middle) != (sign_of(format) | even);
  wrong += encode(format, std::nextafter(middle, 0)) != bits;
  wrong += encode(format, std::nextafter(middle, HUGE_VAL)) != bits + 1;
  wrong += encode(format, std::nextafter(low, high)) != bits;
  wrong += encode(format, std::nextafter(high, low)) != bits + 1;
  return wrong;
}

TEST_CASE("between neighbours the nearest wins, and ties go to the even one",
          "[reference][format]") {
  std::size_t wrong = 0;
  for (const Format format : {Format::kF16, Format::kBF16}) {
    for (std::uint64_t bits = 0; bits < infinity_of(format); ++bits) {
      wrong += wrong_between(format, bits);
    }
  }
  std::mt19937_64 random(3);
  for (int i = 0; i < 200000; ++i) {
    wrong += wrong_between(Format::kF32, random() % infinity_of(Format::kF32));
  }
  CHECK(wrong == 0);
}

TEST_CASE("zeros, infinities and NaNs keep their kind, sign and payload",
          "[reference][format]") {
  const Format format =
      GENERATE(Format::kF64, Format::kF32, Format::kF16, Format::kBF16);
  const std::uint64_t sign = sign_of(format), infinity = infinity_of(format);
  CHECK(encode(format, 0.0) == 0);
  CHECK(encode(format, -0.0) == sign);
  CHECK(encode(format, HUGE_VAL) == infinity);
  CHECK(encode(format, -HUGE_VAL) == (sign | infinity));
  CHECK(bits_of(decode(format, sign)) == bits_of(-0.0));
  CHECK(decode(format, infinity) == HUGE_VAL);
  CHECK(decode(format, sign | infinity) == -HUGE_VAL);

  // Quiet NaNs survive the round trip; signalling ones stay NaNs.
  const int fraction_bits = traits(format).precision - 1;
  const std::uint64_t quiet = std::uint64_t{1} << (fraction_bits - 1);
  for (const std::uint64_t nan :
       {infinity | quiet, infinity | quiet | 1, sign | infinity | quiet | 2}) {
    CHECK(std::isnan(decode(format, nan)));
    CHECK(encode(format, decode(format, nan)) == nan);
  }
  CHECK(std::isnan(decode(format, infinity | 1)));
  CHECK(
      std::isnan(decode(format, encode(format, decode(format, infinity | 1)))));
  const double deep = std::bit_cast<double>(infinity_of(Format::kF64) | 1);
  CHECK(std::isnan(decode(format, encode(format, deep))));
}

TEST_CASE("an ulp is the distance to the next number", "[reference][format]") {
  const Format format = GENERATE(Format::kF16, Format::kBF16);
  std::size_t wrong = 0;
  for (std::uint64_t bits = 0; bits < infinity_of(format); ++bits) {
    const double low = number(format, bits), high = number(format, bits + 1);
    wrong += ulp(format, low) != high - low;
    wrong += ulp(format, -std::nextafter(high, low)) != high - low;
  }
  CHECK(wrong == 0);
  CHECK(ulp(Format::kF64, 1) == 0x1p-52);
  CHECK(ulp(Format::kF64, 0) == 0x1p-1074);
  CHECK(ulp(Format::kF64, -0x1p-1022) == 0x1p-1074);
  CHECK(ulp(Format::kF32, 1.5) == 0x1p-23);
  CHECK(ulp(Format::kF32, 0x1p-1074) == 0x1p-149);
  CHECK(ulp(Format::kF32, 0x1p127) == 0x1p104);
}

TEST_CASE("f64 rounds to nearest as the hardware does", "[reference][format]") {
  std::mt19937_64 random(4);
  std::size_t wrong = 0;
  for (int i = 0; i < 200000; ++i) {
    // 55 bits and a sticky one: the hardware rounds the integer to 53 bits.
    const std::uint64_t top = std::uint64_t{1} << (kPiecesBits - 1);
    std::uint64_t significand = random() % top | top;
    if (i % 2 == 0) significand = (significand & ~std::uint64_t{7}) | 2;
    const bool fraction = i % 3 == 0;
    const double want = static_cast<double>(2 * significand + fraction);
    wrong += round_f64(pieces(significand, 1, fraction),
                       Rounding::kNearestEven) != bits_of(want);
    // Subnormals: a product is rounded once.
    const double head = std::ldexp(static_cast<double>(significand), -54);
    const int down = 1022 + i % 55;
    Pieces small = pieces(head, false);
    small.exponent -= down;
    wrong += round_f64(small, Rounding::kNearestEven) !=
             bits_of(head * 0x1p-1000 * std::ldexp(1.0, 1000 - down));
  }
  CHECK(wrong == 0);
}

TEST_CASE("rounding to odd keeps exact numbers and makes all others odd",
          "[reference][format][exact]") {
  const auto to_odd = [](const Pieces& p) {
    return std::bit_cast<double>(round_f64(p, Rounding::kToOdd));
  };
  for (const double x : {1.0, 1.5, 0x1.fffffffffffffp1023, 0x1p-1074, 0x1p-1022,
                         0x1.0000000000001p0, 0x0.0000000000003p-1022}) {
    CAPTURE(x);
    CHECK(to_odd(pieces(x, false)) == x);
    const bool odd = bits_of(x) % 2 == 1;
    const double next = odd ? x : std::nextafter(x, HUGE_VAL);
    CHECK(to_odd(pieces(x, true)) == next);
    Pieces beyond = pieces(x, false);
    beyond.significand |= 1;  // of two bits that a double does not have
    CHECK(to_odd(beyond) == next);
    Pieces negative = pieces(x, false);
    negative.negative = true;
    CHECK(to_odd(negative) == -x);
  }
  // The value neither overflows nor vanishes.
  const std::uint64_t top = std::uint64_t{1} << (kPiecesBits - 1);
  CHECK(to_odd(pieces(top, 5000, false)) == std::numeric_limits<double>::max());
  CHECK(to_odd(pieces(top, -5000, false)) == 0x1p-1074);
  CHECK(bits_of(to_odd({true, top, -5000, false})) == bits_of(-0x1p-1074));
  CHECK(bits_of(to_odd({})) == bits_of(0.0));
}

TEST_CASE("truncation cuts off the bits that a format does not have",
          "[reference][format]") {
  std::mt19937_64 random(11);
  for (int i = 0; i < 100000; ++i) {
    const auto bits = static_cast<std::uint32_t>(random());
    const double x = std::bit_cast<float>(bits);
    if (std::isnan(x)) continue;
    CAPTURE(bits);
    REQUIRE(truncate(Format::kBF16, x) == bits >> 16);
    const double half = decode(Format::kF16, truncate(Format::kF16, x));
    REQUIRE(std::abs(half) <= std::abs(x));
    if (std::abs(x) < 65504) {
      REQUIRE(std::abs(x) - std::abs(half) < ulp(Format::kF16, half));
    }
  }
}

}  // namespace
}  // namespace ropeproof::reference
