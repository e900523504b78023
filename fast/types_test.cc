// Tensors and tables of every type, in every layout, against plain C++; one
// token and several, which take paths of their own (README.md).
// clang-format off
#include <cmath>  // before rope.h, which finds cos and sin of double by it
#include "reference/rope.h"
// clang-format on

#include <array>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <random>
#include <vector>

#include "fast/bounds.h"
#include "fast/elements.h"
#include "fast/rope_fast.h"
#include "fast/testing.h"
#include "reference/format.h"

namespace ropeproof::fast {
namespace {

using reference::Format;

Format format_of(Type type) {
  constexpr Format kSame[] = {Format::kF32, Format::kF16, Format::kBF16,
                              Format::kF64};
  return kSame[static_cast<std::size_t>(type)];
}

double value(const Array& x, std::size_t i) {
  return reference::decode(format_of(x.type), x.bits(i));
}
void set_value(Array& x, std::size_t i, double value) {
  x.set_bits(i, reference::encode(format_of(x.type), value));
}

enum class Fill {
  kPlain,   // magnitudes around 1
  kAny,     // every pattern with equal odds
  kBorder,  // half of them the ends of the format's ranges, and NaNs
  kShort    // few digits, half of them 0
};

// `digits`: behind the point of what is kShort.
Array patterns(Type type, std::size_t count, Fill fill, std::uint32_t seed,
               int digits = 1) {
  std::mt19937_64 random(seed);
  Array x(type, count);
  const int bits = static_cast<int>(8 * bytes_of(type));
  const std::uint64_t infinity = reference::encode(
      format_of(type), std::numeric_limits<double>::infinity());
  const std::uint64_t least_normal =
      std::uint64_t{1} << (reference::traits(format_of(type)).precision - 1);
  const std::uint64_t borders[] = {0,
                                   1,
                                   least_normal - 1,
                                   least_normal,
                                   infinity - 1,
                                   infinity,
                                   infinity + 1,
                                   infinity + least_normal / 2};
  for (std::size_t i = 0; i < count; ++i) {
    const double sign = random() % 2 ? 1 : -1;
    set_value(x, i,
              sign * (0.25 + static_cast<double>(random() >> 11) * 0x1p-53));
    if (fill == Fill::kAny) {
      x.set_bits(i, random() >> (64 - bits));
    } else if (fill == Fill::kBorder && random() % 2) {
      x.set_bits(i, borders[random() % 8] | random() % 2 << (bits - 1));
    } else if (fill == Fill::kShort) {
      const std::uint64_t high = random() >> 1 >> (64 - digits);
      const double odd = static_cast<double>(high) * 2 + 1;
      set_value(x, i,
                digits == 1 && random() % 2
                    ? sign * 0
                    : sign * std::ldexp(1 + std::ldexp(odd, -digits),
                                        -static_cast<int>(random() % 25)));
    }
  }
  return x;
}

// The layout and direction in the terms of the reference, which says where each
// pair lies.
reference::Spec spec_of(const Layout& layout, Direction direction) {
  constexpr reference::Pairing kSame[] = {
      reference::Pairing::kInterleaved, reference::Pairing::kHalfSplit,
      reference::Pairing::kInterleavedToHalf,
      reference::Pairing::kNestedHalfSplit};
  reference::Spec spec;
  spec.layout = {
      layout.head_dim,      layout.rotary_dim,
      layout.rotary_offset, kSame[static_cast<std::size_t>(layout.pairing)],
      layout.blocks,        layout.pair_distance};
  spec.direction = direction == Direction::kForward
                       ? reference::Direction::kForward
                       : reference::Direction::kAdjoint;
  return spec;
}

// The expression of all kernels, in T, with or without FMA; see RotatedV.
template <class T>
std::array<T, 2> rotated(T u, T v, T c, T s, bool is_fused, bool is_f32) {
  if (!is_fused) return {u * c - v * s, v * c + u * s};
  return {std::fma(u, c, -(v * s)),
          is_f32 ? std::fma(u, s, v * c) : std::fma(v, c, u * s)};
}

// A head by row head / heads of the table.
Array plainly_rotated(const Layout& layout, Direction direction, const Array& x,
                      const Array& cos, const Array& sin, std::size_t heads,
                      bool is_fused) {
  const reference::Spec spec = spec_of(layout, direction);
  const double sign = direction == Direction::kForward ? 1 : -1;
  const auto d = static_cast<std::size_t>(layout.head_dim);
  const auto pairs = static_cast<std::size_t>(layout.rotary_dim / 2);
  Array y = x;
  for (std::size_t head = 0; head < x.size(); head += d) {
    const std::size_t row = head / d / heads * pairs;
    for (std::size_t j = 0; j < pairs; ++j) {
      const auto pair = static_cast<std::int64_t>(j);
      const auto from = reference::source_pair(spec, pair);
      const auto to = reference::target_pair(spec, pair);
      const auto at = [&](std::int64_t channel) {
        return head + static_cast<std::size_t>(channel);
      };
      const double u = value(x, at(from.u)), v = value(x, at(from.v));
      const double c = value(cos, row + j);
      const double s = sign * value(sin, row + j);
      std::array<double, 2> out;
      if (x.type == Type::kF64) {
        out = rotated(u, v, c, s, is_fused, false);
      } else {
        const auto narrow = rotated(
            static_cast<float>(u), static_cast<float>(v), static_cast<float>(c),
            static_cast<float>(s), is_fused, x.type == Type::kF32);
        out = {narrow[0], narrow[1]};
      }
      set_value(y, at(to.u), out[0]);
      set_value(y, at(to.v), out[1]);
    }
  }
  return y;
}

bool same_numbers(const Array& a, const Array& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool are_nan = std::isnan(value(a, i)) && std::isnan(value(b, i));
    if (a.bits(i) != b.bits(i) && !are_nan) return false;
  }
  return true;
}

std::vector<Layout> layouts(std::int64_t r) {
  std::vector<Layout> all = {{r, r, 0, Pairing::kInterleaved},
                             {r + 3, r, 2, Pairing::kInterleaved},
                             {r, r, 0, Pairing::kHalfSplit},
                             {r + 3, r, 1, Pairing::kHalfSplit},
                             {2 * r + 1, r, 1, Pairing::kHalfSplit, r},
                             {r, r, 0, Pairing::kInterleavedToHalf},
                             {r + 3, r, 2, Pairing::kInterleavedToHalf},
                             {r, r, 0, Pairing::kNestedHalfSplit, 0, r / 2}};
  if (r % 4 == 0) {
    all.push_back({r + 1, r, 1, Pairing::kNestedHalfSplit, 0, 2});
  }
  return all;
}

constexpr std::size_t kHeads = 2;

// Both heads of every token as one tensor, and as two of one head each.
std::vector<Tensor> together(Array& in, Array& out, std::int64_t head_dim) {
  Tensor both = dense(in.data(), in.type, kHeads, head_dim);
  both.out = out.data();
  return {both};
}
std::vector<Tensor> apart(Array& in, Array& out, std::int64_t head_dim) {
  Tensor q = together(in, out, head_dim)[0];
  q.heads = 1;
  Tensor k = q;
  k.in = at(k.in, k.type, head_dim);
  k.out = at(k.out, k.type, head_dim);
  return {q, k};
}

Array poisoned(const Array& like) {
  Array x = like;
  std::fill(x.memory.begin(), x.memory.end(), 0xab);
  return x;
}

void check_against_plain(const Layout& layout, Type type, Type table_type,
                         std::int64_t tokens, std::uint32_t seed) {
  // There are 128 or 144 calls of each rotary_dim: 5 and 7 divide neither.
  constexpr Fill kFills[] = {Fill::kPlain, Fill::kAny, Fill::kBorder,
                             Fill::kShort, Fill::kAny};
  const Fill fill = kFills[seed % 5];
  const auto direction =
      seed % 7 < 3 ? Direction::kAdjoint : Direction::kForward;
  const std::int64_t pairs = layout.rotary_dim / 2;
  const auto count = static_cast<std::size_t>(tokens * pairs);
  const Array x = patterns(
      type, kHeads * static_cast<std::size_t>(tokens * layout.head_dim), fill,
      seed);
  // One digit more than x has: what is kShort has results between two numbers.
  const int digits = reference::traits(format_of(type)).precision;
  Array cos = patterns(table_type, count, fill, seed + 1, digits);
  Array sin = patterns(table_type, count, fill, seed + 2, digits);
  on_every_target([&](const std::string& target) {
    const Array want = plainly_rotated(layout, direction, x, cos, sin, kHeads,
                                       has_fma(target));
    for (const bool is_in_place : {true, false}) {
      for (const bool is_one : {true, false}) {
        Array in = x, out = poisoned(x);
        Array& got = is_in_place ? in : out;
        rotate(layout, direction, {1, tokens},
               {cos.data(), sin.data(), 0, pairs, table_type},
               is_one ? together(in, got, layout.head_dim)
                      : apart(in, got, layout.head_dim));
        CAPTURE(target, layout.rotary_dim, tokens, static_cast<int>(type),
                static_cast<int>(table_type), is_in_place, is_one,
                static_cast<int>(fill), static_cast<int>(layout.pairing));
        CHECK(same_numbers(got, want));
      }
    }
  });
}

TEST_CASE("every type and layout is the fused expression, rounded once",
          "[fast][R3][R4]") {
  std::uint32_t seed = 0;
  for (const std::int64_t r : kRotaryDims) {
    for (const Layout& layout : layouts(r)) {
      for (const Type type : kTypes) {
        for (const Type table_type : kTypes) {
          check_against_plain(layout, type, table_type, 1, ++seed);
        }
        check_against_plain(layout, type, compute_type(type), 2, seed);
      }
    }
  }
}

// Rotates pairs (1, 0) by the given cosines: out comes every cosine, rounded.
Array rounded(Type type, const std::vector<float>& values) {
  const auto n = static_cast<std::int64_t>(values.size());
  const std::vector<float> zero(values.size(), 0.0f);
  Array x(type, 2 * values.size());
  for (std::size_t j = 0; j < values.size(); ++j) set_value(x, j, 1);
  const Tensor tensor = dense(x.data(), type, 1, 2 * n);
  rotate({2 * n, 2 * n, 0, Pairing::kHalfSplit}, Direction::kForward, {1, 1},
         {values.data(), zero.data(), 0, 0}, {&tensor, 1});
  x.memory.resize(x.memory.size() / 2);
  return x;
}

TEST_CASE("f32 rounds to 16 bits to nearest, ties to even, at every value",
          "[fast][exact]") {
  for (const Type type : {Type::kF16, Type::kBf16}) {
    std::vector<float> values;
    for (std::uint64_t b = 0; b < 0x10000; ++b) {
      const double here = reference::decode(format_of(type), b);
      const double next = reference::decode(format_of(type), b + 1);
      const auto middle = static_cast<float>((here + next) / 2);
      for (const float x :
           {static_cast<float>(here), middle, std::nextafter(middle, 0.0f),
            std::nextafter(middle, middle * 2)}) {
        values.push_back(x);
      }
    }
    values.push_back(65519.996f);
    values.push_back(65520.0f);
    values.push_back(3.4e38f);
    values.push_back(std::bit_cast<float>(0x7fffffffu));
    values.push_back(std::bit_cast<float>(0xff800001u));
    Array want(type, values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      set_value(want, i, double{values[i]});
    }
    on_every_target([&](const std::string& target) {
      CAPTURE(target, static_cast<int>(type));
      CHECK(same_numbers(rounded(type, values), want));
    });
  }
}

TEST_CASE("a table of any type is the f32 or f64 table, rounded once more",
          "[fast][R2][exact]") {
  const std::vector<std::int64_t> positions = {5, 6, 7, 8, 100000, -3};
  const Plan plan = plan_of(10000, 92, 1.25);
  for (const Type type : kTypes) {
    on_every_target([&](const std::string& target) {
      const OwnTable narrow = table_at(plan, positions);
      Array cos(type, narrow.cos.size()), sin = cos;
      table(plan, {1, 6}, row_of(positions),
            {cos.data(), sin.data(), 0, 46, type});
      for (std::size_t i = 0; i < narrow.cos.size(); ++i) {
        CAPTURE(target, static_cast<int>(type), i);
        if (type == Type::kF64) {
          CHECK(static_cast<float>(value(cos, i)) == narrow.cos[i]);
        } else {
          CHECK(cos.bits(i) ==
                reference::encode(format_of(type), double{narrow.cos[i]}));
        }
      }
    });
  }
}

TEST_CASE("rope is table, then rotate, for many tokens as for each of them",
          "[fast][R5]") {
  const Shape shape{1, kPositions.size()};
  std::vector<std::int64_t> r_and_more(kRotaryDims.begin(), kRotaryDims.end());
  r_and_more.push_back(1060);  // its pairs do not fit on the stack at once
  for (const std::int64_t r : r_and_more) {
    const Plan plan = plan_of(10000, r, 1.25);
    const auto pairs = kPositions.size() * static_cast<std::size_t>(r / 2);
    for (const Type type : kTypes) {
      if (type == Type::kF64 && r > 80) continue;  // slow
      const Type table_type = compute_type(type);
      on_every_target([&](const std::string& target) {
        Array cos(table_type, pairs), sin = cos;
        table(plan, shape, row_of(kPositions),
              {cos.data(), sin.data(), 0, r / 2, table_type});
        for (const Layout& layout : layouts(r)) {
          const std::int64_t d = layout.head_dim;
          const auto direction =
              d % 2 == 0 ? Direction::kForward : Direction::kAdjoint;
          Array in = patterns(
              type, kHeads * kPositions.size() * static_cast<std::size_t>(d),
              Fill::kPlain, 9);
          Array want = in, fused = poisoned(in), one_by_one = in;
          rotate(layout, direction, shape,
                 {cos.data(), sin.data(), 0, r / 2, table_type},
                 together(want, want, d));
          rope(plan, layout, direction, shape, row_of(kPositions),
               together(in, fused, d));
          for (std::size_t t = 0; t < kPositions.size(); ++t) {
            auto tensors = apart(one_by_one, one_by_one, d);
            for (Tensor& tensor : tensors) {
              const auto first =
                  static_cast<std::int64_t>(t) * tensor.in_strides.token;
              tensor.in = tensor.out = at(tensor.out, type, first);
            }
            rope(plan, layout, direction, {1, 1},
                 row_of(std::span(kPositions).subspan(t, 1)), tensors);
          }
          CAPTURE(target, r, d, static_cast<int>(type),
                  static_cast<int>(layout.pairing));
          CHECK(fused.memory == want.memory);
          CHECK(one_by_one.memory == want.memory);
        }
      });
    }
  }
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

TEST_CASE("the targets found are those that Highway's library finds",
          "[fast]") {
  CHECK((supported_targets() & HWY_TARGETS) ==
        (hwy::SupportedTargets() & HWY_TARGETS));
}

}  // namespace
}  // namespace ropeproof::fast
