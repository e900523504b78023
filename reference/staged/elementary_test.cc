// Elementary operations against arithmetic that shares nothing with MPFR: the
// machine's IEEE + - * / fma, cpp_bin_float, and mpmath's bit patterns.
#include "reference/staged/elementary.h"

#include <array>
#include <bit>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "reference/decide.h"

namespace ropeproof::reference::staged {
namespace {

namespace mp = boost::multiprecision;
using Wide = mp::number<mp::cpp_bin_float<60>, mp::et_off>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Same number, same sign of zero; all NaNs alike.
bool same(double a, double b) {
  return std::isnan(a) ? std::isnan(b)
                       : std::bit_cast<std::uint64_t>(a) ==
                             std::bit_cast<std::uint64_t>(b);
}

double round_wide(Format format, const Wide& x) {
  const Pieces pieces = pieces_of(x);
  if (format == Format::kF64) {
    return std::bit_cast<double>(round_f64(pieces, Rounding::kNearestEven));
  }
  return round_to(format,
                  std::bit_cast<double>(round_f64(pieces, Rounding::kToOdd)));
}

double from_f32(std::uint32_t bits) { return std::bit_cast<float>(bits); }

// --- + - * / fma ---

// Any bit pattern half of the time, else numbers of similar size, which cancel.
template <class Float, class Bits>
Float any_number(std::mt19937_64& random) {
  if ((random() & 1) != 0) return std::bit_cast<Float>(Bits(random()));
  const auto n = static_cast<Float>(static_cast<std::int64_t>(random()) >> 11);
  return std::ldexp(n, -50 + static_cast<int>(random() % 8));
}

template <class Float, class Bits>
int arithmetic_differs(Format format, int rounds) {
  std::mt19937_64 random(754);
  int different = 0;
  for (int i = 0; i < rounds; ++i) {
    const Float a = any_number<Float, Bits>(random);
    const Float b = any_number<Float, Bits>(random);
    const Float c = (random() & 1) != 0 ? static_cast<Float>(-a * b)
                                        : any_number<Float, Bits>(random);
    different += !same(apply(Op::kAdd, format, a, b), a + b);
    different += !same(apply(Op::kSubtract, format, a, b), a - b);
    different += !same(apply(Op::kMultiply, format, a, b), a * b);
    different += !same(apply(Op::kDivide, format, a, b), a / b);
    different += !same(apply(Op::kFma, format, a, b, c), std::fma(a, b, c));
    different += !same(apply(Op::kNegate, format, a), -a);
  }
  return different;
}

TEST_CASE("f32 and f64 arithmetic is the machine's, subnormals and all",
          "[reference][staged][mpfi]") {
  CHECK(arithmetic_differs<float, std::uint32_t>(Format::kF32, 40'000) == 0);
  CHECK(arithmetic_differs<double, std::uint64_t>(Format::kF64, 40'000) == 0);
}

// f32 has 24 >= 2p + 2 bits: rounding twice is rounding once (Figueroa 1995).
TEST_CASE("16-bit arithmetic is f32 arithmetic rounded again",
          "[reference][staged][mpfi]") {
  std::mt19937_64 random(16);
  for (const Format format : {Format::kF16, Format::kBF16}) {
    int different = 0;
    for (int i = 0; i < 40'000; ++i) {
      const auto a = static_cast<float>(decode(format, random() & 0xffff));
      const auto b = static_cast<float>(decode(format, random() & 0xffff));
      const auto narrow = [&](float x) { return round_to(format, x); };
      different += !same(apply(Op::kAdd, format, a, b), narrow(a + b));
      different += !same(apply(Op::kSubtract, format, a, b), narrow(a - b));
      different += !same(apply(Op::kMultiply, format, a, b), narrow(a * b));
      different += !same(apply(Op::kDivide, format, a, b), narrow(a / b));
    }
    CHECK(different == 0);
  }
}

TEST_CASE("a cast rounds once, and c factors round c times",
          "[reference][staged][mpfi]") {
  CHECK(apply(Op::kCast, Format::kF32, 16777217) == 16777216);
  CHECK(apply(Op::kCast, Format::kF32, 16777219) == 16777220);
  CHECK(apply(Op::kCast, Format::kBF16, 257) == 256);
  CHECK(apply(Op::kCast, Format::kF16, 65520) == kInfinity);
  CHECK(same(apply(Op::kCast, Format::kF16, -0x1p-26), -0.0));
  CHECK(apply(Op::kCast, Format::kF64, 0.1) == 0.1);

  float a = 0.7f;
  for (int i = 0; i < 37; ++i) a *= 0.9f;
  CHECK(apply(Op::kIterate, Format::kF32, 0.7f, 0.9f, 37) == a);
  CHECK(apply(Op::kIterate, Format::kF32, 0.7f, 0.9f, 0) == 0.7f);
}

// --- functions ---

constexpr std::array kUnary{Op::kCos, Op::kSin,  Op::kExp,
                            Op::kLog, Op::kExp2, Op::kLog2};

Wide wide(Op op, const Wide& x, const Wide& y) {
  switch (op) {
    case Op::kCos:
      return cos(x);
    case Op::kSin:
      return sin(x);
    case Op::kExp:
      return exp(x);
    case Op::kExp2:
      return pow(Wide(2), x);
    case Op::kLog:
      return log(x);
    case Op::kLog2: {
      // Exact for powers of two, which the quotient of two logarithms is not.
      int exponent = 0;
      const Wide fraction = frexp(x, &exponent);
      if (fraction == 0.5) return Wide(exponent - 1);
      return log(x) / log(Wide(2));
    }
    default:
      return pow(x, y);
  }
}

bool in_domain(Op op, double x) {
  if (op == Op::kLog || op == Op::kLog2) return x > 0;
  if (op == Op::kExp || op == Op::kExp2) return std::abs(x) < 700;
  return std::isfinite(x);
}

TEST_CASE("functions are correctly rounded at random arguments",
          "[reference][staged][mpfi]") {
  std::mt19937_64 random(1729);
  for (const Format format : {Format::kF32, Format::kF64, Format::kBF16}) {
    for (const Op op : kUnary) {
      int different = 0;
      for (int i = 0; i < 2000; ++i) {
        // 2^-20 .. 2^31, as angles are.
        const double fraction = static_cast<double>(random() >> 11) * 0x1p-53;
        const int power = op == Op::kExp || op == Op::kExp2 ? 26 : 51;
        double x = round_to(
            format,
            std::ldexp(1 + fraction,
                       static_cast<int>(random() % unsigned(power)) - 20));
        if ((random() & 1) != 0 && in_domain(op, -x)) x = -x;
        const double want = round_wide(format, wide(op, x, 0));
        different += !same(apply(op, format, x), want);
      }
      CAPTURE(format, op);
      CHECK(different == 0);
    }
    int different = 0;
    for (int i = 0; i < 2000; ++i) {
      const double base =
          round_to(format, 2 + static_cast<double>(random() % 10'000'000));
      const double e =
          round_to(format, static_cast<double>(random() >> 11) * 0x1p-52 - 1);
      const double want = round_wide(format, wide(Op::kPow, base, e));
      different += !same(apply(Op::kPow, format, base, e), want);
    }
    CHECK(different == 0);
  }
}

// The nearest that sine and cosine of f32 come to a midpoint of f32 within
// [2^-6, 2^31): 4e-9 ulp and less. Rounding a double sine rounds some of them
// wrongly. Bits from mpmath.
struct Hard {
  Op op;
  std::uint32_t x, y;
};
constexpr Hard kHard[] = {
    {Op::kSin, 0x3dcf5597, 0x3dcefaf9}, {Op::kSin, 0x3ef3830f, 0x3eea6f45},
    {Op::kSin, 0x4371ade3, 0x3e62da56}, {Op::kSin, 0x45a8abb3, 0x3e51ade2},
    {Op::kSin, 0x46199998, 0xbeb1fa5d}, {Op::kSin, 0x4967cb9b, 0x3ec9df85},
    {Op::kCos, 0x42378db8, 0xbea87a07}, {Op::kCos, 0x424790ce, 0x3f6e4c01},
    {Op::kCos, 0x4a01dca4, 0x3f30b318}};

TEST_CASE("sines and cosines next to a midpoint round to the right side",
          "[reference][staged][mpfi]") {
  for (const Hard& row : kHard) {
    CAPTURE(row.x);
    CHECK(apply(row.op, Format::kF32, from_f32(row.x)) == from_f32(row.y));
    CHECK(apply(row.op, Format::kF32, -from_f32(row.x)) ==
          (row.op == Op::kSin ? -1 : 1) * from_f32(row.y));
  }
}

TEST_CASE("results below and beyond the range round as IEEE 754 says",
          "[reference][staged][mpfi]") {
  struct Row {
    Op op;
    Format format;
    double a, b, want;
  };
  const Row rows[] = {
      {Op::kExp2, Format::kF32, -149, 0, 0x1p-149},
      {Op::kExp2, Format::kF32, -150, 0, 0},  // a tie, to even
      {Op::kExp2, Format::kF32, std::nextafter(-150, 0), 0, 0x1p-149},
      {Op::kExp2, Format::kF32, -1e300, 0, 0},
      {Op::kExp2, Format::kF64, -1074, 0, 0x1p-1074},
      {Op::kExp2, Format::kF32, 128, 0, kInfinity},
      {Op::kExp2, Format::kF64, 1e300, 0, kInfinity},
      {Op::kExp, Format::kF16, -17, 0, 0x1p-24},
      {Op::kExp, Format::kF16, 11.09, 0, 0x1.ffcp15},
      {Op::kExp, Format::kF16, 11.1, 0, kInfinity},
      {Op::kPow, Format::kF32, kNan, 0, 1},
      {Op::kPow, Format::kF32, 1, kNan, 1},
      {Op::kPow, Format::kF32, 0, -1, kInfinity},
      {Op::kPow, Format::kF32, 1e4, 0.5, 100},
      {Op::kPow, Format::kF32, 0x1p-100, 1.5, 0},
      {Op::kDivide, Format::kF32, 1, 0, kInfinity},
      {Op::kDivide, Format::kF32, -1, kInfinity, -0.0},
      {Op::kLog, Format::kF32, 0, 0, -kInfinity},
      {Op::kLog, Format::kF32, 1, 0, 0},
      {Op::kLog2, Format::kF32, -1, 0, kNan},
      {Op::kLog2, Format::kF32, 0x1p-149, 0, -149},
      {Op::kSin, Format::kF32, -0.0, 0, -0.0},
      {Op::kSin, Format::kF32, 0x1p-149, 0, 0x1p-149},
      {Op::kCos, Format::kF32, 0, 0, 1},
      {Op::kCos, Format::kF32, kInfinity, 0, kNan},
      {Op::kSubtract, Format::kF32, 3, 3, 0},
      {Op::kAdd, Format::kF32, -0.0, -0.0, -0.0},
      {Op::kAdd, Format::kF32, kInfinity, -kInfinity, kNan}};
  for (const Row& row : rows) {
    CAPTURE(static_cast<int>(row.op), row.a, row.b, row.want);
    CHECK(same(apply(row.op, row.format, row.a, row.b), row.want));
  }
}

TEST_CASE("staged arithmetic says when it is not built in",
          "[reference][staged]") {
  if (available()) {
    CHECK(apply(Op::kAdd, Format::kF32, 1, 2) == 3);
  } else {
    CHECK_THROWS_AS(apply(Op::kAdd, Format::kF32, 1, 2), std::invalid_argument);
  }
}

}  // namespace
}  // namespace ropeproof::reference::staged
