// widest.h -- one loop, compiled for several widths of vectors.
#ifndef ROPEPROOF_CONFORMANCE_BENCH_WIDEST_H_
#define ROPEPROOF_CONFORMANCE_BENCH_WIDEST_H_

#include <cstdlib>
#include <string_view>

namespace ropeproof::conformance::bench {

#if defined(__x86_64__)

// Of the machine's widest vectors, or of those that the variable
// ROPEPROOF_TARGET of the environment allows, AVX2 or SSE4: 512, 256 or 128.
inline int vector_bits() {
  static const int bits = [] {
    const char* const named = std::getenv("ROPEPROOF_TARGET");
    const std::string_view target = named == nullptr ? "" : named;
    if (target == "SSE4" || !__builtin_cpu_supports("avx2")) return 128;
    return target == "AVX2" || !__builtin_cpu_supports("avx512bw") ? 256 : 512;
  }();
  return bits;
}

// g++ would use half of a 512-bit register by itself.
#if defined(__GNUC__) && !defined(__clang__)
#define ROPEPROOF_WIDE ",prefer-vector-width=512"
#else
#define ROPEPROOF_WIDE ""
#endif

template <class Loop>
__attribute__((
    target("avx512f,avx512bw,avx512dq,avx512vl" ROPEPROOF_WIDE))) void
on_avx512(const Loop& loop) {
  loop();
}

template <class Loop>
__attribute__((target("avx2,fma"))) void on_avx2(const Loop& loop) {
  loop();
}

#undef ROPEPROOF_WIDE

// Calls loop(), whose operator() must be inlined always: it then uses the
// widest vectors of vector_bits().
template <class Loop>
void with_widest_vectors(const Loop& loop) {
  if (vector_bits() == 512) return on_avx512(loop);
  if (vector_bits() == 256) return on_avx2(loop);
  loop();
}

#else

template <class Loop>
void with_widest_vectors(const Loop& loop) {
  loop();
}

#endif

}  // namespace ropeproof::conformance::bench

#endif  // ROPEPROOF_CONFORMANCE_BENCH_WIDEST_H_
