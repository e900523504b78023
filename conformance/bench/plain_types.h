// plain_types.h -- element types that plain loops compute with in f32;
// compilers vectorise their conversions.
#ifndef ROPEPROOF_CONFORMANCE_BENCH_PLAIN_TYPES_H_
#define ROPEPROOF_CONFORMANCE_BENCH_PLAIN_TYPES_H_

#include <bit>
#include <cstdint>

namespace ropeproof::conformance::bench {

struct PlainF32 {
  float value;

  static float widen(PlainF32 x) { return x.value; }
  static PlainF32 narrow(float x) { return {x}; }
};

// The upper half of an f32. Rounds to nearest even; NaNs aside.
struct PlainBf16 {
  std::uint16_t bits;

  static float widen(PlainBf16 x) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(x.bits) << 16);
  }
  static PlainBf16 narrow(float x) {
    const auto b = std::bit_cast<std::uint32_t>(x);
    return {static_cast<std::uint16_t>((b + 0x7fff + (b >> 16 & 1)) >> 16)};
  }
};

// Rounds to nearest even; infinities and NaNs aside.
struct PlainF16 {
  std::uint16_t bits;

  // The exponent's bias is 112 too low until the product.
  static float widen(PlainF16 x) {
    const auto magnitude = static_cast<std::uint32_t>(x.bits & 0x7fff) << 13;
    const float value = std::bit_cast<float>(magnitude) * 0x1p112f;
    const auto sign = static_cast<std::uint32_t>(x.bits & 0x8000) << 16;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | sign);
  }
  static PlainF16 narrow(float x) {
    const auto b = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t magnitude = b & 0x7fffffff;
    const std::uint32_t normal =
        (magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
    // Adding 1/2 leaves a subnormal's bits, rounded, at the bottom.
    const std::uint32_t subnormal =
        std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) -
        (126u << 23);
    const std::uint32_t bits = magnitude < (113u << 23) ? subnormal : normal;
    return {static_cast<std::uint16_t>(bits | (b >> 16 & 0x8000))};
  }
};

}  // namespace ropeproof::conformance::bench

#endif  // ROPEPROOF_CONFORMANCE_BENCH_PLAIN_TYPES_H_
