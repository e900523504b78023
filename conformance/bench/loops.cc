// The loops of limits.h for each width of vectors, and plain C++ around them.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numbers>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "conformance/bench/limits.h"
#include "conformance/bench/plain_types.h"

#if defined(__x86_64__)
#if !defined(__clang__)  // g++ 12 warns of its own header: GCC PR 105593
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>
#endif

namespace ropeproof::conformance::bench {
namespace {

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
