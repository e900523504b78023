// limits.h -- what this machine allows and what plain C++ reaches: the measures
// that a kernel's time is compared with. Compiled for the machine's widest
// vectors, chosen at run time.
#ifndef ROPEPROOF_CONFORMANCE_BENCH_LIMITS_H_
#define ROPEPROOF_CONFORMANCE_BENCH_LIMITS_H_

#include <cstddef>
#include <cstdint>

#include "conformance/plugin/kernel.h"
#include "reference/format.h"

namespace ropeproof::conformance::bench {

// `count` stretches of `length` bytes, `stride` bytes apart; all of them
// multiples of 64, and the data aligned so.
struct Bytes {
  void* data = nullptr;
  std::size_t count = 0, length = 0, stride = 0;
};

inline constexpr std::size_t kLineBytes = 64, kAheadBytes = 4096;

// Whether a loop prefetches what it will read kAheadBytes later.
enum class Prefetch { kNo, kYes };

// Reads every word, xors it with `change` and writes it back in place. With
// change 0 nothing changes, which a compiler must not know.
void touch(const Bytes& bytes, std::uint32_t change, Prefetch prefetch);

// Reads every f16 or bf16 number, widens it to f32, multiplies it, rounds it to
// nearest even (NaNs aside) and writes it back in place.
void scale16(const Bytes& bytes, reference::Format format, float factor,
             Prefetch prefetch);

// What follows, as loops of instructions, and scale16: whether there are any,
// on x86-64 for vectors of 256 bits or more. Else nothing may be asked of them.
bool has_loops();
void scale16_loop(const Bytes& bytes, reference::Format format, float factor,
                  Prefetch prefetch);

// Rotates heads of 128 channels by one angle: what the loads, stores,
// conversions, products and shuffles of a rotation allow, its cosines and sines
// in registers.
void rotate_by_one(const Bytes& bytes, reference::Format format,
                   bool is_interleaved, float cos, float sin,
                   Prefetch prefetch);

// Rotates q and k in place, heads of 128 channels, each token by its row of a
// table of f32, or of what polynomials make of positions and frequencies
// (ROPEPROOF_ROPE): no more than the cosines to f32's precision, up to their
// signs, and a rotation.
void rotate_by_rows(const ropeproof_problem& problem, Prefetch prefetch);

// Writes every word, through the caches and, where the processor can, past
// them.
void fill(const Bytes& bytes, std::uint32_t value);
void fill_past(const Bytes& bytes, std::uint32_t value);

// RoPE as one writes it: loops over tokens, heads and pairs, libm's cosf and
// sinf of an f32 angle, formed once for all heads of a token. The description
// and the answer are those of a plug-in: f32, f16 and bf16, in place,
// interleaved and half-split, rope, rotate and table in f32, class A1.
plugin::Description plain_description();
std::int32_t plain_run(const ropeproof_problem& problem);

}  // namespace ropeproof::conformance::bench

#endif  // ROPEPROOF_CONFORMANCE_BENCH_LIMITS_H_
