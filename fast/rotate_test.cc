#include <omp.h>

// clang-format off
#include <cmath>  // before rope.h, which finds cos and sin of double by it
#include "reference/rope.h"
// clang-format on

#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <vector>

#include "fast/bounds.h"
#include "fast/rope_fast.h"
#include "fast/testing.h"
#include "reference/format.h"

namespace ropeproof::fast {
namespace {

constexpr Pairing kPairings[] = {Pairing::kInterleaved, Pairing::kHalfSplit};

const Shape kShape{2, 3};
constexpr std::size_t kTokens = 6;

// Cosines and sines of a few tokens, each [kTokens, pairs].
OwnTable some_table(std::int64_t pairs) {
  std::vector<std::int64_t> positions = {1, -3, 257, 4099, 131071, 70};
  OwnTable result(kTokens, pairs);
  table(plan_of(10000, 2 * pairs), {1, kTokens}, {positions.data(), 0, 0},
        result.out());
  return result;
}

Table<const void> rows_of(const OwnTable& table) {
  return {table.cos.data(), table.sin.data(), 3 * table.pairs, table.pairs};
}

void fill(Buffer& x, std::int64_t head_dim, std::uint32_t seed) {
  for_each_head(kShape, x.heads, [&](auto b, auto s, auto h) {
    const auto values = samples(static_cast<std::size_t>(head_dim), seed++);
    std::copy(values.begin(), values.end(), x.head(b, s, h));
  });
}

void rotate_one(const Layout& layout, Direction direction,
                const OwnTable& table, const Tensor& tensor) {
  rotate(layout, direction, kShape, rows_of(table), {&tensor, 1});
}

// The worst error of the pairs of one head, in norm-ulp. The reference in
// double: its products are exact, its sum is good to 2^-53.
double worst_norm_ulp(const Layout& layout, Direction direction,
                      const float* cos, const float* sin, const float* x,
                      const float* y) {
  const reference::Layout same{
      layout.head_dim, layout.rotary_dim, layout.rotary_offset,
      layout.pairing == Pairing::kInterleaved ? reference::Pairing::kInterleaved
                                              : reference::Pairing::kHalfSplit};
  const auto d = direction == Direction::kForward
                     ? reference::Direction::kForward
                     : reference::Direction::kAdjoint;
  double worst = 0;
  for (std::int64_t j = 0; j < layout.rotary_dim / 2; ++j) {
    const auto [u, v] = reference::pair_of(same, j);
    const reference::CosSin<double> given{cos[j], sin[j]};
    const auto want = reference::rotate<double>(given, d, x[u], x[v]);
    const double error =
        std::max(std::abs(y[u] - want[0]), std::abs(y[v] - want[1]));
    const double radius =
        std::hypot(double{x[u]}, x[v]) * std::hypot(given.c, given.s);
    worst = std::max(worst,
                     error / reference::ulp(reference::Format::kF32, radius));
  }
  return worst;
}

TEST_CASE("rotation stays within its stated bound", "[fast][R4]") {
  on_every_target([&](const std::string& target) {
    for (const Pairing pairing : kPairings) {
      double worst = 0;
      for (const std::int64_t r : kRotaryDims) {
        const Layout layout{r, r, 0, pairing};
        const OwnTable given = some_table(r / 2);
        for (const auto direction :
             {Direction::kForward, Direction::kAdjoint}) {
          Buffer x(kShape, 16, r, 0), y(kShape, 16, r, 0);
          fill(x, r, static_cast<std::uint32_t>(r));
          rotate_one(layout, direction, given, between(x, y));
          for_each_head(kShape, x.heads, [&](auto b, auto s, auto h) {
            const auto row = (3 * b + s) * given.pairs;
            worst = std::max(
                worst, worst_norm_ulp(layout, direction, given.cos.data() + row,
                                      given.sin.data() + row, x.head(b, s, h),
                                      y.head(b, s, h)));
          });
        }
      }
      CAPTURE(target);
      CHECK(worst <= kRotateBound);
      CHECK(4 * worst >= kRotateBound);
      record(pairing == Pairing::kInterleaved ? "rotate interleaved"
                                              : "rotate half-split",
             target, "norm-ulp", kRotateBound, worst);
    }
  });
}

TEST_CASE("strides, windows and being in place change no bit", "[fast][R5]") {
  const std::int64_t heads = 3, offset = 3;
  on_every_target([&](const std::string& target) {
    for (const Pairing pairing : kPairings) {
      for (const std::int64_t r : kRotaryDims) {
        const std::int64_t d = r + offset + 4;
        const Layout window{d, r, offset, pairing}, whole{r, r, 0, pairing};
        const OwnTable given = some_table(r / 2);
        Buffer x(kShape, heads, d, 5), y(kShape, heads, d, 2);
        fill(x, d, 7);
        x.head(1, 1, 1)[0] = kPoison;  // outside the window: to be copied
        x.head(1, 1, 1)[d - 1] = -0.0f;

        // What it should be: each window on its own, all else as it was.
        Buffer want_x = x, want_y = y;
        for_each_head(kShape, heads, [&](auto b, auto s, auto h) {
          const Tensor one{x.head(b, s, h) + offset,
                           want_x.head(b, s, h) + offset,
                           1,
                           {},
                           {}};
          const auto row = (3 * b + s) * given.pairs;
          rotate(whole, Direction::kForward, {1, 1},
                 {given.cos.data() + row, given.sin.data() + row, 0, 0},
                 {&one, 1});
          std::copy_n(want_x.head(b, s, h), d, want_y.head(b, s, h));
        });

        const Buffer untouched = x;
        rotate_one(window, Direction::kForward, given, between(x, y));
        CAPTURE(target, r, static_cast<int>(pairing));
        CHECK(same_bits(x.memory, untouched.memory));
        CHECK(same_bits(y.memory, want_y.memory));
        rotate_one(window, Direction::kForward, given, in_place(x));
        CHECK(same_bits(x.memory, want_x.memory));
      }
    }
  });
}

TEST_CASE("the adjoint is the rotation with the opposite sine, to the bit",
          "[fast][R4]") {
  const std::int64_t r = 40;
  OwnTable given = some_table(r / 2), opposite = given;
  for (float& s : opposite.sin) s = -s;
  on_every_target([&](const std::string& target) {
    for (const Pairing pairing : kPairings) {
      Buffer x(kShape, 2, r, 0);
      fill(x, r, 1);
      Buffer y = x;
      rotate_one({r, r, 0, pairing}, Direction::kAdjoint, given, in_place(x));
      rotate_one({r, r, 0, pairing}, Direction::kForward, opposite,
                 in_place(y));
      CAPTURE(target);
      CHECK(same_bits(x.memory, y.memory));
    }
  });
}

TEST_CASE("a NaN or an infinity spoils its own pair only", "[fast][R4]") {
  const std::int64_t r = 24;
  const OwnTable given = some_table(r / 2);
  on_every_target([&](const std::string& target) {
    for (const Pairing pairing : kPairings) {
      const bool interleaved = pairing == Pairing::kInterleaved;
      const std::size_t u = interleaved ? 14 : 7, v = interleaved ? 15 : 19;
      for (const float bad : {std::numeric_limits<float>::quiet_NaN(),
                              std::numeric_limits<float>::infinity()}) {
        Buffer x(kShape, 1, r, 0);
        fill(x, r, 3);
        Buffer spoilt = x;
        spoilt.memory[u] = bad;
        rotate_one({r, r, 0, pairing}, Direction::kForward, given, in_place(x));
        rotate_one({r, r, 0, pairing}, Direction::kForward, given,
                   in_place(spoilt));
        CAPTURE(target, bad);
        CHECK_FALSE(std::isfinite(spoilt.memory[u]));
        CHECK_FALSE(std::isfinite(spoilt.memory[v]));
        spoilt.memory[u] = x.memory[u];
        spoilt.memory[v] = x.memory[v];
        CHECK(same_bits(x.memory, spoilt.memory));
      }
    }
  });
}

TEST_CASE("a rotation does not depend on the number of threads", "[fast]") {
  const std::int64_t r = 128, heads = 64;
  const OwnTable given = some_table(r / 2);
  Buffer one(kShape, heads, r, 0);
  fill(one, r, 5);
  Buffer two = one;
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  rotate_one({r, r, 0, Pairing::kHalfSplit}, Direction::kForward, given,
             in_place(one));
  omp_set_num_threads(2);
  rotate_one({r, r, 0, Pairing::kHalfSplit}, Direction::kForward, given,
             in_place(two));
  omp_set_num_threads(threads);
  CHECK(same_bits(one.memory, two.memory));
}

TEST_CASE("one token with many heads does not depend on the threads either",
          "[fast]") {
  const std::int64_t r = 128, heads = 1001;  // divided by heads
  const OwnTable given = some_table(r / 2);
  for (const Pairing pairing : kPairings) {
    std::vector<std::vector<float>> results;
    for (const int count : {1, 2, 3, 7}) {
      const int threads = omp_get_max_threads();
      omp_set_num_threads(count);
      std::vector<float> x = samples(static_cast<std::size_t>(heads * r), 6);
      const Tensor tensor{x.data(), x.data(), heads, {0, 0, r}, {0, 0, r}};
      rotate({r, r, 0, pairing}, Direction::kForward, {1, 1}, rows_of(given),
             {&tensor, 1});
      omp_set_num_threads(threads);
      results.push_back(x);
    }
    for (const auto& result : results) CHECK(same_bits(result, results[0]));
  }
}

TEST_CASE("heads before tokens, or tokens before heads: the same bits",
          "[fast][R5]") {
  const std::int64_t r = 80, heads = 5, tokens = 300;
  const Plan plan = plan_of(10000, r);
  std::vector<std::int64_t> positions;
  for (std::int64_t t = 0; t < tokens; ++t) positions.push_back(3 * t / 2);
  on_every_target([&](const std::string& target) {
    for (const Pairing pairing : kPairings) {
      const Layout layout{r, r, 0, pairing};
      const std::vector<float> x =
          samples(static_cast<std::size_t>(heads * tokens * r), 2);
      std::vector<float> by_token = x, by_head = x;
      const Strides token_major{0, heads * r, r}, head_major{0, r, tokens * r};
      for (std::int64_t t = 0; t < tokens; ++t) {
        for (std::int64_t h = 0; h < heads; ++h) {
          std::copy_n(&x[static_cast<std::size_t>((t * heads + h) * r)], r,
                      &by_head[static_cast<std::size_t>((h * tokens + t) * r)]);
        }
      }
      const auto rotate_all = [&](std::vector<float>& y,
                                  const Strides& strides) {
        const Tensor tensor{y.data(), y.data(), heads, strides, strides};
        rope(plan, layout, Direction::kForward, {1, tokens},
             {positions.data(), 0, 0}, {&tensor, 1});
      };
      rotate_all(by_token, token_major);
      rotate_all(by_head, head_major);
      CAPTURE(target);
      for (std::int64_t t = 0; t < tokens; ++t) {
        for (std::int64_t h = 0; h < heads; ++h) {
          const auto width = static_cast<std::size_t>(r);
          const auto a = static_cast<std::size_t>((t * heads + h) * r);
          const auto b = static_cast<std::size_t>((h * tokens + t) * r);
          CHECK(same_bits(std::span(by_token).subspan(a, width),
                          std::span(by_head).subspan(b, width)));
        }
      }
    }
  });
}

}  // namespace
}  // namespace ropeproof::fast
