// testing.h -- what the tests of fast/ part.
#pragma once

#include <omp.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "fast/dispatch.h"
#include "fast/elements.h"
#include "fast/plan.h"
#include "fast/rope_fast.h"

namespace ropeproof::fast {

// Calls body(name) with every SIMD target that was compiled and that this
// machine has, best first; dispatch goes to that target meanwhile.
template <class Body>
void on_every_target(const Body& body) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    chosen.Update(target);
    body(std::string(hwy::TargetName(target)));
  }
  chosen.Update(supported_targets());
}

// Whether a target fuses products and sums; the others round both.
inline bool has_fma(const std::string& target) {
  return target.starts_with("AVX") || target.starts_with("NEON") ||
         target.starts_with("SVE");
}

// The worst error that a test met, to be printed with its bound when all tests
// have run. Repeated calls with the same kernel and target keep the maximum.
void record(const std::string& kernel, const std::string& target,
            const std::string& unit, double bound, double measured);

// Tails of every kind: below and above each vector width, multiples or not.
inline constexpr std::array<std::int64_t, 17> kRotaryDims = {
    2, 6, 10, 16, 18, 24, 32, 40, 64, 72, 80, 96, 112, 120, 128, 192, 256};

// The edges of f32, of int32 and of binary64 integers, and what lies between.
inline constexpr std::array<std::int64_t, 11> kPositions = {
    0,          1,         257,       -4095,         131071,          0x1000001,
    -0x1000003, INT32_MAX, INT32_MIN, 0x10000003039, 0x1fffffffffffff};

// A NaN that no kernel makes by itself.
inline const float kPoison = std::bit_cast<float>(0x7fc0dead);

inline bool same_bits(std::span<const float> a, std::span<const float> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](float x, float y) {
                      return std::bit_cast<std::uint32_t>(x) ==
                             std::bit_cast<std::uint32_t>(y);
                    });
}

// Floats of either sign with magnitudes in [2^-3, 2).
inline std::vector<float> samples(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float& value : values) {
    const auto bits = static_cast<std::uint32_t>(random());
    const std::uint32_t exponent = 124 + (bits >> 23) % 4;
    value = std::bit_cast<float>((bits & 0x807fffff) | exponent << 23);
  }
  return values;
}

inline constexpr Type kTypes[] = {Type::kF32, Type::kF16, Type::kBf16,
                                  Type::kF64};
inline constexpr Pairing kPairings[] = {Pairing::kInterleaved,
                                        Pairing::kHalfSplit};

// Elements of a type, in memory of their own.
struct Array {
  Type type;
  std::vector<unsigned char> memory;

  Array(Type of, std::size_t count) : type(of), memory(count * bytes_of(of)) {}
  std::size_t size() const { return memory.size() / bytes_of(type); }
  void* data() { return memory.data(); }
  std::uint64_t bits(std::size_t i) const {
    std::uint64_t bits = 0;
    std::memcpy(&bits, memory.data() + i * bytes_of(type), bytes_of(type));
    return bits;
  }
  void set_bits(std::size_t i, std::uint64_t bits) {
    std::memcpy(memory.data() + i * bytes_of(type), &bits, bytes_of(type));
  }
};

// A tensor of `heads` heads per token, side by side, in place.
inline Tensor dense(void* data, Type type, std::int64_t heads,
                    std::int64_t head_dim) {
  const Strides strides{0, heads * head_dim, head_dim};
  return {data, data, heads, strides, strides, type};
}

// A tensor in memory of its own, between and around whose heads lies poison.
struct Buffer {
  std::vector<float> memory;
  std::int64_t heads;
  Strides strides;

  Buffer(const Shape& shape, std::int64_t head_count, std::int64_t head_dim,
         std::int64_t gap)
      : heads(head_count) {
    strides.head = head_dim + gap;
    strides.token = heads * strides.head + gap;
    strides.batch = shape.seq * strides.token + gap;
    memory.assign(static_cast<std::size_t>(shape.batch * strides.batch),
                  kPoison);
  }

  float* head(std::int64_t b, std::int64_t s, std::int64_t h) {
    return memory.data() + b * strides.batch + s * strides.token +
           h * strides.head;
  }
};

// Calls body(b, s, h) for every head.
template <class Body>
void for_each_head(const Shape& shape, std::int64_t heads, const Body& body) {
  for (std::int64_t b = 0; b < shape.batch; ++b) {
    for (std::int64_t s = 0; s < shape.seq; ++s) {
      for (std::int64_t h = 0; h < heads; ++h) body(b, s, h);
    }
  }
}

inline Tensor between(Buffer& in, Buffer& out) {
  return {in.memory.data(), out.memory.data(), in.heads, in.strides,
          out.strides};
}

inline Tensor in_place(Buffer& x) { return between(x, x); }

inline Plan plan_of(double base, std::int64_t rotary_dim,
                    double amplitude = 1) {
  const auto pairs = static_cast<std::size_t>(rotary_dim / 2);
  std::vector<double> hi(pairs), lo(pairs);
  frequencies(base, hi, lo);
  return Plan(hi, lo, amplitude);
}

// A table of its own: [tokens, pairs], one batch row.
struct OwnTable {
  std::vector<float> cos, sin;
  std::int64_t pairs;

  OwnTable(std::size_t tokens, std::int64_t pair_count)
      : cos(tokens * static_cast<std::size_t>(pair_count), kPoison),
        sin(cos),
        pairs(pair_count) {}

  Table<void> out() { return {cos.data(), sin.data(), 0, pairs}; }
};

inline bool same_bits(const OwnTable& a, const OwnTable& b) {
  return same_bits(a.cos, b.cos) && same_bits(a.sin, b.sin);
}

// The positions of one batch row.
inline Positions row_of(std::span<const std::int64_t> positions) {
  return {positions.data(), 0, 0};
}

inline OwnTable table_at(const Plan& plan,
                         std::span<const std::int64_t> positions) {
  OwnTable result(positions.size(), static_cast<std::int64_t>(plan.pairs()));
  table(plan, {1, static_cast<std::int64_t>(positions.size())},
        row_of(positions), result.out());
  return result;
}

// What make() returns with each number of threads must be the same.
template <class Make>
bool is_same_with_threads(std::initializer_list<int> counts, const Make& make) {
  const int before = omp_get_max_threads();
  std::vector<std::vector<float>> results;
  for (const int count : counts) {
    omp_set_num_threads(count);
    results.push_back(make());
  }
  omp_set_num_threads(before);
  return std::all_of(results.begin(), results.end(), [&](const auto& result) {
    return same_bits(result, results[0]);
  });
}

}  // namespace ropeproof::fast
