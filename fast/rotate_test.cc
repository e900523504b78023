// What changes no bit of rotate and rope: strides, windows, the order of heads
// and tokens, other tensors, threads.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <string>
#include <vector>

#include "fast/elements.h"
#include "fast/partition.h"
#include "fast/rope_fast.h"
#include "fast/testing.h"

namespace ropeproof::fast {
namespace {

const Shape kShape{2, 3};

// Cosines and sines of a few tokens.
OwnTable some_table(std::int64_t pairs) {
  const std::int64_t positions[] = {1, -3, 257, 4099, 131071, 70};
  return table_at(plan_of(10000, 2 * pairs), positions);
}

Table<const void> rows_of(const OwnTable& table) {
  return {table.cos.data(), table.sin.data(), 3 * table.pairs, table.pairs};
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
        std::uint32_t seed = 7;
        for_each_head(kShape, heads, [&](auto b, auto s, auto h) {
          const auto values = samples(static_cast<std::size_t>(d), seed++);
          std::copy(values.begin(), values.end(), x.head(b, s, h));
        });
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
        const Tensor apart = between(x, y), same = in_place(x);
        rotate(window, Direction::kForward, kShape, rows_of(given),
               {&apart, 1});
        CAPTURE(target, r, pairing);
        CHECK(same_bits(x.memory, untouched.memory));
        CHECK(same_bits(y.memory, want_y.memory));
        rotate(window, Direction::kForward, kShape, rows_of(given), {&same, 1});
        CHECK(same_bits(x.memory, want_x.memory));
      }
    }
  });
}

TEST_CASE("heads before tokens, or tokens before heads: the same bits",
          "[fast][R5]") {
  const std::int64_t r = 80, heads = 5;
  const std::int64_t tokens = GENERATE(300, 700);  // in cache, or a stream
  const Plan plan = plan_of(10000, r);
  std::vector<std::int64_t> positions;
  for (std::int64_t t = 0; t < tokens; ++t) positions.push_back(3 * t / 2);
  const auto size = static_cast<std::size_t>(heads * tokens * r);
  // What is at [tokens, heads, r], at [heads, tokens, r].
  const auto heads_first = [&](const std::vector<float>& x) {
    std::vector<float> y(size);
    for_each_head({1, tokens}, heads, [&](auto, auto t, auto h) {
      std::copy_n(&x[static_cast<std::size_t>((t * heads + h) * r)], r,
                  &y[static_cast<std::size_t>((h * tokens + t) * r)]);
    });
    return y;
  };
  on_every_target([&](const std::string& target) {
    for (const Pairing pairing : kPairings) {
      std::vector<float> by_token = samples(size, 2);
      std::vector<float> by_head = heads_first(by_token);
      const auto rope_in_place = [&](std::vector<float>& y, Strides strides) {
        const Tensor tensor{y.data(), y.data(), heads, strides, strides};
        rope(plan, {r, r, 0, pairing}, Direction::kForward, {1, tokens},
             row_of(positions), {&tensor, 1});
      };
      rope_in_place(by_token, {0, heads * r, r});
      rope_in_place(by_head, {0, r, tokens * r});
      CAPTURE(target);
      CHECK(same_bits(heads_first(by_token), by_head));
    }
  });
}

TEST_CASE("a call beyond the caches has the bits of a call for each token",
          "[fast][R5]") {
  const std::int64_t heads = 5;
  const struct {
    Type type;
    std::int64_t bytes,
        r;  // more than stream-inl.h calls a stream, or prefetches
  } kinds[] = {{Type::kF32, 1 << 20, 24},   {Type::kF32, 32 << 20, 102},
               {Type::kF32, 1 << 20, 128},  {Type::kF32, 1 << 20, 142},
               {Type::kF32, 1 << 20, 264},  {Type::kF32, 1 << 20, 1100},
               {Type::kF64, 1 << 20, 142},  {Type::kF16, 1 << 20, 200},
               {Type::kF16, 32 << 20, 200}, {Type::kBf16, 1 << 20, 200},
               {Type::kBf16, 32 << 20, 200}};
  on_every_target([&](const std::string& target) {
    for (const auto& [type, bytes, r] : kinds) {
      const std::int64_t row = heads * r;
      const auto row_bytes = row * static_cast<std::int64_t>(bytes_of(type));
      const std::int64_t tokens = bytes / (2 * row_bytes) + 2;  // to and fro
      const Plan plan = plan_of(10000, r);
      std::vector<std::int64_t> positions;
      Array x(type, static_cast<std::size_t>(tokens * row));
      for (std::int64_t t = 0; t < tokens; ++t) positions.push_back(3 * t / 2);
      for (std::size_t i = 0; i < x.size(); ++i) {
        x.set_bits(i, 0x3f813c003c003c00 + i * 3 % 1000);
      }
      for (const Pairing pairing :
           {Pairing::kInterleaved, Pairing::kHalfSplit}) {
        const Layout layout{r, r, 0, pairing};
        Array whole(type, x.size()), by_token(type, x.size());
        const auto rotated = [&](Array& y, std::int64_t t, std::int64_t count) {
          const Strides strides{0, row, r};
          const Tensor tensor{at(x.data(), type, t * row),
                              at(y.data(), type, t * row),
                              heads,
                              strides,
                              strides,
                              type};
          rope(plan, layout, Direction::kForward, {1, count},
               {&positions[static_cast<std::size_t>(t)], 0, 0}, {&tensor, 1});
        };
        rotated(whole, 0, tokens);
        for (std::int64_t t = 0; t < tokens; ++t) rotated(by_token, t, 1);
        CAPTURE(target, type, r, pairing);
        CHECK((whole.memory == by_token.memory));
      }
    }
  });
}

