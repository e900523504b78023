// rope_fast.h -- Rotary Position Embedding, fast and proven.
//
// Every kernel picks the best SIMD target of the machine at run time and
// divides tokens and heads among OpenMP threads where that pays. No result
// depends on the number of threads, on the strides, on being in place, or on
// the other tokens; the pairings differ in the order of the channels alone.
//
// What every function here requires and promises, unless it says otherwise:
//
// Shapes   q or k is [batch, seq, heads, head_dim], cos and sin are
//          [batch, seq, rotary_dim/2]. The innermost stride is 1.
// Units    positions are counts, angles radians, strides elements.
// Requires a Layout with 0 < rotary_dim <= head_dim - rotary_offset, rotary_dim
//          even, rotary_offset >= 0; in and out of one tensor the same memory
//          with the same strides, or memory that does not overlap. Nothing is
//          checked; plugin/problem.h does that.
// Computes f64 tensors in f64, all others in f32; 16-bit results are rounded
//          once, to nearest, ties to even.
// Writes   what it names and nothing else: the elements between heads, tokens
//          and batches are neither read nor written.
// Specials a NaN or an infinity spoils its own pair only, as IEEE arithmetic
//          does it. A NaN's sign and payload are the processor's.
// Throws   nothing, allocates nothing; may run on many threads at once if the
//          outputs are disjoint.
// Errors   within the bounds of bounds.h, on every SIMD target.
#ifndef ROPEPROOF_FAST_ROPE_FAST_H_
#define ROPEPROOF_FAST_ROPE_FAST_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "fast/plan.h"

namespace ropeproof::fast {

enum class Type { kF32, kF16, kBf16, kF64 };

enum class Pairing {
  kInterleaved,        // (2j, 2j+1): GPT-J, Meta LLaMA
  kHalfSplit,          // (j, j + pair_distance): GPT-NeoX, Hugging Face
  kInterleavedToHalf,  // in (2j, 2j+1), out (j, j + rotary_dim/2): HF DeepSeek
  kNestedHalfSplit,    // half-split inside each of `blocks` equal blocks
};

enum class Direction { kForward, kAdjoint };  // the adjoint rotates backward

struct Layout {
  std::int64_t head_dim, rotary_dim, rotary_offset;
  Pairing pairing;
  std::int64_t pair_distance = 0;  // kHalfSplit; 0: rotary_dim/2
  std::int64_t blocks = 1;         // kNestedHalfSplit
};

// The widest window that kInterleavedToHalf takes.
inline constexpr std::int64_t kMaxReordered = 4096;

struct Shape {
  std::int64_t batch, seq;
};

struct Strides {
  std::int64_t batch, token, head;
};

// q or k; a grouped-query layer has two of them with their own `heads`.
struct Tensor {
  const void* in;
  void* out;
  std::int64_t heads;
  Strides in_strides, out_strides;
  Type type = Type::kF32;
};

// m cos(phi) and m sin(phi), forward, of pair j of token s of batch row b at
// [b*batch_stride + s*token_stride + j]. Void is `const void` where it is read.
template <class Void>
struct Table {
  Void *cos, *sin;
  std::int64_t batch_stride, token_stride;
  Type type = Type::kF32;
};

// The position on axis a of token s of batch row b is
// data[a*axis_stride + b*batch_stride + s]; |p| <= 2^53, either sign.
struct Positions {
  const std::int64_t* data;
  std::int64_t axis_stride, batch_stride;
  const double* real = nullptr;  // in place of data, unless null
};

// m of every token and pair, in place of the plan's one unless `data` is null;
// indexed as a table.
struct Amplitudes {
  const double* data = nullptr;
  std::int64_t batch_stride = 0, token_stride = 0;
};

// Fills the table. Every f32 and f64 entry is rounded correctly (bounds.h says
// up to where); a 16-bit entry is the f32 entry rounded once more.
// Cost     per pair about 0.5 ns at consecutive positions, else 1 ns, with
//          512-bit vectors; f64, and plans with axis weights, about 600 ns.
void table(const Plan& plan, const Shape& shape, const Positions& positions,
           const Table<void>& out, const Amplitudes& amplitudes = {}) noexcept;

// Rotates every pair of every head of `tensors` by the given table. Channels
// outside the window are copied bit for bit. A token's cosines and sines are
// read once for all heads of a tensor.
void rotate(const Layout& layout, Direction direction, const Shape& shape,
            const Table<const void>& given,
            std::span<const Tensor> tensors) noexcept;

// table() and rotate() in one pass, bit for bit, without the table in memory:
// a table of f64 for f64 tensors, else of f32. A token's angles are formed once
// for all heads of all tensors, which have one type. `plan` has rotary_dim/2
// pairs.
void rope(const Plan& plan, const Layout& layout, Direction direction,
          const Shape& shape, const Positions& positions,
          std::span<const Tensor> tensors,
          const Amplitudes& amplitudes = {}) noexcept;

// Reorders the rows of a weight [heads * head_dim, row_bytes], or of a bias
// (row_bytes = one element), that was trained for `from.pairing`, so that it
// serves the other pairing. P being that permutation of channels, rotations of
// the two pairings give the same bits:
//
//     half_split(P x) = P interleaved(x)
//
// From interleaved, output row t of a head of 8 channels is input row
// [0, 2, 4, 6, 1, 3, 5, 7][t]; from half-split the inverse. Rows outside the
// window stay. In a grouped-query layer q has its own number of heads and k the
// number of key heads: two calls. `in` and `out` do not overlap.
// Cost     one copy of the weight; serial.
void permute(const Layout& from, std::int64_t heads, std::size_t row_bytes,
             const void* in, void* out) noexcept;

}  // namespace ropeproof::fast

#endif  // ROPEPROOF_FAST_ROPE_FAST_H_
