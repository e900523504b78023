// What the absolute encodings are known to be: digits and decimals computed elsewhere,
// the linear shift, and what is refused.
#include <bit>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <numeric>
#include <vector>

#include "reference/encodings/test_values.h"
#include "reference/rope.h"

namespace ropeproof::reference::encodings {
namespace {

using Catch::Matchers::ContainsSubstring;
using Wide = boost::multiprecision::cpp_bin_float_50;

void check_near(const Doubles& got, const Doubles& want) {
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    CAPTURE(i);
    CHECK_THAT(got[i], Catch::Matchers::WithinRel(want[i], 1e-15));
  }
}

TEST_CASE("integer: every channel is the position", "[reference][encodings]") {
  CHECK(values(Integer{3}, {0, 1, 7}) == Doubles{0, 0, 0, 1, 1, 1, 7, 7, 7});
  CHECK(values(Integer{1}, {kMaxPosition}) == Doubles{0x1p53});
}

TEST_CASE("normalised: every channel is the position over the length",
          "[reference][encodings]") {
  CHECK(values(Normalised{2, 4}, {1, 4}) == Doubles{0.25, 0.25, 1, 1});
  CHECK(values(Normalised{1, 3}, {1, 2}) == Doubles{1.0 / 3, 2.0 / 3});
}

TEST_CASE("binary: 0, 1, 2 and 3 are 000, 001, 010 and 011",
          "[reference][encodings]") {
  CHECK(values(Binary{3}, {0, 1, 2, 3}) ==
        Doubles{0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1});
  CHECK(values(Binary{3}, {7}) == Doubles{1, 1, 1});
  CHECK(values(Binary{60}, {std::int64_t{1} << 52})[7] == 1);
  Doubles wide(70, 0.0);
  wide.back() = 1;
  CHECK(values(Binary{70}, {1}) == wide);
}

TEST_CASE("sinusoidal: position 1 of four channels", "[reference][encodings]") {
  check_near(values(Sinusoidal{4}, {1}),
             {0.84147098480789651, 0.54030230586813972, 0.0099998333341666645,
              0.99995000041666528});
  CHECK(values(Sinusoidal{4}, {0}) == Doubles{0, 1, 0, 1});
}

TEST_CASE("sinusoidal: the first channels are those of the whole",
          "[reference][encodings]") {
  const Doubles whole = values(Sinusoidal{16}, {5});
  CHECK(values(Sinusoidal{16, 10000, 3}, {5}) ==
        Doubles(whole.begin(), whole.begin() + 3));
}

TEST_CASE("sinusoidal is the table of a RoPE, the sine first",
          "[reference][encodings][certificate]") {
  const Oracle oracle = any_oracle();
  const Ints positions = {0, 1, 257, -3, 131071};
  const Spec spec{leading(8, 8, Pairing::kInterleaved), {}};
  const auto table =
      Goldens(oracle, spec, Doubles(positions.begin(), positions.end()))
          .table();
  const auto got = golden_encoding(oracle, Sinusoidal{8}, positions);
  for (std::size_t i = 0; i < table.size(); ++i) {
    CHECK(got[2 * i].bits == table[i].sin.bits);
    CHECK(got[2 * i + 1].bits == table[i].cos.bits);
  }
}

TEST_CASE("sine only: channel i has the exponent i/dim",
          "[reference][encodings]") {
  check_near(values(Sine{4}, {1}),
             {0.84147098480789651, 0.099833416646828155, 0.0099998333341666645,
              0.00099999983333334168});
}

TEST_CASE("PE(p + k) = W_k PE(p), W_k being the adjoint of RoPE's rotation",
          "[reference][encodings]") {
  constexpr std::int64_t kDim = 8, kShift = 13;
  const Spec spec{
      leading(kDim, kDim, Pairing::kInterleaved), {}, Direction::kAdjoint};
  const Ints shift = {kShift};
  for (const std::int64_t p : {0, 1, -7, 1000}) {
    const Ints from = {p}, to = {p + kShift};
    std::vector<Wide> x;
    for (std::int64_t c = 0; c < kDim; ++c) {
      x.push_back(element<Wide>(Encoding(Sinusoidal{kDim}), from, c));
    }
    std::vector<Wide> y = x;
    rotate_head(spec, std::span(y),
                [&](std::int64_t j, const Wide& u, const Wide& v) {
                  const Wide phi =
                      reference::angle(frequency<Wide>(spec, j), Wide(kShift));
                  return rotate(cos_sin(Wide(1), phi), spec.direction, u, v);
                });
    for (std::int64_t row = 0; row < kDim; ++row) {
      CAPTURE(p, row);
      Wide sum = 0;
      for (std::int64_t column = 0; column < kDim; ++column) {
        sum +=
            element<Wide>(Encoding(Shift{kDim}), shift, row * kDim + column) *
            at(x, column);
      }
      const Wide want = element<Wide>(Encoding(Sinusoidal{kDim}), to, row);
      CHECK(abs(Wide(sum - want)) < Wide(1e-45));
      CHECK(abs(Wide(at(y, row) - want)) < Wide(1e-45));
    }
  }
}

TEST_CASE("learned: a row of the table for each position",
          "[reference][encodings]") {
  const Learned e{2, {0.5, -1, 2, 3, 5, 0.1}};
  CHECK(values(e, {2, 0}) == Doubles{5, 0.1, 0.5, -1});
}

TEST_CASE("decay: the sum of the cosines of all angles",
          "[reference][encodings]") {
  check_near(values(Decay{4}, {0, 1}),
             {2, 0.54030230586813972 + 0.99995000041666528});
}

TEST_CASE("what no encoding can be is refused in one line",
          "[reference][encodings][errors]") {
  for (const Encoding& odd :
       {Encoding(Sinusoidal{5}), Encoding(Shift{5}), Encoding(Decay{5})}) {
    CHECK_THAT(refused(odd, {0}),
               ContainsSubstring("dim is 5; expected an even"));
  }
  CHECK_THAT(refused(Binary{3}, {8}),
             ContainsSubstring("position is 8; expected 0 .. 7, what 3 bits"));
  CHECK_THAT(refused(Binary{3}, {-1}), ContainsSubstring("position is -1"));
  CHECK_THAT(
      refused(Learned{2, {1, 2, 3, 4}}, {2}),
      ContainsSubstring("position is 2; expected 0 .. 1: the table has 2"));
  CHECK_THAT(refused(Learned{2, {1, 2, 3}}, {0}),
             ContainsSubstring("table is 3 numbers; expected 1 rows of 2"));
  CHECK_THAT(refused(Learned{2, {}}, {0}), ContainsSubstring("table is 0"));
  CHECK_THAT(refused(Normalised{2, -4}, {0}),
             ContainsSubstring("length is -4"));
  CHECK_THAT(refused(Normalised{2, 4}, {5}),
             ContainsSubstring("position is 5; expected 0 .. 4, the length"));
  CHECK_THAT(refused(Integer{0}, {0}), ContainsSubstring("dim is 0"));
  CHECK_THAT(refused(Integer{1}, {-1}), ContainsSubstring("position is -1"));
  CHECK_THAT(refused(Integer{1}, {kMaxPosition + 1}),
             ContainsSubstring("position is 9007199254740993"));
  CHECK_THAT(refused(Sinusoidal{4, -1}, {0}), ContainsSubstring("base is -1"));
  CHECK_THAT(refused(Sinusoidal{4, 1e4, 5}, {0}),
             ContainsSubstring("channels is 5"));
  CHECK_THAT(refused(Integer{1 << 20}, Ints(17)),
             ContainsSubstring("more than 16777216 numbers"));
  CHECK(values(Sinusoidal{4}, {}).empty());
}

TEST_CASE("both oracles give the same bits",
          "[reference][encodings][certificate]") {
  if (!available(Oracle::kMpfi)) SKIP("built without MPFI");
  Ints positions(40);
  std::iota(positions.begin(), positions.end(), 0);
  positions.push_back(65535);
  const Encoding encodings[] = {Integer{2},
                                Normalised{1, 65535},
                                Binary{16},
                                Sine{7},
                                Sinusoidal{12, 5e5},
                                Shift{4},
                                Decay{10},
                                Alibi{12},
                                T5{}};
  for (const Encoding& encoding : encodings) {
    CAPTURE(encoding.index());
    for (const Rounding rounding : {Rounding::kToOdd, Rounding::kNearestEven}) {
      const auto a =
          golden_encoding(Oracle::kMpfi, encoding, positions, rounding);
      const auto b =
          golden_encoding(Oracle::kBinFloat, encoding, positions, rounding);
      std::size_t different = 0;
      for (std::size_t i = 0; i < a.size(); ++i) {
        different += a[i].bits != b[i].bits;
      }
      CHECK(different == 0);
    }
  }
}

}  // namespace
}  // namespace ropeproof::reference::encodings
