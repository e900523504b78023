// clang-format off
#include <cmath>  // before permutation.h, which includes rope.h
#include "reference/permutation.h"
// clang-format on

#include <catch2/catch_test_macros.hpp>
#include <numeric>
#include <vector>

#include "fast/rope_fast.h"
#include "fast/testing.h"

namespace ropeproof::fast {
namespace {

constexpr std::int64_t kPositionsHere[] = {131071};

Layout whole(std::int64_t head_dim, Pairing pairing) {
  return {head_dim, head_dim, 0, pairing};
}

template <class T>
std::vector<T> permuted(const Layout& from, std::int64_t heads,
                        const std::vector<T>& in) {
  std::vector<T> out(in.size());
  const auto rows = static_cast<std::size_t>(heads * from.head_dim);
  permute(from, heads, in.size() / rows * sizeof(T), in.data(), out.data());
  return out;
}

// Heads of one token, rotated.
std::vector<float> rotated(const Layout& layout, std::vector<float> x) {
  const auto heads = static_cast<std::int64_t>(x.size()) / layout.head_dim;
  const Tensor tensor = dense(x.data(), Type::kF32, heads, layout.head_dim);
  rope(plan_of(10000, layout.rotary_dim), layout, Direction::kForward, {1, 1},
       {kPositionsHere, 0, 0}, {&tensor, 1});
  return x;
}

TEST_CASE("the permutation is the documented one", "[fast][R3]") {
  const std::vector<float> in = {0, 1, 2, 3, 4, 5, 6, 7};
  const std::vector<float> want = {0, 2, 4, 6, 1, 3, 5, 7};
  CHECK(permuted(whole(8, Pairing::kInterleaved), 1, in) == want);
  CHECK(permuted(whole(8, Pairing::kHalfSplit), 1, want) == in);
}

TEST_CASE("half_split(P x) is P interleaved(x), to the bit", "[fast][R3]") {
  on_every_target([&](const std::string& target) {
    for (const std::int64_t d : {8, 16, 80, 128}) {
      const Layout from = whole(d, Pairing::kInterleaved);
      const Layout to = whole(d, Pairing::kHalfSplit);
      const std::vector<float> x = samples(static_cast<std::size_t>(5 * d), 1);
      CAPTURE(target, d);
      CHECK(same_bits(rotated(to, permuted(from, 5, x)),
                      permuted(from, 5, rotated(from, x))));
    }
  });
}

TEST_CASE("elements of any size follow the reference", "[fast][R3]") {
  for (const auto pairing : {Pairing::kInterleaved, Pairing::kHalfSplit}) {
    const Layout from{14, 10, 3, pairing};
    const reference::Layout same{14, 10, 3,
                                 pairing == Pairing::kInterleaved
                                     ? reference::Pairing::kInterleaved
                                     : reference::Pairing::kHalfSplit};
    std::vector<std::uint16_t> halves(3 * 14 * 2);
    std::iota(halves.begin(), halves.end(), std::uint16_t{0});
    CHECK(permuted(from, 3, halves) ==
          reference::permute_rows<std::uint16_t>(same, 3, 2, halves));
    std::vector<double> doubles(3 * 14);
    std::iota(doubles.begin(), doubles.end(), 0.0);
    CHECK(permuted(from, 3, doubles) ==
          reference::permute_rows<double>(same, 3, 1, doubles));
  }
}

}  // namespace
}  // namespace ropeproof::fast
