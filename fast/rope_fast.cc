#include "fast/rope_fast.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "fast/angles.h"
#include "fast/elements.h"
#include "fast/rows.h"
#include "fast/shares.h"
#include "fast/turn.h"
#include "hwy/base.h"

namespace ropeproof::fast {
namespace {

// Tables beyond this are written past the caches: more than one core has of any
// last-level cache. Systems report the sum over all cores.
constexpr std::int64_t kStreamedBytes = 32 << 20;

// Calls of more bytes are fetched ahead, for they come from beyond the second-level
// cache; on processors that gain by it. Measured: Cascade Lake, 2 to 18 % faster in
// f32 and 16-bit types; Zen 4, 20 % slower, since each fetch occupies a load of its
// full-width pipes.
std::int64_t fetched_bytes() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_is("intel")) {
    const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return bytes > 0 ? bytes : 1 << 20;
  }
#endif
  return std::numeric_limits<std::int64_t>::max();
}
const std::int64_t kFetchedBytes = fetched_bytes();

// Tensors to be turned, all the same way.
struct Job {
  const Layout& layout;
  Direction direction;
  std::span<const Tensor> tensors;
  bool is_far;  // to be fetched ahead

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

// Copies the channels that no pair has. `in` and `out` are at channel rotary_offset
// of the first of `heads` heads.
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
struct Turns {
  std::size_t first, n;
  const void *cos, *sin;
  std::int64_t stride;
};

// What the tensors of this type compute in.
constexpr Type compute_type(Type type) {
  return type == Type::kF64 ? Type::kF64 : Type::kF32;
}

// Turns the heads of `tensor` that are this share's.
HWY_INLINE void turn_tensor(const Job& job, const Tensor& tensor,
                            const Share& share, const Turns& turns) {
  const Layout& layout = job.layout;
  const Tokens& tokens = share.tokens;
  std::int64_t from = 0, to = tensor.heads;
  if (share.parts > 1) {
    from = tensor.heads * share.part / share.parts;
    to = tensor.heads * (share.part + 1) / share.parts;
  }
  const auto offset = [&](const Strides& strides) {
    return tokens.batch * strides.batch + tokens.first * strides.token +
           from * strides.head + layout.rotary_offset;
  };
  const Tile tile{tensor,    layout,       job.direction, turns.first, turns.n,
                  to - from, tokens.count, turns.stride,  job.is_far};
  const void* in = at(tensor.in, tensor.type, offset(tensor.in_strides));
  void* out = at(tensor.out, tensor.type, offset(tensor.out_strides));
  turn(in, out, turns.cos, turns.sin, tile);
  if (turns.first == 0 && needs_copy(layout, tensor)) {
    copy_outside_pairs(layout, tensor, to - from, tokens.count, in, out);
  }
}

// Tokens of q that are turned before the same tokens of k, which often lie next
// to them and were fetched with them. Measured with q and k in one buffer, 32 + 8
// heads, 512 tokens: 1.14 times the time of one tensor, with 128 tokens 1.22 times.
constexpr std::int64_t kTokensBeside = 32;

// Turns this share's heads of all tensors.
HWY_INLINE void turn_share(const Job& job, Share share, Turns turns) {
  if (job.tensors.size() == 1) {
    return turn_tensor(job, job.tensors[0], share, turns);
  }
  const Type type = compute_type(job.tensors[0].type);
  for (std::int64_t left = share.tokens.count; left > 0;
       left -= kTokensBeside) {
    share.tokens.count = std::min(left, kTokensBeside);
    for (const Tensor& tensor : job.tensors) {
      turn_tensor(job, tensor, share, turns);
    }
    share.tokens.first += kTokensBeside;
    turns.cos = at(turns.cos, type, kTokensBeside * turns.stride);
    turns.sin = at(turns.sin, type, kTokensBeside * turns.stride);
  }
}

// For each block of pairs that fits on the stack: calls
// form(first, n, stride, cos, sin), then turns this share's heads.
template <class T, class Form>
HWY_INLINE void form_and_turn_in(const Job& job, const Share& share,
                                 const Form& form) {
  alignas(64) T cos[kRowEntries], sin[kRowEntries];  // whole lines
  const std::size_t pairs = job.pairs();
  for (std::size_t first = 0; first < pairs; first += kRowEntries) {
    const std::size_t n = std::min(kRowEntries, pairs - first);
    form(first, n, n, cos, sin);
    turn_share(job, share, {first, n, cos, sin, static_cast<std::int64_t>(n)});
  }
}

// As form_and_turn_in, in the type that the tensors compute in.
template <class Form>
HWY_INLINE void form_and_turn(const Job& job, const Share& share,
                              const Form& form) {
  if (compute_type(job.tensors[0].type) == Type::kF64) {
    form_and_turn_in<double>(job, share, form);
  } else {
    form_and_turn_in<float>(job, share, form);
  }
}

// Fills one tile of a table.
void table_share(const Plan& plan, const Positions& positions,
                 const Tokens& tokens, bool is_streamed,
                 const Table<void>& out) {
  const std::int64_t row =
      tokens.batch * out.batch_stride + tokens.first * out.token_stride;
  const auto stride = static_cast<std::size_t>(out.token_stride);
  void* cos = at(out.cos, out.type, row);
  void* sin = at(out.sin, out.type, row);
  if (out.type == Type::kF64) {
    form_rows(plan, positions, tokens, 0, plan.pairs(), stride,
              static_cast<double*>(cos), static_cast<double*>(sin));
    return;
  }
  if (out.type == Type::kF32) {
    form_rows(plan, positions, tokens, 0, plan.pairs(), stride,
              static_cast<float*>(cos), static_cast<float*>(sin), is_streamed);
    if (is_streamed) end_stream();
    return;
  }
  float cos_rows[kRowEntries], sin_rows[kRowEntries];
  for (std::size_t first = 0; first < plan.pairs(); first += kRowEntries) {
    const std::size_t n = std::min(kRowEntries, plan.pairs() - first);
    form_rows(plan, positions, tokens, first, n, n, cos_rows, sin_rows);
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
           const Table<void>& out) noexcept {
  const auto row_bytes =
      static_cast<std::int64_t>(2 * plan.pairs() * bytes_of(out.type));
  const std::int64_t bytes = shape.batch * shape.seq * row_bytes;
  // Whole lines only, and not what the caches can hold for the reader.
  const auto is_whole = [](std::uintptr_t x) { return x % 64 == 0; };
  const bool is_streamed =
      out.type == Type::kF32 && bytes > kStreamedBytes &&
      is_whole(reinterpret_cast<std::uintptr_t>(out.cos)) &&
      is_whole(reinterpret_cast<std::uintptr_t>(out.sin)) &&
      is_whole(4 * plan.pairs()) &&
      is_whole(static_cast<std::uintptr_t>(4 * out.token_stride)) &&
      is_whole(static_cast<std::uintptr_t>(4 * out.batch_stride));
  for_each_share(shape, plan.pairs(), bytes, false, [&](const Share& share) {
    table_share(plan, positions, share.tokens, is_streamed, out);
  });
}

namespace {

// A decode step: one token, of so few channels that no other thread helps and
// nothing is fetched ahead. What leads to the loop takes a part of its time that
// shows, hence a way of its own.
constexpr std::int64_t kStepChannels =
    kParallelBytes / static_cast<std::int64_t>(2 * sizeof(double));

HWY_INLINE bool is_step(const Layout& layout, const Shape& shape,
                        std::int64_t heads) {
  return shape.batch == 1 && shape.seq == 1 &&
         heads * layout.rotary_dim < kStepChannels;
}

HWY_INLINE std::int64_t heads_of(std::span<const Tensor> tensors) {
  std::int64_t heads = 0;
  for (const Tensor& tensor : tensors) heads += tensor.heads;
  return heads;
}

// For a step of a window.
HWY_NOINLINE void copy_outside_step(const Layout& layout,
                                    const Tensor& tensor) {
  const std::int64_t offset = layout.rotary_offset;
  copy_outside_pairs(layout, tensor, tensor.heads, 1,
                     at(tensor.in, tensor.type, offset),
                     at(tensor.out, tensor.type, offset));
}

// The row of the step's position.
HWY_INLINE void form_step(const Plan& plan, const Positions& positions,
                          float* cos, float* sin) {
  constexpr Tokens kFirst{0, 0, 1};
  const std::size_t n = plan.pairs();
  if (HWY_LIKELY(plan.has_one_axis() && positions.pair_amplitude == nullptr)) {
    return form_row(plan, 0, n, position_of(positions, kFirst, 0, 0),
                    plan.amplitudes(), cos, sin);
  }
  form_rows(plan, positions, kFirst, 0, n, n, cos, sin);
}

HWY_INLINE void turn_tensors(const Layout& layout, Direction direction,
                             std::span<const Tensor> tensors, const void* cos,
                             const void* sin) {
  for (const Tensor& tensor : tensors) {
    if (HWY_UNLIKELY(needs_copy(layout, tensor))) {
      copy_outside_step(layout, tensor);
    }
    turn_step(layout, tensor, direction, cos, sin);
  }
}

// rotate and rope of anything.
HWY_NOINLINE void rotate_any(const Layout& layout, Direction direction,
                             const Shape& shape, const Table<const void>& given,
                             std::span<const Tensor> tensors) noexcept {
  if (tensors.empty()) return;
  const Type compute = compute_type(tensors[0].type);
  if (given.type == compute && is_step(layout, shape, heads_of(tensors))) {
    return turn_tensors(layout, direction, tensors, given.cos, given.sin);
  }
  const std::int64_t bytes = bytes_of_call(layout, shape, tensors);
  const Job job{layout, direction, tensors, bytes > kFetchedBytes};
  const auto row = [&](const Share& share, std::int64_t t) {
    return share.tokens.batch * given.batch_stride +
           (share.tokens.first + t) * given.token_stride;
  };
  if (given.type == compute) {
    for_each_share(shape, job.pairs(), bytes, true, [&](const Share& share) {
      const std::int64_t first = row(share, 0);
      turn_share(job, share,
                 {0, job.pairs(), at(given.cos, compute, first),
                  at(given.sin, compute, first), given.token_stride});
    });
    return;
  }
  for_each_share(shape, job.pairs(), bytes, true, [&](const Share& share) {
    form_and_turn(
        job, share,
        [&](std::size_t first, std::size_t n, std::size_t stride, auto* cos,
            auto* sin) {
          for (std::int64_t t = 0; t < share.tokens.count; ++t) {
            const std::int64_t from =
                row(share, t) + static_cast<std::int64_t>(first);
            const std::size_t to = static_cast<std::size_t>(t) * stride;
            read_row(given.type, at(given.cos, given.type, from), n, cos + to);
            read_row(given.type, at(given.sin, given.type, from), n, sin + to);
          }
        });
  });
}

HWY_NOINLINE void rope_any(const Plan& plan, const Layout& layout,
                           Direction direction, const Shape& shape,
                           const Positions& positions,
                           std::span<const Tensor> tensors) noexcept {
  if (tensors.empty()) return;
  const std::int64_t bytes = bytes_of_call(layout, shape, tensors);
  const Job job{layout, direction, tensors, bytes > kFetchedBytes};
  for_each_share(shape, plan.pairs(), bytes, true, [&](const Share& share) {
    form_and_turn(job, share,
                  [&](std::size_t first, std::size_t n, std::size_t stride,
                      auto* cos, auto* sin) {
                    form_rows(plan, positions, share.tokens, first, n, stride,
                              cos, sin);
                  });
  });
}

}  // namespace

void rotate(const Layout& layout, Direction direction, const Shape& shape,
            const Table<const void>& given,
            std::span<const Tensor> tensors) noexcept {
  // A step's only tensor, with nothing to copy, needs no stack.
  const Tensor* first = tensors.data();
  if (HWY_LIKELY(tensors.size() == 1 && is_step(layout, shape, first->heads) &&
                 given.type == compute_type(first->type) &&
                 !needs_copy(layout, *first))) {
    return turn_step(layout, *first, direction, given.cos, given.sin);
  }
  rotate_any(layout, direction, shape, given, tensors);
}

void rope(const Plan& plan, const Layout& layout, Direction direction,
          const Shape& shape, const Positions& positions,
          std::span<const Tensor> tensors) noexcept {
  constexpr std::size_t kStepPairs = 512;  // 4 KiB of cosines and sines
  if (HWY_LIKELY(is_step(layout, shape, heads_of(tensors)) &&
                 plan.pairs() <= kStepPairs && !tensors.empty() &&
                 tensors[0].type != Type::kF64)) {
    alignas(64) float cos[kStepPairs], sin[kStepPairs];
    form_step(plan, positions, cos, sin);
    return turn_tensors(layout, direction, tensors, cos, sin);
  }
  rope_any(plan, layout, direction, shape, positions, tensors);
}

}  // namespace ropeproof::fast
