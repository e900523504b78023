// testing.h -- what the tests of fast/ part.
#ifndef ROPEPROOF_FAST_TESTING_H_
#define ROPEPROOF_FAST_TESTING_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "fast/plan.h"
#include "fast/rope_fast.h"
#include "hwy/targets.h"

namespace ropeproof::fast {

// Calls body(name) with every SIMD target that was compiled and that this
// machine has, best first; dispatch goes to that target meanwhile.
template <class Body>
void on_every_target(const Body& body) {
  const auto dispatch_to = [](std::int64_t targets) {
    hwy::SetSupportedTargetsForTest(targets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  };
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    dispatch_to(target);
    body(std::string(hwy::TargetName(target)));
  }
  dispatch_to(0);
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
inline constexpr std::array<std::int64_t, 15> kRotaryDims = {
    2, 6, 10, 16, 18, 24, 40, 72, 80, 96, 112, 120, 128, 192, 256};

// The edges of f32, of int32 and of binary64 integers, and what lies between.
inline constexpr std::array<std::int64_t, 11> kPositions = {
    0,
    1,
    257,
    -4095,
    131071,
    (std::int64_t{1} << 24) + 1,
    -(std::int64_t{1} << 24) - 3,
    (std::int64_t{1} << 31) - 1,
    -(std::int64_t{1} << 31),
    (std::int64_t{1} << 40) + 12345,
    (std::int64_t{1} << 53) - 1};

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
  Table<const void> given() const { return {cos.data(), sin.data(), 0, pairs}; }
};

}  // namespace ropeproof::fast

#endif  // ROPEPROOF_FAST_TESTING_H_
