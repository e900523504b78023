// plain.h -- RoPE as one writes it in C++, compiled with -O3 -march=native:
// what the compiler makes of it.
#ifndef ROPEPROOF_FAST_BENCH_PLAIN_H_
#define ROPEPROOF_FAST_BENCH_PLAIN_H_

#include <cstdint>

#include "fast/rope_fast.h"

namespace ropeproof::fast::bench {

// Turns `heads` heads, `stride` elements apart, of one token in place.
void plain_rotate(Type type, bool is_interleaved, void* x, std::int64_t heads,
                  std::int64_t stride, std::int64_t rotary_dim,
                  const float* cos, const float* sin);

// libm's cosf and sinf of the f32 angle p * inv_freq[j].
void plain_turns(const float* inv_freq, std::int64_t pairs, std::int64_t p,
                 float* cos, float* sin);

}  // namespace ropeproof::fast::bench

#endif  // ROPEPROOF_FAST_BENCH_PLAIN_H_
