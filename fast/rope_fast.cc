#include "fast/rope_fast.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "fast/angles.h"
#include "fast/elements.h"
#include "fast/partition.h"
#include "fast/rotate_heads.h"
#include "hwy/base.h"

namespace ropeproof::fast {
namespace {

// Tensors to be rotated alike.
struct Job {
  const Layout& layout;
  Direction direction;
  std::span<const Tensor> tensors;
  std::int64_t bytes;

  std::size_t pairs() const { return pairs_of(layout); }
};

// What a call reads and writes of the windows.
HWY_INLINE std::int64_t bytes_of_call(const Layout& layout, const Shape& shape,
                                      std::span<const Tensor> tensors) {
  std::int64_t bytes = 0;  // per channel
  for (const Tensor& tensor : tensors) {
    bytes += tensor.heads << (log2_bytes_of(tensor.type) +
                              (tensor.in == tensor.out ? 0 : 1));
  }
  return bytes * layout.rotary_dim * shape.batch * shape.seq;
}

// Copies the channels that no pair has. `in` and `out` are at channel
// rotary_offset of the first of `heads` heads.
HWY_NOINLINE void copy_outside_pairs(const Layout& layout, const Tensor& tensor,
                                     std::int64_t heads, std::int64_t tokens,
                                     const void* in, void* out) {
  // The window, or its halves where they lie apart.
  const std::int64_t r = layout.rotary_dim, begin = -layout.rotary_offset;
  const std::int64_t end = layout.head_dim - layout.rotary_offset;
  const bool is_apart = layout.pairing == Pairing::kHalfSplit &&
                        layout.pair_distance != 0 &&
                        layout.pair_distance != r / 2;
  const std::int64_t u_end = is_apart ? r / 2 : r;
  const std::int64_t v = is_apart ? layout.pair_distance : r;
  const std::int64_t v_end = is_apart ? v + r / 2 : r;
  const auto copy = [&](std::int64_t in_head, std::int64_t out_head,
                        std::int64_t from, std::int64_t to) {
    std::memcpy(at(out, tensor.type, out_head + from),
                at(in, tensor.type, in_head + from),
                static_cast<std::size_t>(to - from) * bytes_of(tensor.type));
  };
  for (std::int64_t t = 0; t < tokens; ++t) {
    for (std::int64_t h = 0; h < heads; ++h) {
      const std::int64_t in_head =
          t * tensor.in_strides.token + h * tensor.in_strides.head;
      const std::int64_t out_head =
          t * tensor.out_strides.token + h * tensor.out_strides.head;
      copy(in_head, out_head, begin, 0);
      copy(in_head, out_head, u_end, v);
      copy(in_head, out_head, v_end, end);
    }
  }
}

HWY_INLINE bool needs_copy(const Layout& layout, const Tensor& tensor) {
  return tensor.in != tensor.out && layout.head_dim != layout.rotary_dim;
}

static_assert(kRowEntries >= kMaxReordered / 2);

// Cosines and sines of pairs [first, first + n), a row per token.
struct CosSinRows {
  std::size_t first, n;
  const void *cos, *sin;
  std::int64_t stride;
};

// Rotates this part's heads of all tensors.
HWY_INLINE void rotate_part(const Job& job, const Part& part,
                            const CosSinRows& rows) {
  const Layout& layout = job.layout;
  const Tokens& tokens = part.tokens;
  for (const Tensor& tensor : job.tensors) {
    std::int64_t from = 0, to = tensor.heads;
    if (part.slices > 1) {
      from = tensor.heads * part.slice / part.slices;
      to = tensor.heads * (part.slice + 1) / part.slices;
    }
    const auto offset = [&](const Strides& strides) {
      return tokens.batch * strides.batch + tokens.first * strides.token +
             from * strides.head + layout.rotary_offset;
    };
    const Tile tile{tensor,    layout,       job.direction, rows.first, rows.n,
                    to - from, tokens.count, rows.stride,   job.bytes};
    const void* in = at(tensor.in, tensor.type, offset(tensor.in_strides));
    void* out = at(tensor.out, tensor.type, offset(tensor.out_strides));
    rotate_tile(in, out, rows.cos, rows.sin, tile);
    if (rows.first == 0 && needs_copy(layout, tensor)) {
      copy_outside_pairs(layout, tensor, to - from, tokens.count, in, out);
    }
  }
}

// For each part, for each block of pairs that fits on the stack, in the type
// that the tensors compute in: calls form(part, first, n, cos, sin), which
// forms rows n apart, then rotates the part's heads.
template <class Form>
HWY_INLINE void form_and_rotate(const Job& job, const Shape& shape,
                                const Form& form) {
  const std::size_t pairs = job.pairs();
  const auto solve = [&](const Part& part, auto zero) {
    alignas(64) decltype(zero) cos[kRowEntries],
        sin[kRowEntries];  // whole lines
    for (std::size_t first = 0; first < pairs; first += kRowEntries) {
      const std::size_t n = std::min(kRowEntries, pairs - first);
      form(part, first, n, cos, sin);
      rotate_part(job, part,
                  {first, n, cos, sin, static_cast<std::int64_t>(n)});
    }
  };
  for_each_part(shape, tile_tokens(pairs), job.bytes, true,
                [&](const Part& part) {
                  if (compute_type(job.tensors[0].type) == Type::kF64) {
                    solve(part, 0.0);
                  } else {
                    solve(part, 0.0f);
                  }
                });
}

// Fills one tile of a table.
void table_part(const Angles& angles, const Tokens& tokens, bool is_streamed,
                const Table<void>& out) {
  const std::size_t pairs = angles.plan.pairs();
  const std::int64_t row =
      tokens.batch * out.batch_stride + tokens.first * out.token_stride;
  const auto stride = static_cast<std::size_t>(out.token_stride);
  void* cos = at(out.cos, out.type, row);
  void* sin = at(out.sin, out.type, row);
  if (out.type == Type::kF64) {
    form_rows(angles, tokens, 0, pairs, stride, static_cast<double*>(cos),
              static_cast<double*>(sin));
    return;
  }
  if (out.type == Type::kF32) {
    form_rows(angles, tokens, 0, pairs, stride, static_cast<float*>(cos),
              static_cast<float*>(sin), is_streamed);
    if (is_streamed) end_stream();
    return;
  }
  float cos_rows[kRowEntries], sin_rows[kRowEntries];
  for (std::size_t first = 0; first < pairs; first += kRowEntries) {
    const std::size_t n = std::min(kRowEntries, pairs - first);
    form_rows(angles, tokens, first, n, n, cos_rows, sin_rows);
    for (std::int64_t t = 0; t < tokens.count; ++t) {
      const std::size_t from = static_cast<std::size_t>(t) * n;
      const std::int64_t to =
          t * out.token_stride + static_cast<std::int64_t>(first);
      narrow(cos_rows + from, n, out.type, at(cos, out.type, to));
      narrow(sin_rows + from, n, out.type, at(sin, out.type, to));
    }
  }
}

}  // namespace

void table(const Plan& plan, const Shape& shape, const Positions& positions,
           const Table<void>& out, const Amplitudes& amplitudes) noexcept {
  const auto row_bytes =
      static_cast<std::int64_t>(2 * plan.pairs() * bytes_of(out.type));
  const std::int64_t bytes = shape.batch * shape.seq * row_bytes;
  // Whole lines only, and not what the caches can hold for the reader.
  const auto is_whole = [](std::uintptr_t x) { return x % 64 == 0; };
  const bool is_streamed =
      out.type == Type::kF32 && bytes > kCacheBytes &&
      is_whole(reinterpret_cast<std::uintptr_t>(out.cos)) &&
      is_whole(reinterpret_cast<std::uintptr_t>(out.sin)) &&
      is_whole(4 * plan.pairs()) &&
      is_whole(static_cast<std::uintptr_t>(4 * out.token_stride)) &&
      is_whole(static_cast<std::uintptr_t>(4 * out.batch_stride));
  const Angles angles{plan, positions, amplitudes};
  const std::int64_t most = tile_tokens(plan.pairs());
  for_each_part(shape, most, bytes, false, [&](const Part& part) {
    table_part(angles, part.tokens, is_streamed, out);
  });
}

namespace {

// A decode step: one token, of so few channels that no other thread helps. Call
// overhead is visible here: hence a path of its own.
constexpr std::int64_t kDecodeChannels =
    kParallelBytes / static_cast<std::int64_t>(2 * sizeof(double));

HWY_INLINE bool is_decode(const Layout& layout, const Shape& shape,
                          std::int64_t heads) {
  return shape.batch == 1 && shape.seq == 1 &&
         heads * layout.rotary_dim < kDecodeChannels;
}

HWY_INLINE std::int64_t heads_of(std::span<const Tensor> tensors) {
  std::int64_t heads = 0;
  for (const Tensor& tensor : tensors) heads += tensor.heads;
  return heads;
}

// The row of the token's position.
HWY_INLINE void form_decode_row(const Angles& angles, float* cos, float* sin) {
  constexpr Tokens kFirst{0, 0, 1};
  const auto& [plan, positions, amplitudes] = angles;
  const std::size_t n = plan.pairs();
  if (HWY_LIKELY(plan.has_one_axis() && amplitudes.data == nullptr)) {
    return form_row(plan, 0, n, position_of(positions, kFirst, 0, 0),
                    plan.amplitudes(), cos, sin);
  }
  form_rows(angles, kFirst, 0, n, n, cos, sin);
}

HWY_INLINE void rotate_one_token(const Layout& layout, Direction direction,
                                 std::span<const Tensor> tensors,
                                 const void* cos, const void* sin) {
  for (const Tensor& tensor : tensors) {
    if (HWY_UNLIKELY(needs_copy(layout, tensor))) {
      const std::int64_t offset = layout.rotary_offset;
      copy_outside_pairs(layout, tensor, tensor.heads, 1,
                         at(tensor.in, tensor.type, offset),
                         at(tensor.out, tensor.type, offset));
    }
    rotate_token(layout, tensor, direction, cos, sin);
  }
}

// rotate and rope of anything.
HWY_NOINLINE void rotate_any(const Layout& layout, Direction direction,
                             const Shape& shape, const Table<const void>& given,
                             std::span<const Tensor> tensors) noexcept {
  if (tensors.empty()) return;
  const Type compute = compute_type(tensors[0].type);
  if (given.type == compute && is_decode(layout, shape, heads_of(tensors))) {
    return rotate_one_token(layout, direction, tensors, given.cos, given.sin);
  }
  const std::int64_t bytes = bytes_of_call(layout, shape, tensors);
  const Job job{layout, direction, tensors, bytes};
  const auto row = [&](const Part& part, std::int64_t t) {
    return part.tokens.batch * given.batch_stride +
           (part.tokens.first + t) * given.token_stride;
  };
  if (given.type == compute) {
    for_each_part(
        shape, tile_tokens(job.pairs()), bytes, true, [&](const Part& part) {
          const std::int64_t first = row(part, 0);
          rotate_part(job, part,
                      {0, job.pairs(), at(given.cos, compute, first),
                       at(given.sin, compute, first), given.token_stride});
        });
    return;
  }
  form_and_rotate(
      job, shape,
      [&](const Part& part, std::size_t first, std::size_t n, auto* cos,
          auto* sin) {
        for (std::int64_t t = 0; t < part.tokens.count; ++t) {
          const std::int64_t from =
              row(part, t) + static_cast<std::int64_t>(first);
          const std::size_t to = static_cast<std::size_t>(t) * n;
          read_row(given.type, at(given.cos, given.type, from), n, cos + to);
          read_row(given.type, at(given.sin, given.type, from), n, sin + to);
        }
      });
}

HWY_NOINLINE void rope_any(const Angles& angles, const Layout& layout,
                           Direction direction, const Shape& shape,
                           std::span<const Tensor> tensors) noexcept {
  if (tensors.empty()) return;
  const std::int64_t bytes = bytes_of_call(layout, shape, tensors);
  form_and_rotate({layout, direction, tensors, bytes}, shape,
                  [&](const Part& part, std::size_t first, std::size_t n,
                      auto* cos, auto* sin) {
                    form_rows(angles, part.tokens, first, n, n, cos, sin);
                  });
}

}  // namespace

void rotate(const Layout& layout, Direction direction, const Shape& shape,
            const Table<const void>& given,
            std::span<const Tensor> tensors) noexcept {
  // A decode step of one tensor, with nothing to copy, needs no stack.
  const Tensor* first = tensors.data();
  if (HWY_LIKELY(tensors.size() == 1 &&
                 is_decode(layout, shape, first->heads) &&
                 given.type == compute_type(first->type) &&
                 !needs_copy(layout, *first))) {
    return rotate_token(layout, *first, direction, given.cos, given.sin);
  }
  rotate_any(layout, direction, shape, given, tensors);
}

void rope(const Plan& plan, const Layout& layout, Direction direction,
          const Shape& shape, const Positions& positions,
          std::span<const Tensor> tensors,
          const Amplitudes& amplitudes) noexcept {
  const Angles angles{plan, positions, amplitudes};
  constexpr std::size_t kDecodePairs = 512;  // 4 KiB of cosines and sines
  if (HWY_LIKELY(is_decode(layout, shape, heads_of(tensors)) &&
                 plan.pairs() <= kDecodePairs && !tensors.empty() &&
                 tensors[0].type != Type::kF64)) {
    alignas(64) float cos[kDecodePairs], sin[kDecodePairs];
    form_decode_row(angles, cos, sin);
    return rotate_one_token(layout, direction, tensors, cos, sin);
  }
  rope_any(angles, layout, direction, shape, tensors);
}

}  // namespace ropeproof::fast
