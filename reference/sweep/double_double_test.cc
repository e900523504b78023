// The arithmetic of sweep/ against rational numbers, each bound by name.
#include "reference/sweep/double_double.h"

#include <boost/multiprecision/cpp_int.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>

#include "reference/sweep/cos_sin_table.h"
#include "reference/sweep/fast_goldens.h"
#include "reference/sweep/rounding.h"

namespace ropeproof::reference::sweep {
namespace {

using Rational = boost::multiprecision::cpp_rational;

Rational exact(DoubleDouble x) { return Rational(x.hi) + Rational(x.lo); }

double relative_error(DoubleDouble got, const Rational& want) {
  const Rational error = abs(Rational((exact(got) - want) / want));
  return error.convert_to<double>();
}

// Deterministic, normalized, with hi in [1/2, 2) and a full low word; every
// third one begins with many zeros, as the worst cases do.
class Source {
 public:
  DoubleDouble next() {
    const std::uint64_t mask = engine_() >> (12 + engine_() % 3 * 13);
    const auto hi = std::bit_cast<double>(
        (std::uint64_t{1022} + engine_() % 2) << 52 | mask);
    const double part = static_cast<double>(engine_() >> 11) * 0x1p-53;
    const double lo = (engine_() % 2 == 0 ? part : -part) * hi * 0x1p-54;
    const double sign = engine_() % 2 == 0 ? 1 : -1;
    return {sign * hi, sign * lo};
  }

 private:
  std::mt19937_64 engine_{20261121};
};

// `worst`: how large `operation` has been seen to err on x and y, in u^2.
void check_bound(auto operation, auto exactly, DoubleDouble x, DoubleDouble y,
                 double worst, double bound) {
  const double error =
      relative_error(operation(x, y), exactly(exact(x), exact(y)));
  CHECK(error > worst * kU2);
  CHECK(error <= bound);
  Source source;
  for (int i = 0; i < 1000; ++i) {
    const DoubleDouble a = source.next();
    DoubleDouble b = source.next();
    if (y.lo == 0) b.lo = 0;  // a double
    const Rational want = exactly(exact(a), exact(b));
    CHECK(relative_error(operation(a, b), want) <= bound);
  }
}

TEST_CASE("a sum of double-doubles is within kSumError",
          "[reference][sweep][bounds]") {
  // The worst case known, 2.25 u^2: [JMP17] section 3.
  check_bound(sum, std::plus<Rational>(),
              {9007199254740991.0, -9007199254740991.0 * 0x1p-54},
              {-9007199254740987.0 / 2, -9007199254740991.0 * 0x1p-56}, 2.24,
              kSumError);
}

TEST_CASE("a product of double-doubles is within kProductError",
          "[reference][sweep][bounds]") {
  // 4.76 u^2, found by a random search.
  check_bound(
      [](auto x, auto y) { return product(x, y); }, std::multiplies<Rational>(),
      {0x1.006f63a741c30p+0, -0x1.fe80389b7e089p-54},
      {0x1.01a2237fa0d6ap+0, -0x1.ffb98adc0ff1fp-54}, 4.75, kProductError);
}

TEST_CASE("a product with a double is within kScaledError",
          "[reference][sweep][bounds]") {
  check_bound([](auto x, auto y) { return scaled(x, y.hi); },
              std::multiplies<Rational>(),
              {0x1.0000005f5c0e6p+0, 0x1.ff2ea6dcc69e0p-54},
              {0x1.0001f596cf918p+0, 0}, 1.4999, kScaledError);
}

TEST_CASE("a product of rotations is within kCosSinProductError",
          "[reference][sweep][bounds]") {
  Source source;
  for (int i = 0; i < 1000; ++i) {
    const CosSin a{source.next(), source.next()};
    const CosSin b{source.next(), source.next()};
    const CosSin got = product(a, b);
    const Rational ac = exact(a.c), as = exact(a.s);
    const Rational bc = exact(b.c), bs = exact(b.s);
    const Rational dc = exact(got.c) - (ac * bc - as * bs);
    const Rational ds = exact(got.s) - (as * bc + ac * bs);
    const Rational size = (ac * ac + as * as) * (bc * bc + bs * bs);
    const Rational square = (dc * dc + ds * ds) / size;
    CHECK(std::sqrt(square.convert_to<double>()) <= kCosSinProductError);
  }
}

TEST_CASE("the error budget of goldens formed at run time adds up",
          "[reference][sweep][bounds]") {
  constexpr double kSecondOrder = 1 + 0x1p-40;
  CHECK(kTurnError >=
        (kSumError + kProductError + kCircleError + kSmallSineError) *
            kSecondOrder);
  const double root_2 = std::sqrt(2.0);
  CHECK(kCosSinProductError >=
        root_2 * (kSumError + kProductError) * kSecondOrder);
  CHECK(kTableError >= (kTurnError + kScaledError) * kSecondOrder);
  CHECK(kPairError >= (kScaledError + kSumError + kU2) * kSecondOrder);
  CHECK(kGoldenError >= kTableError + kPairError);
  CHECK(kGoldenError <= 0x1p-99);
  CHECK(kPairUnderflow >= 8 * 0x1p-1074);
  CHECK(kTableUnderflow >= 8 * 0x1p-1074);
}

// One number on either side of each power and of an ordinary number.
const double kHighs[] = {1,      -1,         0x1.8p-3, 0x1.0000000000001p0,
                         -0.375, 0x1p-40,    1.5,      0x1.fffffffffffffp-1,
                         -2.75,  0x1.1p-700, 0x1p800};

TEST_CASE("rounding to odd gives the odd number of the two around",
          "[reference][sweep]") {
  for (const double hi : kHighs) {
    for (const double part : {0.4, -0.2, 0x1p-20, -0x1p-30}) {
      const double above = std::nextafter(hi, INFINITY);
      const double below = std::nextafter(hi, -INFINITY);
      const double gap = part > 0 ? above - hi : hi - below;
      const DoubleDouble y{hi, part * gap};
      const auto got = round_to_odd(y, std::abs(y.lo) / 2);
      REQUIRE(got);
      CAPTURE(hi, part, *got);
      CHECK((std::bit_cast<std::uint64_t>(*got) & 1) == 1);
      CHECK((*got == hi || *got == (part > 0 ? above : below)));
    }
  }
}

TEST_CASE("a number within the margin of a boundary is not rounded",
          "[reference][sweep]") {
  for (const double hi : kHighs) {
    const double margin = std::abs(hi) * 0x1p-70;
    CHECK_FALSE(round_to_odd({hi, 0}, margin));
    CHECK_FALSE(round_to_odd({hi, 0.99 * margin}, margin));
    CHECK_FALSE(round_to_odd({hi, -0.99 * margin}, margin));
    CHECK(round_to_odd({hi, 1.01 * margin}, margin));
    CHECK(round_to_odd({hi, -1.01 * margin}, margin));
    for (const double direction : {INFINITY, -INFINITY}) {
      // Half-way to the neighbour, less a part of the margin.
      const double half = (std::nextafter(hi, direction) - hi) / 2;
      const double step = std::copysign(margin, half);
      CHECK_FALSE(round_to_nearest({hi, half - 0.5 * step}, margin));
      CHECK(round_to_nearest({hi, half - 2 * step}, margin) == hi);
    }
  }
}

}  // namespace
}  // namespace ropeproof::reference::sweep
