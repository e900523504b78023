// What the relative encodings are known to be: published buckets and slopes, and the
// four terms of Transformer-XL as one product.
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <vector>

#include "reference/encodings/test_values.h"

namespace ropeproof::reference::encodings {
namespace {

using Catch::Matchers::ContainsSubstring;
using Wide = boost::multiprecision::cpp_bin_float_50;

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

TEST_CASE("T5: a table gives each head the number of the bucket",
          "[reference][encodings]") {
  const T5 e{4, 3, false, 2, {0.5, 1, 2, 3, 5, 8, 13, 0.25}};
  CHECK(values(e, {0, 1}) == Doubles{0.5, 1, 13, 0.25, 2, 3, 0.5, 1});
  CHECK(values(T5{4, 3}, {0, 1}) == Doubles{0, 3, 1, 0});
}

TEST_CASE("ALiBi: the slopes of 8 heads are 1/2, 1/4, ... 1/256",
          "[reference][encodings]") {
  CHECK(values(Alibi{8}, {1, 0}) ==
        Doubles{0,       0,       0,       0,       0,       0,       0,
                0,       -0x1p-1, -0x1p-2, -0x1p-3, -0x1p-4, -0x1p-5, -0x1p-6,
                -0x1p-7, -0x1p-8, -0x1p-1, -0x1p-2, -0x1p-3, -0x1p-4, -0x1p-5,
                -0x1p-6, -0x1p-7, -0x1p-8, 0,       0,       0,       0,
                0,       0,       0,       0});
  CHECK(values(Alibi{1}, {0, 3})[1] == -3 * 0x1p-8);
}

TEST_CASE("ALiBi: 12 heads have the slopes of 8, then every other one of 16",
          "[reference][encodings]") {
  const Doubles bias = values(Alibi{12}, {0, 1});
  for (int h = 1; h <= 12; ++h) {
    CAPTURE(h);
    const double exponent = h <= 8 ? h : (2 * (h - 8) - 1) / 2.0;
    CHECK_THAT(bias[static_cast<std::size_t>(11 + h)],
               Catch::Matchers::WithinRel(-std::exp2(-exponent), 1e-15));
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

TEST_CASE("Transformer-XL: the four terms are one product, multiplied out",
          "[reference][encodings]") {
  const TransformerXl e{4,
                        2,
                        10000,
                        {1, 0.25, -0.5, 2, 0.75, -1, 3, 0.5, -2, 1, 1, 0.125},
                        {1, -1, 0.5, 2, 0.25, 3, -2, 1},
                        {0.5, 1, -1, 0.75, 2, -0.25, 1, 1},
                        {-1, 0.5, 2, 1, 0.5, 0.5, 1, -3},
                        {0.5, -2},
                        {1.5, 0.25}};
  const Ints p = {3, 10, 11};
  const Encoding encoding = e;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      std::vector<Wide> q(2), k(2), r(2);
      for (std::size_t h = 0; h < 2; ++h) {
        for (std::size_t c = 0; c < 4; ++c) {
          q[h] += Wide(e.x[4 * i + c]) * e.w_q[2 * c + h];
          k[h] += Wide(e.x[4 * j + c]) * e.w_ke[2 * c + h];
          const Wide phi =
              Wide(p[i] - p[j]) * (c < 2 ? Wide(1) : Wide(1) / 100);
          r[h] += (c % 2 == 0 ? sin(phi) : cos(phi)) * e.w_kr[2 * c + h];
        }
      }
      Wide score = 0;
      for (std::size_t h = 0; h < 2; ++h) {
        score += (q[h] + e.u[h]) * k[h] + (q[h] + e.v[h]) * r[h];
      }
      const auto at_pair = static_cast<std::int64_t>(5 * (3 * i + j));
      Wide sum = 0;
      for (std::int64_t term = 0; term < 4; ++term) {
        sum += element<Wide>(encoding, p, at_pair + term);
      }
      CHECK(abs(Wide(sum - score)) < Wide(1e-45));
      CHECK(abs(Wide(element<Wide>(encoding, p, at_pair + 4) - score)) <
            Wide(1e-45));
      CHECK(element<Wide>(encoding, p, at_pair + 2) ==
            e.u[0] * k[0] + e.u[1] * k[1]);
    }
  }
  CHECK_THAT(refused(e, {0, 1}), ContainsSubstring("x is 12 numbers"));
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
