// limits.h -- what the memory and the conversions of this machine allow: the
// denominators of every figure.
#ifndef ROPEPROOF_FAST_BENCH_LIMITS_H_
#define ROPEPROOF_FAST_BENCH_LIMITS_H_

#include <cstddef>
#include <cstdint>

#include "fast/rope_fast.h"

namespace ropeproof::fast::bench {

// Rows of `length` bytes, `stride` bytes apart.
struct Rows {
  void* data;
  std::size_t count, length, stride;
};

// Reads, changes and writes back every byte, in place; the same with lines
// prefetched.
void touch(const Rows& rows);
void touch_ahead(const Rows& rows);

// f16 or bf16: widens, multiplies, rounds to nearest even, stores.
void scale16(Type type, float factor, const Rows& rows);

// Writes zeros: through the caches, past them.
void fill(void* data, std::size_t bytes);
void fill_past(void* data, std::size_t bytes);

// Highway's own f32 cosine and sine of n angles; n a multiple of 16.
void highway_cos_sin(const float* angle, std::size_t n, float* cos, float* sin);

}  // namespace ropeproof::fast::bench

#endif  // ROPEPROOF_FAST_BENCH_LIMITS_H_
