// limits.h -- what this machine allows and what plain C++ reaches: the measures
// that a kernel's time is compared with.
#pragma once

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
inline constexpr std::int64_t kLoopDim = 128;

// Whether a loop prefetches what it will read kAheadBytes later.
enum class Prefetch { kNo, kYes };

// Loops for one type of elements, compiled for one width of vectors.
struct Loops {
  // Reads every word, xors it with `change` and writes it back in place. With
  // change 0 nothing changes, which a compiler must not know.
  void (*touch)(const Bytes&, std::uint32_t change, Prefetch);
  void (*fill)(const Bytes&, std::uint32_t value);
  // Reads every number, widens it to f32, multiplies it, rounds it to nearest
  // even (NaNs aside) and writes it back in place.
  void (*scale)(const Bytes&, float factor, Prefetch);
  // Rotates in place one token's heads of a tensor, as one writes it.
  void (*rotate_plainly)(const ropeproof_problem&, const ropeproof_tensor&,
                         std::int64_t token, const float* cos,
                         const float* sin);

  // Limits of heads of kLoopDim channels; null for vectors below 256 bits.
  //
  // Rotates by one angle: what the loads, stores, conversions, products and
  // shuffles of a rotation allow, its cosines and sines in registers.
  void (*rotate_by_one)(const Bytes&, bool is_interleaved, float cos, float sin,
                        Prefetch) = nullptr;
  // Rotates q and k, each token by its row of a table of f32, or of what
  // polynomials make of positions and frequencies (ROPEPROOF_ROPE): no more
  // than the cosines to f32's precision, up to their signs, and a rotation.
  void (*rotate_by_rows)(const ropeproof_problem&, Prefetch) = nullptr;
};

// The loops for f32, f16 or bf16 and the machine's widest vectors, or those
// that the variable ROPEPROOF_TARGET of the environment allows, AVX2 or SSE4.
const Loops& loops(reference::Format format);

// Writes every word past the caches, where the processor can.
void fill_past(const Bytes& bytes, std::uint32_t value);

// RoPE as one writes it: loops over tokens, heads and pairs, libm's cosf and
// sinf of an f32 angle, formed once for all heads of a token. The description
// and the answer are those of a plug-in: f32, f16 and bf16, in place,
// interleaved and half-split, rope, rotate and table in f32, class A1.
plugin::Description plain_description();
std::int32_t plain_run(const ropeproof_problem& problem);

}  // namespace ropeproof::conformance::bench
