// The ends of what encodings are defined for, the buckets of T5, which
// logarithms in binary32 miss, and what is refused. Every other value is proved
// by tools/prove/second_oracle/recheck.py.
#include "reference/encodings/encoding.h"

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "reference/test_oracle.h"

namespace ropeproof::reference::encodings {
namespace {

using Catch::Matchers::ContainsSubstring;
using Wide = boost::multiprecision::cpp_bin_float_50;
using Ints = std::vector<std::int64_t>;
using Doubles = std::vector<double>;

// To nearest.
Doubles values(const Encoding& encoding, const Ints& positions) {
  Doubles result;
  for (const Golden& golden : golden_encoding(
           best_oracle(), encoding, positions, Rounding::kNearestEven)) {
    result.push_back(value(golden.bits));
  }
  return result;
}

std::string refused(const Encoding& encoding, const Ints& positions) {
  return refusal([&] { validate(encoding, positions); });
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

// The smallest distance of each bucket from the first logarithmic one on.
Ints bounds(const T5& e, int sign) {
  Ints result;
  std::int64_t last = t5_bucket(e, 0);
  for (std::int64_t r = 1; r <= 2 * e.max_distance; ++r) {
    const std::int64_t bucket = t5_bucket(e, sign * r);
    if (bucket != last) result.push_back(r);
    last = bucket;
  }
  return result;
}

TEST_CASE("T5: 32 buckets for both directions begin at these distances",
          "[reference][encodings]") {
  const T5 e;
  // 8 (128/8)^(t/8) = 8 2^(t/2), rounded up
  const Ints want = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91};
  CHECK(bounds(e, -1) == want);
  CHECK(bounds(e, 1) == want);
  CHECK(t5_bucket(e, 0) == 0);
  CHECK(t5_bucket(e, -7) == 7);
  CHECK(t5_bucket(e, 1) == 17);
  CHECK(t5_bucket(e, -1000000) == 15);
  CHECK(t5_bucket(e, 1000000) == 31);
}

TEST_CASE("T5: 32 causal buckets begin at these distances, none is ahead",
          "[reference][encodings]") {
  const T5 e{.is_causal = true};
  // 16 8^(t/16), rounded up
  CHECK(bounds(e, -1) == Ints{1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                              12, 13, 14, 15, 16, 19, 21, 24, 27, 31, 35,
                              40, 46, 52, 59, 67, 77, 87, 99, 113});
  CHECK(bounds(e, 1).empty());
  CHECK(t5_bucket(e, 5) == 0);
}

TEST_CASE("T5: the integers agree with wide logarithms off the bounds",
          "[reference][encodings]") {
  for (const T5& e : {T5{}, T5{.is_causal = true}, T5{64, 1000, false},
                      T5{33, 20, true}, T5{4, 2, false}, T5{2, 2, true}}) {
    const std::int64_t n = e.is_causal ? e.buckets : e.buckets / 2;
    const std::int64_t exact = n / 2;
    for (std::int64_t r = exact; r < 3000; ++r) {
      const Wide t = Wide(n - exact) * log(Wide(r) / exact) /
                     log(Wide(e.max_distance) / exact);
      const Wide at_bound = abs(Wide(t - round(t)));
      const Wide near = at_bound < Wide(1e-40) ? round(t) : floor(t);
      const auto want = exact + near.convert_to<std::int64_t>();
      CAPTURE(e.buckets, e.max_distance, r);
      CHECK(t5_bucket(e, -r) == std::min(want, n - 1));
    }
  }
}

TEST_CASE("T5: logarithms in binary32 put a bound one bucket too low",
          "[reference][encodings]") {
  // e = 2, D/e = 343: the bounds are 2 7^t. Each step correctly rounded.
  const T5 e{5, 686, true};
  CHECK(bounds(e, -1) == Ints{1, 2, 14, 98});
  const auto log_of = [](int x) { return static_cast<float>(log(Wide(x))); };
  for (const int t : {1, 2}) {
    const int ratio = t == 1 ? 7 : 49;
    const float quotient = log_of(ratio) / log_of(343);
    CHECK(static_cast<int>(quotient * 3) == t - 1);
    CHECK(t5_bucket(e, -2 * ratio) == 2 + t);
    CHECK(t5_bucket(e, 1 - 2 * ratio) == 1 + t);
  }
}

TEST_CASE("relative: the row is p_j - p_i + L", "[reference][encodings]") {
  const Relative bias{1, {-2, -1, 0, 1}};
  CHECK(values(bias, {5, 6}) == Doubles{0, 1, -1, 0});
  const Relative embedding{2, {1, 2, 3, 4}};
  CHECK(values(embedding, {7}) == Doubles{3, 4});
  CHECK_THAT(refused(bias, {0, 2}),
             ContainsSubstring("p_j - p_i is 2; expected -2 .. 1"));
  CHECK_THAT(refused(Relative{1, {1, 2, 3}}, {0}),
             ContainsSubstring("table is 3 rows; expected an even number"));
}

TEST_CASE(
    "the bucket counts, distances and heads that nobody can mean are refused",
    "[reference][encodings][errors]") {
  CHECK_THAT(refused(T5{33}, {0}),
             ContainsSubstring("buckets is 33; expected an even number"));
  CHECK(refused(T5{.buckets = 33, .is_causal = true}, {0}) == "accepted");
  CHECK_THAT(refused(T5{2}, {0}),
             ContainsSubstring("buckets is 2; expected 4"));
  CHECK_THAT(refused(T5{32, 8}, {0}),
             ContainsSubstring("max_distance is 8; expected 9"));
  CHECK_THAT(refused(T5{.heads = -1}, {0}), ContainsSubstring("heads is -1"));
  CHECK_THAT(refused(T5{4, 3, false, 1, {1, 2, 3}}, {0}),
             ContainsSubstring("table is 3 numbers; expected 4 rows of 1"));
  CHECK_THAT(refused(Alibi{0}, {0}), ContainsSubstring("heads is 0"));
  CHECK_THAT(refused(T5{}, {-kMaxPosition - 1}), ContainsSubstring("position"));
}

}  // namespace
}  // namespace ropeproof::reference::encodings
