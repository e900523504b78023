// Tensors and tables of every type, in every layout, against plain C++.
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstring>
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

constexpr Type kTypes[] = {Type::kF32, Type::kF16, Type::kBf16, Type::kF64};

Format format_of(Type type) {
  switch (type) {
    case Type::kF64:
      return Format::kF64;
    case Type::kF32:
      return Format::kF32;
    case Type::kF16:
      return Format::kF16;
    default:
      return Format::kBF16;
  }
}

// Elements as their bit patterns, in memory of their own width.
struct Elements {
  Type type;
  std::vector<std::uint64_t> bits;

  std::vector<unsigned char> packed() const {
    std::vector<unsigned char> memory;
    for (const std::uint64_t b : bits) {
      const auto* bytes = reinterpret_cast<const unsigned char*>(&b);
      memory.insert(memory.end(), bytes, bytes + bytes_of(type));
    }
    return memory;
  }
  void unpack(const std::vector<unsigned char>& memory) {
    for (std::size_t i = 0; i < bits.size(); ++i) {
      bits[i] = 0;
      std::memcpy(&bits[i], memory.data() + i * bytes_of(type), bytes_of(type));
    }
  }
  double value(std::size_t i) const {
    return reference::decode(format_of(type), bits[i]);
  }
};

// Every pattern with equal odds: NaNs, infinities, subnormals and zeros among
// them; `is_plain`: magnitudes around 1 alone.
Elements patterns(Type type, std::size_t count, bool is_plain,
                  std::uint32_t seed) {
  std::mt19937_64 random(seed);
  Elements x{type, std::vector<std::uint64_t>(count)};
  for (std::uint64_t& b : x.bits) {
    b = random() >> (64 - 8 * bytes_of(type));
    if (is_plain) {
      const double value = 0.25 + static_cast<double>(random() >> 11) * 0x1p-53;
      b = reference::encode(format_of(type), random() % 2 ? value : -value);
    }
  }
  return x;
}

struct Pair {
  std::size_t in_u, in_v, out_u, out_v;
};

// Where pair j lies, written down once more, from rope.h (R3).
Pair pair_of(const Layout& layout, Direction direction, std::size_t j) {
  const auto half = static_cast<std::size_t>(layout.rotary_dim / 2);
  const Pair interleaved{2 * j, 2 * j + 1, 2 * j, 2 * j + 1};
  const auto apart = [](std::size_t u, std::size_t distance) {
    return Pair{u, u + distance, u, u + distance};
  };
  switch (layout.pairing) {
    case Pairing::kInterleaved:
      return interleaved;
    case Pairing::kHalfSplit:
      return apart(j, layout.pair_distance == 0
                          ? half
                          : static_cast<std::size_t>(layout.pair_distance));
    case Pairing::kNestedHalfSplit: {
      const std::size_t n = half / static_cast<std::size_t>(layout.blocks);
      return apart(j / n * 2 * n + j % n, n);
    }
    default:
      return direction == Direction::kForward
                 ? Pair{2 * j, 2 * j + 1, j, j + half}
                 : Pair{j, j + half, 2 * j, 2 * j + 1};
  }
}

// The expression of all kernels, in T, with or without FMA; see RotatedV.
template <class T>
std::array<T, 2> rotated(T u, T v, T c, T s, bool is_fused, bool is_f32) {
  if (!is_fused) return {u * c - v * s, v * c + u * s};
  return {std::fma(u, c, -(v * s)),
          is_f32 ? std::fma(u, s, v * c) : std::fma(v, c, u * s)};
}

