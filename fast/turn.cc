#include "fast/turn.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "fast/dispatch.h"

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fast/turn.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "fast/heads-inl.h"
// clang-format on

#if defined(__FAST_MATH__)
#error "the bounds of fast/ do not survive -ffast-math"
#endif

HWY_BEFORE_NAMESPACE();
namespace ropeproof::fast {
namespace HWY_NAMESPACE {

// From interleaved to half-split; the adjoint goes back. Head by head through a
// buffer, for what is written first may be read later.
template <class E, class T>
HWY_NOINLINE void TurnAndReorder(const E* in, E* out, const T* cos,
                                 const T* sin, const Tile& tile) {
  E turned[kMaxReordered];
  Tile one = tile;
  one.heads = 1;
  for (std::int64_t h = 0; h < tile.heads; ++h) {
    if (tile.direction == Direction::kForward) {
      TurnInterleaved(FetchNothing(), in, turned, cos, sin, one);
      for (std::size_t j = 0; j < tile.n; ++j) {
        out[j] = turned[2 * j];
        out[tile.n + j] = turned[2 * j + 1];
      }
    } else {
      TurnSplit(FetchNothing(), in, turned, cos, sin, one, tile.n);
      for (std::size_t j = 0; j < tile.n; ++j) {
        out[2 * j] = turned[j];
        out[2 * j + 1] = turned[tile.n + j];
      }
    }
    in += tile.tensor.in_strides.head;
    out += tile.tensor.out_strides.head;
  }
}

// Blocks of pairs, each half-split in itself.
template <class Ahead, class E, class T>
HWY_NOINLINE void TurnNested(Ahead ahead, const E* in, E* out, const T* cos,
                             const T* sin, const Tile& tile) {
  const Layout& layout = tile.layout;
  const auto in_block =
      static_cast<std::size_t>(layout.rotary_dim / 2 / layout.blocks);
  Tile block = tile;
  for (std::size_t i = 0; i < tile.n; i += block.n) {
    const std::size_t within = (tile.first + i) % in_block;
    const std::size_t channel = 2 * (tile.first + i) - within;
    block.n = std::min(in_block - within, tile.n - i);
    TurnSplit(ahead, in + channel, out + channel, cos + i, sin + i, block,
              in_block);
  }
}

HWY_INLINE std::size_t PairDistance(const Layout& layout) {
  const auto distance = static_cast<std::size_t>(layout.pair_distance);
  return distance == 0 ? pairs_of(layout) : distance;
}

// Heads of one token, or one head of several tokens.
template <class Ahead, class E, class T>
HWY_INLINE void TurnRow(Ahead ahead, const E* in, E* out, const T* cos,
                        const T* sin, const Tile& tile) {
  const std::size_t first = tile.first;
  switch (tile.layout.pairing) {
    case Pairing::kInterleaved:
      return TurnInterleaved(ahead, in + 2 * first, out + 2 * first, cos, sin,
                             tile);
    case Pairing::kHalfSplit:
      return TurnSplit(ahead, in + first, out + first, cos, sin, tile,
                       PairDistance(tile.layout));
    case Pairing::kInterleavedToHalf:
      return TurnAndReorder(in, out, cos, sin, tile);
    case Pairing::kNestedHalfSplit:
      return TurnNested(ahead, in, out, cos, sin, tile);
  }
}

// Tokens of a head that are turned before the next head: their cosines and
// sines, 16 KiB for head_dim 128 in f32, stay in the first-level cache.
constexpr std::int64_t kTokensAlong = 32;

// Where a head's tokens lie closer together than a token's heads.
HWY_INLINE bool LiesAlong(const Tile& tile) {
  const Strides& strides = tile.tensor.in_strides;
  return tile.tokens > 1 && std::abs(strides.head) > std::abs(strides.token) &&
         tile.layout.pairing != Pairing::kInterleavedToHalf;
}

// Some tokens of a head, then the same tokens of the next one.
template <class Ahead, class E, class T>
HWY_NOINLINE void TurnAlong(Ahead ahead, const E* in, E* out, const T* cos,
                            const T* sin, const Tile& tile) {
  const Tensor& tensor = tile.tensor;
  Tile along = tile;
  along.heads = 1;
  for (std::int64_t t = 0; t < tile.tokens; t += kTokensAlong) {
    along.tokens = std::min(kTokensAlong, tile.tokens - t);
    for (std::int64_t h = 0; h < tile.heads; ++h) {
      TurnRow(ahead, in + h * tensor.in_strides.head,
              out + h * tensor.out_strides.head, cos, sin, along);
    }
    in += kTokensAlong * tensor.in_strides.token;
    out += kTokensAlong * tensor.out_strides.token;
    cos += kTokensAlong * tile.row_stride;
    sin += kTokensAlong * tile.row_stride;
  }
}

template <class Ahead, class E, class T>
HWY_NOINLINE void TurnRows(Ahead ahead, const E* in, E* out, const T* cos,
                           const T* sin, const Tile& tile) {
  const Tensor& tensor = tile.tensor;
  Tile row = tile;
  row.tokens = 1;
  for (std::int64_t t = tile.tokens; t > 0; --t) {
    TurnRow(ahead, in, out, cos, sin, row);
    in += tensor.in_strides.token;
    out += tensor.out_strides.token;
    cos += tile.row_stride;
    sin += tile.row_stride;
  }
}

template <class E>
HWY_NOINLINE void TurnTileOf(const void* in, void* out, const void* cos,
                             const void* sin, const Tile& tile) {
  using T = Compute<E>;
  const auto* from = static_cast<const E*>(in);
  auto* to = static_cast<E*>(out);
  const auto* c = static_cast<const T*>(cos);
  const auto* s = static_cast<const T*>(sin);
  if (LiesAlong(tile)) {
    if (tile.is_far)
      return TurnAlong(FetchAhead{kAheadAlong}, from, to, c, s, tile);
    return TurnAlong(FetchNothing(), from, to, c, s, tile);
  }
  if (tile.is_far) return TurnRows(FetchAhead{kAhead}, from, to, c, s, tile);
  if (tile.tokens != 1) return TurnRows(FetchNothing(), from, to, c, s, tile);
  TurnRow(FetchNothing(), from, to, c, s, tile);
}

// Steps of widths that are not one chunk, and of the rarer pairings.
template <class E>
HWY_NOINLINE void TurnStepByTile(const Layout& layout, const Tensor& tensor,
                                 Direction direction, const Compute<E>* cos,
                                 const Compute<E>* sin) {
  const Tile tile{tensor,       layout, direction, 0,    pairs_of(layout),
                  tensor.heads, 1,      0,         false};
  TurnRow(FetchNothing(),
          static_cast<const E*>(tensor.in) + layout.rotary_offset,
          static_cast<E*>(tensor.out) + layout.rotary_offset, cos, sin, tile);
}

template <class E>
HWY_NOINLINE void TurnStepOf(const Layout& layout, const Tensor& tensor,
                             Direction direction, const void* cos,
                             const void* sin) {
  using T = Compute<E>;
  const auto* c = static_cast<const T*>(cos);
  const auto* s = static_cast<const T*>(sin);
  const T sign = SignOf<T>(direction);
  const std::int64_t offset = layout.rotary_offset;
  const std::size_t n = pairs_of(layout);
  if (layout.pairing == Pairing::kHalfSplit) {
    const auto step = MakeFirstSplitStep<E>(PairDistance(layout), sign);
    if (TurnIfOneChunk<E>(step, tensor, offset, c, s, n)) return;
  } else if (layout.pairing == Pairing::kInterleaved) {
    const auto step = MakeFirstInterleavedStep<E>(sign);
    if (TurnIfOneChunk<E>(step, tensor, offset, c, s, n)) return;
  }
  TurnStepByTile<E>(layout, tensor, direction, c, s);
}

// Switches of jumps: with_element would add a call.
void TurnTile(const void* in, void* out, const void* cos, const void* sin,
              const Tile& tile) {
  switch (tile.tensor.type) {
    case Type::kF64:
      return TurnTileOf<double>(in, out, cos, sin, tile);
    case Type::kF32:
      return TurnTileOf<float>(in, out, cos, sin, tile);
    case Type::kF16:
      return TurnTileOf<F16>(in, out, cos, sin, tile);
    case Type::kBf16:
      return TurnTileOf<Bf16>(in, out, cos, sin, tile);
  }
}

void TurnStep(const Layout& layout, const Tensor& tensor, Direction direction,
              const void* cos, const void* sin) {
  switch (tensor.type) {
    case Type::kF64:
      return TurnStepOf<double>(layout, tensor, direction, cos, sin);
    case Type::kF32:
      return TurnStepOf<float>(layout, tensor, direction, cos, sin);
    case Type::kF16:
      return TurnStepOf<F16>(layout, tensor, direction, cos, sin);
    case Type::kBf16:
      return TurnStepOf<Bf16>(layout, tensor, direction, cos, sin);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace ropeproof::fast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ropeproof::fast {
namespace {

HWY_EXPORT(TurnTile);
HWY_EXPORT(TurnStep);

}  // namespace

void turn(const void* in, void* out, const void* cos, const void* sin,
          const Tile& tile) noexcept {
  ROPEPROOF_FAST_DISPATCH(TurnTile)(in, out, cos, sin, tile);
}

void turn_step(const Layout& layout, const Tensor& tensor, Direction direction,
               const void* cos, const void* sin) noexcept {
  ROPEPROOF_FAST_DISPATCH(TurnStep)(layout, tensor, direction, cos, sin);
}

}  // namespace ropeproof::fast
#endif  // HWY_ONCE
