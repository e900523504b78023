#include "fast/bench/plain.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace ropeproof::fast::bench {
namespace {

struct PlainBf16 {
  std::uint16_t bits;
  operator float() const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  }
  static PlainBf16 from(float x) {  // NaNs aside
    const auto b = std::bit_cast<std::uint32_t>(x);
    return {static_cast<std::uint16_t>((b + 0x7fff + (b >> 16 & 1)) >> 16)};
  }
};

struct PlainF16 {
  _Float16 value;
  operator float() const { return static_cast<float>(value); }
  static PlainF16 from(float x) { return {static_cast<_Float16>(x)}; }
};

struct PlainF32 {
  float value;
  operator float() const { return value; }
  static PlainF32 from(float x) { return {x}; }
};

template <class E>
void rotate(bool is_interleaved, E* x, std::int64_t heads, std::int64_t stride,
            std::int64_t rotary_dim, const float* __restrict cos,
            const float* __restrict sin) {
  const std::int64_t half = rotary_dim / 2;
  for (std::int64_t h = 0; h < heads; ++h, x += stride) {
    if (is_interleaved) {
      for (std::int64_t j = 0; j < half; ++j) {
        const float u = x[2 * j], v = x[2 * j + 1];
        x[2 * j] = E::from(u * cos[j] - v * sin[j]);
        x[2 * j + 1] = E::from(v * cos[j] + u * sin[j]);
      }
    } else {
      E* __restrict a = x;
      E* __restrict b = x + half;
      for (std::int64_t j = 0; j < half; ++j) {
        const float u = a[j], v = b[j];
        a[j] = E::from(u * cos[j] - v * sin[j]);
        b[j] = E::from(v * cos[j] + u * sin[j]);
      }
    }
  }
}

}  // namespace

void plain_rotate(Type type, bool is_interleaved, void* x, std::int64_t heads,
                  std::int64_t stride, std::int64_t rotary_dim,
                  const float* cos, const float* sin) {
  const auto go = [&](auto* elements) {
    rotate(is_interleaved, elements, heads, stride, rotary_dim, cos, sin);
  };
  switch (type) {
    case Type::kBf16:
      return go(static_cast<PlainBf16*>(x));
    case Type::kF16:
      return go(static_cast<PlainF16*>(x));
    default:
      return go(static_cast<PlainF32*>(x));
  }
}

void plain_turns(const float* inv_freq, std::int64_t pairs, std::int64_t p,
                 float* cos, float* sin) {
  for (std::int64_t j = 0; j < pairs; ++j) {
    const float angle = static_cast<float>(p) * inv_freq[j];
    cos[j] = std::cos(angle);
    sin[j] = std::sin(angle);
  }
}

}  // namespace ropeproof::fast::bench
