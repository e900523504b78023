#include "fast/dispatch.h"

namespace ropeproof::fast {

// Where all compiled targets are known here, the compiler's cpuid says which of
// them this processor has. Highway's library would say it, too, but that of
// Debian 12 measures a clock as it is loaded, which takes 5 ms of each process.
std::int64_t supported_targets() noexcept {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    (HWY_TARGETS & ~(HWY_SCALAR | HWY_SSE4 | HWY_AVX2 | HWY_AVX3)) == 0
  __builtin_cpu_init();
  const auto has_all = [](auto... has) { return ((has != 0) && ...); };
#define HAS(FEATURE) __builtin_cpu_supports(FEATURE)
  const bool has_sse4 = has_all(HAS("ssse3"), HAS("sse4.1"), HAS("sse4.2"),
                                HAS("pclmul"), HAS("aes"));
  const bool has_avx2 =
      has_sse4 && has_all(HAS("avx"), HAS("avx2"), HAS("fma"), HAS("bmi"),
                          HAS("bmi2"), HAS("lzcnt"), HAS("f16c"));
  const bool has_avx3 =
      has_avx2 && has_all(HAS("avx512f"), HAS("avx512cd"), HAS("avx512vl"),
                          HAS("avx512dq"), HAS("avx512bw"));
#undef HAS
  return HWY_SCALAR | (has_sse4 ? HWY_SSE4 : 0) | (has_avx2 ? HWY_AVX2 : 0) |
         (has_avx3 ? HWY_AVX3 : 0);
#else
  return hwy::SupportedTargets();
#endif
}

constinit hwy::ChosenTarget chosen;

namespace {
// 101 is the first that is not the compiler's own.
[[gnu::constructor(101)]] void choose() { chosen.Update(supported_targets()); }
}  // namespace

}  // namespace ropeproof::fast
