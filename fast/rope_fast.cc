#include "fast/rope_fast.h"

#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "fast/angles.h"
#include "fast/elements.h"
#include "fast/rows.h"
#include "fast/turn.h"

namespace ropeproof::fast {
namespace {

// Entries of the cosines that a tile holds on the stack: 32 KiB of f32.
constexpr std::size_t kRowEntries = 8192;
static_assert(kRowEntries >= kMaxReordered / 2);
constexpr std::int64_t kTileTokens = 128;

// Waking the other threads costs a few microseconds, which is what one thread
// needs for this many bytes of tensors in the second-level cache.
constexpr std::int64_t kParallelBytes = 256 << 10;

// Tables beyond this are written past the caches: more than one core has of any
// last-level cache. Systems report the sum over all cores.
constexpr std::int64_t kStreamedBytes = 32 << 20;

std::int64_t second_level_bytes() {
  static const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return bytes > 0 ? bytes : 1 << 20;
}

// Whether tensors of a call of that many bytes should be fetched ahead: from
// beyond the second-level cache, on processors that gain. Measured: Cascade
// Lake, 2 to 18 % faster in f32 and 16-bit types; Zen 4, 20 % slower, since each
// fetch occupies a load of its full-width pipes.
bool should_fetch_ahead(std::int64_t bytes) {
#if defined(__x86_64__)
  static const bool gains = __builtin_cpu_is("intel");
#else
  constexpr bool gains = false;
#endif
  return gains && bytes > second_level_bytes();
}

// Tokens whose cosines fit, without a division where it would show.
std::int64_t tile_tokens(std::size_t pairs) {
  if (pairs * kTileTokens <= kRowEntries) return kTileTokens;
  return pairs >= kRowEntries ? 1
                              : static_cast<std::int64_t>(kRowEntries / pairs);
}

// A share of the work: tokens, and the heads of every tensor from
// part/parts to (part + 1)/parts of them.
struct Share {
  Tokens tokens;
  std::int64_t part, parts;
};

// Calls body(share) for shares that make up everything; by many threads if
// `bytes` are worth it. No share sees another one's data, hence the result
// cannot depend on who computes what.
template <class Body>
void for_each_share(const Shape& shape, std::size_t pairs, std::int64_t bytes,
                    bool may_part, const Body& body) noexcept {
  const std::int64_t size = tile_tokens(pairs);
  // Not an if clause: a team of one costs 0.3 us, as much as a whole token.
  const std::int64_t threads =
      bytes < kParallelBytes ? 1 : omp_get_max_threads();
  if (threads == 1) {
    for (std::int64_t b = 0; b < shape.batch; ++b) {
      for (std::int64_t t = 0; t < shape.seq; t += size) {
        body(Share{{b, t, std::min(size, shape.seq - t)}, 0, 1});
      }
    }
    return;
  }
  const std::int64_t in_row = (shape.seq + size - 1) / size;
  const std::int64_t tiles = shape.batch * in_row;
  const std::int64_t parts =
      may_part ? (threads + tiles - 1) / tiles : std::int64_t{1};
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < tiles * parts; ++i) {
    const std::int64_t tile = i / parts, first = tile % in_row * size;
    body(Share{{tile / in_row, first, std::min(size, shape.seq - first)},
               i % parts,
               parts});
  }
}

// Copies the channels that no pair has, unless the rotation is in place.
void copy_outside_pairs(const Tile& tile) {
  const Layout& layout = *tile.layout;
  if (tile.in == tile.out || layout.head_dim == layout.rotary_dim) return;
  // The window, or its halves where they lie apart.
  const std::int64_t r = layout.rotary_dim, begin = -layout.rotary_offset;
  const std::int64_t end = layout.head_dim - layout.rotary_offset;
  const bool is_apart = layout.pairing == Pairing::kHalfSplit &&
                        layout.pair_distance != 0 &&
                        layout.pair_distance != r / 2;
  const std::int64_t u_end = is_apart ? r / 2 : r;
  const std::int64_t v = is_apart ? layout.pair_distance : r;
  const std::int64_t v_end = is_apart ? v + r / 2 : r;
  const auto copy = [&](std::int64_t in, std::int64_t out, std::int64_t from,
                        std::int64_t to) {
    std::memcpy(at(tile.out, tile.type, out + from),
                at(tile.in, tile.type, in + from),
                static_cast<std::size_t>(to - from) * bytes_of(tile.type));
  };
  for (std::int64_t t = 0; t < tile.tokens; ++t) {
    for (std::int64_t h = 0; h < tile.heads; ++h) {
      const std::int64_t in =
          t * tile.in_token_stride + h * tile.in_head_stride;
      const std::int64_t out =
          t * tile.out_token_stride + h * tile.out_head_stride;
      copy(in, out, begin, 0);
      copy(in, out, u_end, v);
      copy(in, out, v_end, end);
    }
  }
}

struct Turns {
  const void *cos, *sin;
  std::int64_t stride;
};

// Turns pairs [first, first + n) of this share's heads.
void turn_share(const Layout& layout, Direction direction, const Share& share,
                std::size_t first, std::size_t n, const Turns& turns,
                bool is_far, std::span<const Tensor> tensors) {
  for (const Tensor& tensor : tensors) {
    std::int64_t from = 0, to = tensor.heads;
    if (share.parts > 1) {
      from = tensor.heads * share.part / share.parts;
      to = tensor.heads * (share.part + 1) / share.parts;
    }
    const auto offset = [&](const Strides& strides) {
      return share.tokens.batch * strides.batch +
             share.tokens.first * strides.token + from * strides.head +
             layout.rotary_offset;
    };
    const Tile tile{tensor.type,
                    &layout,
                    direction,
                    first,
                    n,
                    at(tensor.in, tensor.type, offset(tensor.in_strides)),
                    at(tensor.out, tensor.type, offset(tensor.out_strides)),
                    to - from,
                    share.tokens.count,
                    tensor.in_strides.head,
                    tensor.in_strides.token,
                    tensor.out_strides.head,
                    tensor.out_strides.token,
                    turns.cos,
                    turns.sin,
                    turns.stride,
                    is_far};
    turn(tile);
    if (first == 0) copy_outside_pairs(tile);
  }
}

// What a call reads and writes of the windows.
std::int64_t bytes_of_call(const Layout& layout, const Shape& shape,
                           std::span<const Tensor> tensors) {
  std::int64_t bytes = 0;
  for (const Tensor& tensor : tensors) {
    bytes += tensor.heads * layout.rotary_dim *
             static_cast<std::int64_t>(bytes_of(tensor.type)) *
             (tensor.in == tensor.out ? 1 : 2);
  }
  return bytes * shape.batch * shape.seq;
}

// For each block of pairs that fits on the stack: calls
// form(first, n, stride, cos, sin), then turns this share's heads.
template <class T, class Form>
void form_and_turn(const Layout& layout, Direction direction,
                   const Share& share, bool is_far,
                   std::span<const Tensor> tensors, const Form& form) {
  T cos[kRowEntries], sin[kRowEntries];
  const auto pairs = static_cast<std::size_t>(layout.rotary_dim / 2);
  for (std::size_t first = 0; first < pairs; first += kRowEntries) {
    const std::size_t n = std::min(kRowEntries, pairs - first);
    form(first, n, n, cos, sin);
    turn_share(layout, direction, share, first, n,
               {cos, sin, static_cast<std::int64_t>(n)}, is_far, tensors);
  }
}

// As form_and_turn, in the type that tensors like `tensors` compute in.
template <class Form>
void form_and_turn_all(const Layout& layout, Direction direction,
                       const Share& share, bool is_far,
                       std::span<const Tensor> tensors, const Form& form) {
  if (tensors[0].type == Type::kF64) {
    form_and_turn<double>(layout, direction, share, is_far, tensors, form);
  } else {
    form_and_turn<float>(layout, direction, share, is_far, tensors, form);
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

void rotate(const Layout& layout, Direction direction, const Shape& shape,
            const Table<const void>& given,
            std::span<const Tensor> tensors) noexcept {
  if (tensors.empty()) return;
  const std::int64_t bytes = bytes_of_call(layout, shape, tensors);
  const bool is_far = should_fetch_ahead(bytes);
  const auto pairs = static_cast<std::size_t>(layout.rotary_dim / 2);
  const Type compute = tensors[0].type == Type::kF64 ? Type::kF64 : Type::kF32;
  for_each_share(shape, pairs, bytes, true, [&](const Share& share) {
    const auto row = [&](std::int64_t t) {
      return share.tokens.batch * given.batch_stride +
             (share.tokens.first + t) * given.token_stride;
    };
    if (given.type == compute) {
      turn_share(layout, direction, share, 0, pairs,
                 {at(given.cos, given.type, row(0)),
                  at(given.sin, given.type, row(0)), given.token_stride},
                 is_far, tensors);
      return;
    }
    form_and_turn_all(
        layout, direction, share, is_far, tensors,
        [&](std::size_t first, std::size_t n, std::size_t stride, auto* cos,
            auto* sin) {
          for (std::int64_t t = 0; t < share.tokens.count; ++t) {
            const std::int64_t from = row(t) + static_cast<std::int64_t>(first);
            const std::size_t to = static_cast<std::size_t>(t) * stride;
            read_row(given.type, at(given.cos, given.type, from), n, cos + to);
            read_row(given.type, at(given.sin, given.type, from), n, sin + to);
          }
        });
  });
}

void rope(const Plan& plan, const Layout& layout, Direction direction,
          const Shape& shape, const Positions& positions,
          std::span<const Tensor> tensors) noexcept {
  if (tensors.empty()) return;
  const std::int64_t bytes = bytes_of_call(layout, shape, tensors);
  const bool is_far = should_fetch_ahead(bytes);
  for_each_share(shape, plan.pairs(), bytes, true, [&](const Share& share) {
    form_and_turn_all(layout, direction, share, is_far, tensors,
                      [&](std::size_t first, std::size_t n, std::size_t stride,
                          auto* cos, auto* sin) {
                        form_rows(plan, positions, share.tokens, first, n,
                                  stride, cos, sin);
                      });
  });
}

}  // namespace ropeproof::fast
