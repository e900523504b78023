// limits.h -- what this machine allows and what plain C++ reaches: the measures
// that a kernel's time is compared with. Compiled for the machine's widest
// vectors, chosen at run time.
#ifndef ROPEPROOF_CONFORMANCE_BENCH_LIMITS_H_
#define ROPEPROOF_CONFORMANCE_BENCH_LIMITS_H_

#include <cstddef>
#include <cstdint>

#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::bench {

// `count` stretches of `length` bytes, `stride` bytes apart; length is a
// multiple of 4, and the data aligned so.
struct SpeedBytes {
  void* data = nullptr;
  std::size_t count = 0, length = 0, stride = 0;
};

// Reads every byte, xors it with `change` and writes it back; the same with
// lines fetched a page ahead. With change 0 nothing changes, which a compiler
// must not know.
void touch(const SpeedBytes& bytes, std::uint32_t change);
void touch_ahead(const SpeedBytes& bytes, std::uint32_t change);

// Writes every byte, by stores as a table has them.
void fill(const SpeedBytes& bytes, std::uint32_t value);

// Copies every byte to the same place in `room`.
void copy(const SpeedBytes& bytes, void* room);

// RoPE as one writes it: loops over tokens, heads and pairs, libm's cosf and
// sinf of an f32 angle, formed once for all heads of a token. The description
// and the answer are those of a plug-in: f32, f16 and bf16, in place,
// interleaved and half-split, rope, rotate and table in f32, class A1.
plugin::Description plain_description();
std::int32_t plain_run(const ropeproof_problem& problem);

}  // namespace ropeproof::conformance::bench

#endif  // ROPEPROOF_CONFORMANCE_BENCH_LIMITS_H_