Elements plainly_rotated(const Layout& layout, Direction direction,
                         const Elements& x, const Elements& cos,
                         const Elements& sin, bool is_fused) {
  Elements y = x;
  const auto d = static_cast<std::size_t>(layout.head_dim);
  for (std::size_t head = 0; head < x.bits.size(); head += d) {
    for (std::size_t j = 0; j < cos.bits.size(); ++j) {
      const Pair p = pair_of(layout, direction, j);
      const std::size_t begin =
          head + static_cast<std::size_t>(layout.rotary_offset);
      const double sign = direction == Direction::kForward ? 1 : -1;
      const double u = x.value(begin + p.in_u), v = x.value(begin + p.in_v);
      const double c = cos.value(j), s = sign * sin.value(j);
      std::array<double, 2> out;
      if (x.type == Type::kF64) {
        out = rotated(u, v, c, s, is_fused, false);
      } else {
        const auto narrow = rotated(
            static_cast<float>(u), static_cast<float>(v), static_cast<float>(c),
            static_cast<float>(s), is_fused, x.type == Type::kF32);
        out = {narrow[0], narrow[1]};
      }
      y.bits[begin + p.out_u] = reference::encode(format_of(x.type), out[0]);
      y.bits[begin + p.out_v] = reference::encode(format_of(x.type), out[1]);
    }
  }
  return y;
}

bool same_numbers(const Elements& a, const Elements& b) {
  for (std::size_t i = 0; i < a.bits.size(); ++i) {
    const bool are_nan = std::isnan(a.value(i)) && std::isnan(b.value(i));
    if (a.bits[i] != b.bits[i] && !are_nan) return false;
  }
  return true;
}

std::vector<Layout> layouts() {
  std::vector<Layout> all;
  for (const std::int64_t r : kRotaryDims) {
    all.push_back({r, r, 0, Pairing::kInterleaved});
    all.push_back({r + 3, r, 2, Pairing::kInterleaved});
    all.push_back({r, r, 0, Pairing::kHalfSplit});
    all.push_back({r + 3, r, 1, Pairing::kHalfSplit});
    all.push_back({2 * r + 1, r, 1, Pairing::kHalfSplit, r});
    all.push_back({r, r, 0, Pairing::kInterleavedToHalf});
    all.push_back({r, r, 0, Pairing::kNestedHalfSplit, 0, r / 2});
    if (r % 4 == 0) {
      all.push_back({r + 1, r, 1, Pairing::kNestedHalfSplit, 0, 2});
    }
  }
  return all;
}

TEST_CASE("every type and layout is the fused expression, rounded once",
          "[fast][R3][R4]") {
  const std::size_t heads = 3;
  std::uint32_t seed = 0;
  for (const Layout& layout : layouts()) {
    for (const Type type : kTypes) {
      for (const Type table_type : kTypes) {
        const bool is_plain = ++seed % 2 == 0;
        const auto direction =
            seed % 3 == 0 ? Direction::kAdjoint : Direction::kForward;
        const auto pairs = static_cast<std::size_t>(layout.rotary_dim / 2);
        const auto d = static_cast<std::size_t>(layout.head_dim);
        const Elements x = patterns(type, heads * d, is_plain, seed);
        const Elements cos = patterns(table_type, pairs, is_plain, seed + 1);
        const Elements sin = patterns(table_type, pairs, is_plain, seed + 2);
        const auto c = cos.packed(), s = sin.packed();
        on_every_target([&](const std::string& target) {
          const Elements want =
              plainly_rotated(layout, direction, x, cos, sin, has_fma(target));
          for (const bool is_in_place : {true, false}) {
            auto in = x.packed();
            auto out = in;
            if (!is_in_place) std::fill(out.begin(), out.end(), 0xab);
            auto* to = is_in_place ? in.data() : out.data();
            const Tensor tensor{in.data(),
                                to,
                                static_cast<std::int64_t>(heads),
                                {0, 0, layout.head_dim},
                                {0, 0, layout.head_dim},
                                type};
            rotate(layout, direction, {1, 1},
                   {c.data(), s.data(), 0, 0, table_type}, {&tensor, 1});
            Elements got = x;
            got.unpack(is_in_place ? in : out);
            CAPTURE(target, layout.rotary_dim, static_cast<int>(type),
                    static_cast<int>(table_type), is_in_place, is_plain,
                    static_cast<int>(layout.pairing));
            CHECK(same_numbers(got, want));
          }
        });
      }
    }
  }
}