TEST_CASE("q and k in one call, or in a call each: the same bits",
          "[fast][R5]") {
  const std::int64_t r = 24, q_heads = 5, k_heads = 2, batch = 2;
  const std::int64_t tokens = kTileTokens + 4;
  const std::int64_t row = (q_heads + k_heads) * r;  // q's and k's side by side
  const Shape shape{batch, tokens};
  const Layout layout{r, r, 0, Pairing::kHalfSplit};
  const Plan plan = plan_of(10000, r);
  std::vector<std::int64_t> positions;
  for (std::int64_t t = 0; t < batch * tokens; ++t) positions.push_back(7 * t);
  const Positions given{positions.data(), 0, tokens};
  const OwnTable cos_sin = table_at(plan, positions);
  const Table<const void> all{cos_sin.cos.data(), cos_sin.sin.data(),
                              tokens * r / 2, r / 2};
  const auto tensors = [&](std::vector<float>& x) {
    const Strides strides{tokens * row, row, r};
    float* k = x.data() + q_heads * r;
    return std::array{Tensor{x.data(), x.data(), q_heads, strides, strides},
                      Tensor{k, k, k_heads, strides, strides}};
  };
  const std::vector<float> x =
      samples(static_cast<std::size_t>(batch * tokens * row), 3);
  std::vector<float> together = x, apart = x, rotated = x;
  rope(plan, layout, Direction::kForward, shape, given, tensors(together));
  rotate(layout, Direction::kForward, shape, all, tensors(rotated));
  for (const Tensor& tensor : tensors(apart)) {
    rope(plan, layout, Direction::kForward, shape, given, {&tensor, 1});
  }
  CHECK(same_bits(together, apart));
  CHECK(same_bits(rotated, apart));
  CHECK_FALSE(same_bits(apart, x));
}

TEST_CASE("rotate and rope do not depend on the number of threads", "[fast]") {
  const std::vector<std::int64_t> positions(300, 77);
  const OwnTable given = some_table(64);
  for (const Pairing pairing : kPairings) {
    const Layout layout{128, 128, 0, pairing};
    CHECK(is_same_with_threads({1, 2}, [&] {
      Buffer x({3, 100}, 8, 128, 1);
      x.memory = samples(x.memory.size(), 8);
      const Tensor tensor = in_place(x);
      rope(plan_of(10000, 128), layout, Direction::kForward, {3, 100},
           {positions.data(), 0, 100}, {&tensor, 1});
      return x.memory;
    }));
    CHECK(is_same_with_threads({1, 2}, [&] {
      Buffer x(kShape, 64, 128, 0);
      x.memory = samples(x.memory.size(), 5);
      const Tensor tensor = in_place(x);
      rotate(layout, Direction::kForward, kShape, rows_of(given), {&tensor, 1});
      return x.memory;
    }));
    // One token, divided by heads.
    CHECK(is_same_with_threads({1, 2, 3, 7}, [&] {
      std::vector<float> x = samples(1001 * 128, 6);
      const Tensor tensor = dense(x.data(), Type::kF32, 1001, 128);
      rotate(layout, Direction::kForward, {1, 1}, rows_of(given), {&tensor, 1});
      return x;
    }));
  }
}

}  // namespace
}  // namespace ropeproof::fast
