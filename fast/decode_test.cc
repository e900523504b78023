// A decode step has a path of its own to the loop over heads: here against the path
// that many tokens take.
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "fast/elements.h"
#include "fast/rope_fast.h"
#include "fast/testing.h"

namespace ropeproof::fast {
namespace {

constexpr std::int64_t kTokens = 3, kQueries = 5, kKeys = 2;
constexpr Type kTypes[] = {Type::kF32, Type::kF16, Type::kBf16, Type::kF64};

// Bits of ordinary numbers in every type.
using Memory = std::vector<std::uint16_t>;

Memory ordinary(std::size_t bytes, std::uint32_t seed) {
  std::mt19937 random(seed);
  Memory memory(bytes / 2);
  for (auto& word : memory) {
    word = static_cast<std::uint16_t>(0x3c00 + random() % 0x100);
  }
  return memory;
}

std::vector<Layout> layouts_of(std::int64_t r) {
  constexpr std::int64_t kOffset = 3, kBeside = 12;
  std::vector<Layout> layouts;
  for (const std::int64_t offset : {std::int64_t{0}, kOffset}) {
    const std::int64_t d = offset == 0 ? r : r + kBeside;
    layouts.push_back({d, r, offset, Pairing::kInterleaved});
    layouts.push_back({d, r, offset, Pairing::kHalfSplit});
    layouts.push_back({d, r, offset, Pairing::kInterleavedToHalf});
    if (r % 4 == 0) {
      layouts.push_back({d, r, offset, Pairing::kNestedHalfSplit, 0, 2});
    }
  }
  layouts.push_back({r + kBeside, r, kOffset, Pairing::kHalfSplit, r / 2 + 4});
  return layouts;
}

// q and k of all tokens, in memory of their own.
struct Heads {
  Layout layout;
  Type type;
  Memory q, k, q_out, k_out;
  bool is_in_place;

  Heads(const Layout& of, Type elements, bool in_place)
      : layout(of), type(elements), is_in_place(in_place) {
    const auto bytes_per_head =
        static_cast<std::size_t>(kTokens * of.head_dim) * bytes_of(elements);
    q = ordinary(bytes_per_head * kQueries, 1);
    k = ordinary(bytes_per_head * kKeys, 2);
    q_out = ordinary(2 * q.size(), 3);
    k_out = ordinary(2 * k.size(), 4);
  }

  Tensor from(std::int64_t token, Memory& in, Memory& out,
              std::int64_t heads) const {
    const std::int64_t d = layout.head_dim;
    const Strides strides{0, heads * d, d};
    const std::int64_t at_token = token * strides.token;
    return {
        at(static_cast<const void*>(in.data()), type, at_token),
        at(static_cast<void*>((is_in_place ? in : out).data()), type, at_token),
        heads,
        strides,
        strides,
        type};
  }
  Tensor queries(std::int64_t token) { return from(token, q, q_out, kQueries); }
  Tensor keys(std::int64_t token) { return from(token, k, k_out, kKeys); }

  bool operator==(const Heads& other) const {
    return q == other.q && k == other.k && q_out == other.q_out &&
           k_out == other.k_out;
  }
};

// Calls run(shape, first token, tensors): all tokens at once; each by itself, q and k
// in one call; and in a call each. The bits must be the same.
template <class Run>
void check_steps(const Layout& layout, Type type, bool in_place,
                 const Run& run) {
  Heads together(layout, type, in_place);
  Heads beside = together, apart = together;
  const Tensor all[] = {together.queries(0), together.keys(0)};
  run(Shape{1, kTokens}, 0, std::span<const Tensor>(all));
  for (std::int64_t t = 0; t < kTokens; ++t) {
    const Tensor both[] = {beside.queries(t), beside.keys(t)};
    run(Shape{1, 1}, t, std::span<const Tensor>(both));
    const Tensor query = apart.queries(t), key = apart.keys(t);
    run(Shape{1, 1}, t, std::span<const Tensor>(&query, 1));
    run(Shape{1, 1}, t, std::span<const Tensor>(&key, 1));
  }
  CHECK(together == beside);
  CHECK(together == apart);
}

TEST_CASE("a token by itself gets the bits that it gets among others",
          "[fast][R5]") {
  const std::vector<std::int64_t> positions = {1000, 7, -123456789};
  on_every_target([&](const std::string& target) {
    for (const std::int64_t r : {2, 10, 32, 64, 80, 128, 256}) {
      const Plan plan = plan_of(10000, r, 1.25);
      for (const Type type : kTypes) {
        const auto pairs = static_cast<std::size_t>(r / 2);
        std::vector<double> cos(kTokens * pairs), sin(cos);
        const Type computed = type == Type::kF64 ? Type::kF64 : Type::kF32;
        table(plan, {1, kTokens}, {positions.data(), 0, 0},
              {cos.data(), sin.data(), 0, r / 2, computed});
        for (const Layout& layout : layouts_of(r)) {
          for (const Direction direction :
               {Direction::kForward, Direction::kAdjoint}) {
            CAPTURE(target, r, static_cast<int>(type),
                    static_cast<int>(layout.pairing), layout.rotary_offset,
                    layout.pair_distance, static_cast<int>(direction));
            for (const bool in_place : {true, false}) {
              check_steps(
                  layout, type, in_place,
                  [&](const Shape& shape, std::int64_t t,
                      std::span<const Tensor> tensors) {
                    const std::int64_t row = t * r / 2;
                    const Table<const void> given{
                        at(static_cast<const void*>(cos.data()), computed, row),
                        at(static_cast<const void*>(sin.data()), computed, row),
                        0, r / 2, computed};
                    rotate(layout, direction, shape, given, tensors);
                  });
              check_steps(layout, type, in_place,
                          [&](const Shape& shape, std::int64_t t,
                              std::span<const Tensor> tensors) {
                            rope(plan, layout, direction, shape,
                                 {positions.data() + t, 0, 0}, tensors);
                          });
            }
          }
        }
      }
    }
  });
}

// Rotated before anything of this program or of the kernels was initialised.
float early[2] = {1, 2};

__attribute__((constructor(101))) void rotate_early() {
  const float cos = 0, sin = 1;
  const Tensor tensor{early, early, 1, {2, 2, 2}, {2, 2, 2}};
  rotate({2, 2, 0, Pairing::kHalfSplit}, Direction::kForward, {1, 1},
         {&cos, &sin, 0, 1}, {&tensor, 1});
}

TEST_CASE("kernels serve those who call before they are initialised",
          "[fast]") {
  CHECK(early[0] == -2);
  CHECK(early[1] == 1);
}

}  // namespace
}  // namespace ropeproof::fast
