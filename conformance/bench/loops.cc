// The loops of limits.h for each width of vectors, and plain C++ around them.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numbers>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "conformance/bench/limits.h"

#if defined(__x86_64__)
#if !defined(__clang__)  // g++ 12 warns of its own header: GCC PR 105593
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>
#endif

namespace ropeproof::conformance::bench {
namespace {

// Element types that plain loops compute with in f32; compilers vectorise their
// conversions.
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

constexpr std::size_t kHeadPairs = kLoopDim / 2;

// The terms (pi/2)^n / n! of the series of cos and sin, with their signs.
constexpr auto kTaylor = [] {
  std::array<double, 12> terms{1, std::numbers::pi / 2};
  for (std::size_t n = 2; n < terms.size(); ++n) {
    terms[n] = -terms[n - 2] * (std::numbers::pi / 2) * (std::numbers::pi / 2) /
               static_cast<double>(n * (n - 1));
  }
  return terms;
}();

#if defined(__x86_64__)
// g++ would use half of a 512-bit register by itself.
#if !defined(__clang__)
#define WIDEST ",prefer-vector-width=512"
#else
#define WIDEST ""
#endif

namespace avx512 {
#define LOOP_BYTES 64
#define LOOP_OUT \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl" WIDEST)))
#define LOOP LOOP_OUT inline __attribute__((always_inline))
#include "conformance/bench/loops-inl.h"
#undef LOOP_OUT
#undef LOOP_BYTES
}  // namespace avx512

namespace avx2 {
#define LOOP_BYTES 32
#define LOOP_OUT __attribute__((target("avx2,fma,f16c")))
#include "conformance/bench/loops-inl.h"
#undef LOOP_OUT
#undef LOOP_BYTES
}  // namespace avx2
#endif

namespace narrow {
#define LOOP_BYTES 16
#define LOOP_OUT
#undef LOOP
#define LOOP inline
#include "conformance/bench/loops-inl.h"
}  // namespace narrow

const Loops* widest() {
#if defined(__x86_64__)
  const char* const named = std::getenv("ROPEPROOF_TARGET");
  const std::string_view target = named == nullptr ? "" : named;
  if (target != "SSE4" && __builtin_cpu_supports("avx2")) {
    return target == "AVX2" || !__builtin_cpu_supports("avx512bw")
               ? avx2::kLoops
               : avx512::kLoops;
  }
#endif
  return narrow::kLoops;
}

void form_row(const ropeproof_problem& p, std::int64_t token, float* cos,
              float* sin) {
  const auto position = static_cast<float>(p.positions[token]);
  for (std::int64_t j = 0; j < p.rotary_dim / 2; ++j) {
    const float angle = position * static_cast<float>(p.inv_freq[j]);
    cos[j] = std::cos(angle);
    sin[j] = std::sin(angle);
  }
}

}  // namespace

const Loops& loops(reference::Format format) {
  static const Loops* const all = widest();
  return all[format == reference::Format::kF32   ? 0
             : format == reference::Format::kF16 ? 1
                                                 : 2];
}

void fill_past(const Bytes& bytes, std::uint32_t value) {
#if defined(__x86_64__)
  const __m128i same = _mm_set1_epi32(static_cast<int>(value));
  auto* x = static_cast<std::byte*>(bytes.data);
  for (std::size_t i = 0; i < bytes.count; ++i, x += bytes.stride) {
    for (std::size_t j = 0; j < bytes.length; j += sizeof same) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(x + j), same);
    }
  }
  _mm_sfence();
#else
  loops(reference::Format::kF32).fill(bytes, value);
#endif
}

plugin::Description plain_description() {
  plugin::Description d;
  d.name = "plain";
  d.version = "1";
  d.operations = ROPEPROOF_TABLE | ROPEPROOF_ROTATE | ROPEPROOF_ROPE;
  d.dtypes = ROPEPROOF_F32 | ROPEPROOF_F16 | ROPEPROOF_BF16;
  d.pairings = ROPEPROOF_INTERLEAVED | ROPEPROOF_HALF_SPLIT;
  d.features = ROPEPROOF_IN_PLACE | ROPEPROOF_PARTIAL | ROPEPROOF_KEYS |
               ROPEPROOF_INV_FREQ;
  d.claims[0].angle_class = ROPEPROOF_A1;
  d.claims[0].table_dtype = ROPEPROOF_F32;
  return d;
}

std::int32_t plain_run(const ropeproof_problem& p) {
  using reference::Format;
  const Loops& of = loops(p.dtype == ROPEPROOF_F32   ? Format::kF32
                          : p.dtype == ROPEPROOF_F16 ? Format::kF16
                                                     : Format::kBF16);
  const bool is_rope = p.operation == ROPEPROOF_ROPE;
  std::vector<float> formed(static_cast<std::size_t>(p.rotary_dim));
  for (std::int64_t token = 0; token < p.seq; ++token) {
    const std::int64_t at = token * p.table_token_stride;
    float* cos = is_rope ? formed.data() : static_cast<float*>(p.cos) + at;
    float* sin =
        is_rope ? cos + p.rotary_dim / 2 : static_cast<float*>(p.sin) + at;
    if (p.operation != ROPEPROOF_ROTATE) form_row(p, token, cos, sin);
    if (p.operation == ROPEPROOF_TABLE) continue;
    for (const ropeproof_tensor* t : {&p.q, &p.k}) {
      of.rotate_plainly(p, *t, token, cos, sin);
    }
  }
  return ROPEPROOF_OK;
}

}  // namespace ropeproof::conformance::bench
