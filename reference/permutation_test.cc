// LLaMA versus Hugging Face: one map in two coordinate systems, bit for bit.
#include "reference/permutation.h"

#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <cmath>
#include <vector>

#include "reference/format.h"
#include "reference/golden.h"
#include "reference/test_oracle.h"

namespace ropeproof::reference {
namespace {

using Bits = std::vector<std::uint64_t>;
using Vector = std::vector<double>;
using Indices = std::vector<std::size_t>;

constexpr Format kFormats[] = {Format::kF64, Format::kF32, Format::kF16,
                               Format::kBF16};

Layout other(Layout layout) {
  layout.pairing = layout.pairing == Pairing::kInterleaved
                       ? Pairing::kHalfSplit
                       : Pairing::kInterleaved;
  return layout;
}

// A tensor of whole heads: rows of one column.
template <class T>
std::vector<T> permuted(const Layout& from, const std::vector<T>& x) {
  return permute_rows<T>(
      from, x.size() / static_cast<std::size_t>(from.head_dim), 1, x);
}

// Numbers that `format` holds, of several sizes, zeros among them.
Vector numbers(Format format, std::size_t count, int seed) {
  Vector x;
  for (std::size_t i = 0; i < count; ++i) {
    const auto t = static_cast<double>(i) + 100.0 * seed;
    const double v = 5 * std::sin(1.3 * t * t);
    x.push_back(round_to(format, i % 11 == 3 ? 0 : v));
  }
  return x;
}

// The rotated heads, as bit patterns of `format`; for f64 those of the goldens.
Bits rope(const Layout& layout, std::int64_t heads,
          const std::vector<std::int64_t>& positions, const Vector& x,
          Format format) {
  Bits bits;
  for (const Golden& golden :
       rope_of(best_oracle(), {layout, {}, Direction::kForward}, heads,
               positions, x)) {
    bits.push_back(encode(format, std::bit_cast<double>(golden.bits)));
  }
  return bits;
}

TEST_CASE("head_dim 8 permutes as the document says",
          "[reference][permutation]") {
  CHECK(channel_permutation(leading(8, 8, Pairing::kInterleaved)) ==
        Indices{0, 2, 4, 6, 1, 3, 5, 7});
  CHECK(channel_permutation(leading(8, 8, Pairing::kHalfSplit)) ==
        Indices{0, 4, 1, 5, 2, 6, 3, 7});
}

TEST_CASE("only the window is permuted", "[reference][permutation]") {
  CHECK(channel_permutation({10, 6, 3, Pairing::kInterleaved}) ==
        Indices{0, 1, 2, 3, 5, 7, 4, 6, 8, 9});
  CHECK(channel_permutation({10, 6, 3, Pairing::kHalfSplit}) ==
        Indices{0, 1, 2, 3, 6, 4, 7, 5, 8, 9});
  CHECK(channel_permutation(trailing(8, 4, Pairing::kInterleaved)) ==
        Indices{0, 1, 2, 3, 4, 6, 5, 7});
}

TEST_CASE("the permutation for the other pairing is the inverse",
          "[reference][permutation]") {
  const std::int64_t d = GENERATE(2, 4, 8, 16, 80, 128);
  const Layout layout = leading(d, d, Pairing::kInterleaved);
  Indices count(static_cast<std::size_t>(3 * d));
  for (std::size_t t = 0; t < count.size(); ++t) count[t] = t;
  CHECK(permuted(other(layout), permuted(layout, count)) == count);
  CHECK(permuted(layout, permuted(other(layout), count)) == count);

  // head_dim 4 cannot tell P from its inverse; 8 and more can.
  const bool same =
      channel_permutation(layout) == channel_permutation(other(layout));
  CHECK(same == (d <= 4));
}

TEST_CASE("P interleaved(x) = half_split(P x), to the bit, in every format",
          "[reference][permutation][exact]") {
  const Format format = GENERATE(from_range(kFormats));
  const Layout layout = GENERATE(leading(4, 4, Pairing::kInterleaved),
                                 leading(8, 8, Pairing::kInterleaved),
                                 leading(16, 16, Pairing::kInterleaved),
                                 Layout{16, 8, 5, Pairing::kInterleaved},
                                 trailing(80, 64, Pairing::kInterleaved));
  const std::vector<std::int64_t> positions = {0, 1, -3, 131071, 16777217};
  const auto d = static_cast<std::size_t>(layout.head_dim);
  const Vector x = numbers(format, positions.size() * 2 * d, 1);

  const Bits interleaved = rope(layout, 2, positions, x, format);
  const Bits half_split =
      rope(other(layout), 2, positions, permuted(layout, x), format);
  CHECK(permuted(layout, interleaved) == half_split);
  CHECK(interleaved == permuted(other(layout), half_split));
  if (d > 4) {  // the wrong way round is no identity
    CHECK(
        permuted(other(layout), interleaved) !=
        rope(other(layout), 2, positions, permuted(other(layout), x), format));
  }
}

}  // namespace
}  // namespace ropeproof::reference
