// Schemes as the models that have them draw them. Evaluated in double, as
// rope_test.
#include <catch2/catch_test_macros.hpp>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

// test_double.h lends cos, sin and pow to what follows it:
// clang-format off
#include "reference/test_double.h"
#include "reference/schemes.h"
// clang-format on
#include "reference/test_near.h"
#include "reference/test_oracle.h"

namespace ropeproof::reference {
namespace {

using Ints = std::vector<std::int64_t>;
using Vector = std::vector<double>;
using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

std::string repeat(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

// One letter per pair.
std::string drawn(const Axes& axes, const std::string& letters = "thwe") {
  std::string text;
  for (const std::int64_t k : axes.axis_of_pair) {
    text += letters[static_cast<std::size_t>(k)];
  }
  return text;
}

Vector exponents_of(const std::vector<Exponent>& exponents) {
  Vector result;
  for (const Exponent& e : exponents) {
    result.push_back(static_cast<double>(e.numerator) /
                     static_cast<double>(e.denominator));
  }
  return result;
}

TEST_CASE("contiguous sections are M-RoPE's and XDRoPE's",
          "[reference][schemes]") {
  const Axes qwen = contiguous_sections(Ints{16, 24, 24});
  CHECK(qwen.count == 3);
  CHECK(drawn(qwen) == repeat("t", 16) + repeat("h", 24) + repeat("w", 24));
  CHECK(drawn(contiguous_sections(Ints{4, 4, 4, 4}), "pwht") ==
        "ppppwwwwhhhhtttt");
  CHECK(drawn(contiguous_sections(Ints{2, 0, 1})) == "ttw");
}

TEST_CASE("interleaved sections, as Hugging Face and as ggml have them",
          "[reference][schemes]") {
  CHECK(drawn(interleaved_sections(Ints{24, 20, 20})) ==
        repeat("thw", 20) + "tttt");
  CHECK(drawn(interleaved_sections_ggml(Ints{24, 20, 20, 0})) ==
        repeat("thw", 20) + "teet");
  CHECK(drawn(interleaved_sections(Ints{11, 11, 10})) ==
        repeat("thw", 10) + "th");
  CHECK(drawn(interleaved_sections_ggml(Ints{11, 11, 10, 0})) ==
        repeat("thw", 10) + "th");
  CHECK(drawn(interleaved_sections(Ints{8, 12, 12})) ==
        repeat("thw", 8) + "thwthwth");
  CHECK(drawn(round_robin_sections(Ints{8, 12, 12})) ==
        repeat("thw", 8) + repeat("hw", 4));
  CHECK(interleaved_sections(Ints{1, 1, 1}).count == 3);
  CHECK(interleaved_sections_ggml(Ints{1, 1, 1, 0}).count == 4);
}

TEST_CASE("Ernie alternates height and width, then time",
          "[reference][schemes]") {
  CHECK(drawn(ernie_sections(Ints{22, 22, 20})) ==
        repeat("hw", 22) + repeat("t", 20));
}

TEST_CASE("each axis of an N-axis scheme has frequencies of its own",
          "[reference][schemes]") {
  const Scheme video = n_axis(Ints{2, 1, 3});
  CHECK(drawn(video.axes) == "tthwww");
  CHECK(exponents_of(video.exponents) ==
        Vector{0, 0.5, 0, 0, 1 / 3.0, 2 / 3.0});
  CHECK(video.exponents[1].denominator ==
        4);  // what NTK and YaRN count against
}

TEST_CASE("two axes share their frequencies, or take the even and the odd ones",
          "[reference][schemes]") {
  const Scheme shared = axial_2d(4, 0, Spectrum::kShared);
  CHECK(drawn(shared.axes, "yx") == "yyxx");
  CHECK(exponents_of(shared.exponents) == Vector{0, 0.5, 0, 0.5});
  const Scheme pixtral = axial_2d(4, 0, Spectrum::kEvenOdd);
  CHECK(drawn(pixtral.axes, "yx") == "yyxx");
  CHECK(exponents_of(pixtral.exponents) == Vector{0, 0.5, 0.25, 0.75});
  CHECK(drawn(axial_2d(4, 1, Spectrum::kShared).axes, "yx") == "xxyy");
}

TEST_CASE("proportional layout and exponents count against the whole head",
          "[reference][schemes][R3]") {
  const Layout gemma = proportional_layout(16, 2);
  CHECK(gemma.rotary_dim == 4);
  Pairs got;
  for (const std::int64_t j : {0, 1}) {
    got.emplace_back(pair_of(gemma, j).u, pair_of(gemma, j).v);
  }
  CHECK(got == Pairs{{0, 8}, {1, 9}});
  CHECK(exponents_of(proportional_exponents(16, 2)) == Vector{0, 0.125});
}

TEST_CASE("positions restart with every packed sequence",
          "[reference][schemes]") {
  CHECK(packed_positions(Ints{0, 3, 3, 5}) == Vector{0, 1, 2, 0, 1});
  CHECK(packed_positions(Ints{0}).empty());
  CHECK(consecutive_positions(3, 7) == Vector{7, 8, 9});
  CHECK(consecutive_positions(2, -1) == Vector{-1, 0});
  CHECK(grid_positions(Ints{2, 3}) ==
        Vector{0, 0, 0, 1, 1, 1, 0, 1, 2, 0, 1, 2});
  CHECK(grid_positions(Ints{2, 1, 2}) ==
        Vector{0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 1});
}

// A spec of base 16 and 4 channels: theta is 1 and 1/4.
Spec small(const Axes& axes) {
  Spec spec;
  spec.layout = leading(4, 4, Pairing::kInterleaved);
  spec.frequencies.base = 16;
  spec.axes = axes;
  return spec;
}

Vector rotated_at(const Spec& spec, const Vector& position, const Vector& x) {
  validate(spec);
  return plain_rope(spec, position, 1, x);
}

TEST_CASE("each pair rotates by the coordinate on its own axis",
          "[reference][schemes][R2]") {
  const Vector y =
      rotated_at(small(contiguous_sections(Ints{1, 1})), {3, 8}, {1, 0, 1, 0});
  CHECK_THAT(y[0], near(std::cos(3.0)));
  CHECK_THAT(y[1], near(std::sin(3.0)));
  CHECK_THAT(y[2], near(std::cos(2.0)));
  CHECK_THAT(y[3], near(std::sin(2.0)));
}

TEST_CASE("a dense W mixes the axes, and multiplies the frequency",
          "[reference][schemes][R2]") {
  const Spec spec = small(mixed_axes(2, Vector{0.5, 4, -0.25, 8}));
  const Vector y = rotated_at(spec, {3, 2}, {1, 0, 1, 0});
  CHECK_THAT(y[0], near(std::cos(1.0)));  // 0.5 * 3 - 0.25 * 2
  CHECK_THAT(y[1], near(std::sin(1.0)));
  CHECK_THAT(y[2], near(std::cos(7.0)));  // (4 * 3 + 8 * 2) / 4
  CHECK_THAT(y[3], near(std::sin(7.0)));
}

TEST_CASE("products that cancel exactly are an angle of zero, others are not",
          "[reference][schemes][R2][exact]") {
  const double tenth = 0.1;  // 3 * 0.1 is no double; 0.3 is another number
  const Spec spec = small(mixed_axes(2, Vector{tenth, tenth, -tenth, -0.3}));
  const auto at_origin = [&](double a, double b, std::int64_t j) {
    const double p[] = {a, b};
    return is_at_origin(spec, p, j);
  };
  CHECK(at_origin(0, 0, 0));
  CHECK(at_origin(7, 7, 0));
  CHECK_FALSE(at_origin(7, 8, 0));
  CHECK_FALSE(at_origin(3, 1, 1));  // in doubles, 3 * 0.1 - 0.3 is not 0 either
  CHECK_FALSE(at_origin(0x1p-600, 0x1.0000000000001p-600, 0));
  CHECK(at_origin(1e-300, 1e-300, 0));

  // (1 + 2^-30)^2 - (1 + 2^-29) = 2^-60, in doubles 0.
  const Spec close = small(mixed_axes(2, Vector{1 + 0x1p-30, 0, -1, 0}));
  CHECK_FALSE(is_at_origin(close, Vector{1 + 0x1p-30, 1 + 0x1p-29}, 0));
}

TEST_CASE("a weighted axis rotates by 2 pi per unit, as in DINOv3",
          "[reference][schemes][R2]") {
  const Axes axes =
      weighted(contiguous_sections(Ints{1, 1}), 2, 2 * std::numbers::pi);
  CHECK(axes.weights ==
        Vector{2 * std::numbers::pi, 0, 0, 2 * std::numbers::pi});
  const Vector y = rotated_at(small(axes), {-0.25, 0.5}, {1, 0, 1, 0});
  CHECK(std::abs(y[0]) < 1e-15);
  CHECK_THAT(y[1], near(-1));
  CHECK_THAT(y[2], near(std::sqrt(0.5)));
}

TEST_CASE("nested half-split pairs inside each block, with an offset too",
          "[reference][schemes][R3]") {
  const Layout layout{10, 8, 1, Pairing::kNestedHalfSplit, 2};
  Pairs got;
  for (std::int64_t j = 0; j < 4; ++j) {
    got.emplace_back(pair_of(layout, j).u, pair_of(layout, j).v);
  }
  CHECK(got == Pairs{{1, 3}, {2, 4}, {5, 7}, {6, 8}});
}

TEST_CASE("interleaved in, half-split out; and its adjoint the other way",
          "[reference][schemes][R3][R5]") {
  Spec spec = small({});
  spec.layout = {5, 4, 1, Pairing::kInterleavedToHalf};
  CHECK(rotated_at(spec, {0}, {9, 1, 2, 3, 4}) == Vector{9, 1, 3, 2, 4});
  spec.direction = Direction::kAdjoint;
  CHECK(rotated_at(spec, {0}, {9, 1, 3, 2, 4}) == Vector{9, 1, 2, 3, 4});
}

TEST_CASE("a pair that stands still is copied", "[reference][schemes][R1]") {
  Spec spec = small({});
  spec.frequencies.exponents = {{0, 4}, {1, 0}};
  const Vector y = rotated_at(spec, {5}, {1, 0, 3, 4});
  CHECK_THAT(y[1], near(std::sin(5.0)));
  CHECK(y[2] == 3);
  CHECK(y[3] == 4);
  CHECK(frequency<double>(spec, 1) == 0);
}

TEST_CASE("schemes refuse sizes that make no sense", "[reference][schemes]") {
  CHECK(refusal([] {
          contiguous_sections(Ints{1, -1, 3});
        }) == "sections is -1; expected 0 or more");
  CHECK(refusal([] { contiguous_sections(Ints{}); }) ==
        "sum of sections is 0; expected 1 or more");
  CHECK(refusal([] {
          interleaved_sections(Ints{1, 2});
        }) == "sections is 2 long; expected 3 entries");
  CHECK(refusal([] {
          interleaved_sections_ggml(Ints{1, 2, 3});
        }) == "sections is 3 long; expected 4 entries");
  CHECK(refusal([] {
          ernie_sections(Ints{2, 1, 1});
        }) == "sections[1] is 1; expected sections[0] = 2");
  CHECK(refusal([] { axial_2d(3, 0, Spectrum::kShared); }) ==
        "pairs is 3; expected an even number");
  CHECK(refusal([] { axial_2d(4, 2, Spectrum::kShared); }) ==
        "first_axis is 2; expected 0 or 1");
  CHECK(refusal([] { packed_positions(Ints{}); }) ==
        "cu_seqlens is 0 long; expected 1 entry or more");
  CHECK(refusal([] {
          packed_positions(Ints{1, 2});
        }) == "cu_seqlens[0] is 1; expected 0");
  CHECK(refusal([] {
          packed_positions(Ints{0, 4, 3});
        }) == "cu_seqlens[2] is 3; expected 4 or more");
  Spec spec = small(contiguous_sections(Ints{1, 2}));
  CHECK(refusal([&] { validate(spec); }) ==
        "axis_of_pair is 3 long; expected rotary_dim/2 = 2 entries");
}

}  // namespace
}  // namespace ropeproof::reference