// Rotates pairs (1, 0) by the given cosines: out comes every cosine, rounded.
Elements rounded(Type type, const std::vector<float>& values) {
  const auto n = static_cast<std::int64_t>(values.size());
  const std::vector<float> zero(values.size(), 0.0f);
  Elements x{type, std::vector<std::uint64_t>(2 * values.size())};
  for (std::size_t j = 0; j < values.size(); ++j) {
    x.bits[j] = reference::encode(format_of(type), 1);
  }
  auto memory = x.packed();
  const Tensor tensor{memory.data(), memory.data(), 1, {}, {}, type};
  rotate({2 * n, 2 * n, 0, Pairing::kHalfSplit}, Direction::kForward, {1, 1},
         {values.data(), zero.data(), 0, 0}, {&tensor, 1});
  x.unpack(memory);
  x.bits.resize(values.size());
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
    Elements want{type, {}};
    for (const float x : values) {
      want.bits.push_back(reference::encode(format_of(type), double{x}));
    }
    on_every_target([&](const std::string& target) {
      CAPTURE(target, static_cast<int>(type));
      CHECK(same_numbers(rounded(type, values), want));
    });
  }
}

TEST_CASE("a table of any type is the f32 or f64 table, rounded once more",
          "[fast][R2]") {
  const std::vector<std::int64_t> positions = {5, 6, 7, 8, 100000, -3};
  const Plan plan = plan_of(10000, 92, 1.25);
  for (const Type type : kTypes) {
    on_every_target([&](const std::string& target) {
      OwnTable narrow(positions.size(), 46);
      const Shape shape{1, static_cast<std::int64_t>(positions.size())};
      table(plan, shape, {positions.data(), 0, 0}, narrow.out());
      const std::size_t n = narrow.cos.size();
      std::vector<unsigned char> cos(8 * n), sin(8 * n);
      table(plan, shape, {positions.data(), 0, 0},
            {cos.data(), sin.data(), 0, 46, type});
      Elements got{type, std::vector<std::uint64_t>(n)};
      got.unpack(cos);
      for (std::size_t i = 0; i < n; ++i) {
        CAPTURE(target, static_cast<int>(type), i);
        const double want = narrow.cos[i];
        if (type == Type::kF64) {
          CHECK(static_cast<float>(got.value(i)) == narrow.cos[i]);
        } else {
          CHECK(got.bits[i] == reference::encode(format_of(type), want));
        }
      }
    });
  }
}

TEST_CASE("rope in 16 bits and in f64 is table, then rotate", "[fast][R5]") {
  const std::vector<std::int64_t> positions = {5, 6, 7, 8, 100000, -3};
  const Shape shape{1, static_cast<std::int64_t>(positions.size())};
  const Plan plan = plan_of(500000, 80);
  for (const Type type : {Type::kF16, Type::kBf16, Type::kF64}) {
    const Type table_type = type == Type::kF64 ? Type::kF64 : Type::kF32;
    on_every_target([&](const std::string& target) {
      std::vector<unsigned char> cos(6 * 40 * 8), sin(cos);
      const Table<void> out{cos.data(), sin.data(), 0, 40, table_type};
      table(plan, shape, {positions.data(), 0, 0}, out);
      auto staged = patterns(type, 6 * 2 * 80, true, 9).packed();
      auto fused = staged;
      const Layout layout{80, 80, 0, Pairing::kInterleaved};
      const Strides strides{0, 160, 80};
      const Tensor s{staged.data(), staged.data(), 2, strides, strides, type};
      const Tensor f{fused.data(), fused.data(), 2, strides, strides, type};
      rotate(layout, Direction::kForward, shape,
             {cos.data(), sin.data(), 0, 40, table_type}, {&s, 1});
      rope(plan, layout, Direction::kForward, shape, {positions.data(), 0, 0},
           {&f, 1});
      CAPTURE(target, static_cast<int>(type));
      CHECK(staged == fused);
    });
  }
}

}  // namespace
}  // namespace ropeproof::fast
