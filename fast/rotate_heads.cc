#include "fast/rotate_heads.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "fast/dispatch.h"

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fast/rotate_heads.cc"
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
HWY_NOINLINE void RotateAndReorder(const E* in, E* out, const T* cos,
                                   const T* sin, const Tile& tile) {
  E rotated[kMaxReordered];
  Tile one = tile;
  one.heads = 1;
  for (std::int64_t h = 0; h < tile.heads; ++h) {
    if (tile.direction == Direction::kForward) {
      RotateInterleaved(NoPrefetch(), in, rotated, cos, sin, one);
      for (std::size_t j = 0; j < tile.n; ++j) {
        out[j] = rotated[2 * j];
        out[tile.n + j] = rotated[2 * j + 1];
      }
    } else {
      RotateHalfSplit(NoPrefetch(), in, rotated, cos, sin, one, tile.n);
      for (std::size_t j = 0; j < tile.n; ++j) {
        out[2 * j] = rotated[j];
        out[2 * j + 1] = rotated[tile.n + j];
      }
    }
    in += tile.tensor.in_strides.head;
    out += tile.tensor.out_strides.head;
  }
}

// Blocks of pairs, each half-split in itself.
template <class Prefetch, class E, class T>
HWY_NOINLINE void RotateNested(Prefetch prefetch, const E* in, E* out,
                               const T* cos, const T* sin, const Tile& tile) {
  const Layout& layout = tile.layout;
  const auto in_block =
      static_cast<std::size_t>(layout.rotary_dim / 2 / layout.blocks);
  Tile block = tile;
  for (std::size_t i = 0; i < tile.n; i += block.n) {
    const std::size_t within = (tile.first + i) % in_block;
    const std::size_t channel = 2 * (tile.first + i) - within;
    block.n = std::min(in_block - within, tile.n - i);
    RotateHalfSplit(prefetch, in + channel, out + channel, cos + i, sin + i,
                    block, in_block);
  }
}

HWY_INLINE std::size_t PairDistance(const Layout& layout) {
  const auto distance = static_cast<std::size_t>(layout.pair_distance);
  return distance == 0 ? pairs_of(layout) : distance;
}

// Heads of one token, or one head of several tokens.
template <class Prefetch, class E, class T>
HWY_INLINE void RotateByPairing(Prefetch prefetch, const E* in, E* out,
                                const T* cos, const T* sin, const Tile& tile) {
  const std::size_t first = tile.first;
  switch (tile.layout.pairing) {
    case Pairing::kInterleaved:
      return RotateInterleaved(prefetch, in + 2 * first, out + 2 * first, cos,
                               sin, tile);
    case Pairing::kHalfSplit:
      return RotateHalfSplit(prefetch, in + first, out + first, cos, sin, tile,
                             PairDistance(tile.layout));
    case Pairing::kInterleavedToHalf:
      return RotateAndReorder(in, out, cos, sin, tile);
    case Pairing::kNestedHalfSplit:
      return RotateNested(prefetch, in, out, cos, sin, tile);
  }
}

// Tokens of a head that are rotated before the next head: their cosines and
// sines, 16 KiB for head_dim 128 in f32, stay in the first-level cache.
constexpr std::int64_t kHeadMajorTokens = 32;

// Where a head's tokens lie closer together than a token's heads.
HWY_INLINE bool IsHeadMajor(const Tile& tile) {
  const Strides& strides = tile.tensor.in_strides;
  return tile.tokens > 1 && std::abs(strides.head) > std::abs(strides.token) &&
         tile.layout.pairing != Pairing::kInterleavedToHalf;
}

// kHeadMajor: some tokens of a head, then the same tokens of the next one; else all
// heads of a token, then those of the next one.
template <bool kHeadMajor, class Prefetch, class E, class T>
HWY_NOINLINE void RotateBlocks(Prefetch prefetch, const E* in, E* out,
                               const T* cos, const T* sin, const Tile& tile) {
  constexpr std::int64_t kTokens = kHeadMajor ? kHeadMajorTokens : 1;
  const Tensor& tensor = tile.tensor;
  Tile block = tile;
  block.tokens = 1;
  if (kHeadMajor) block.heads = 1;
  for (std::int64_t left = tile.tokens; left > 0; left -= kTokens) {
    if (kHeadMajor) {
      block.tokens = std::min(kTokens, left);
      for (std::int64_t h = 0; h < tile.heads; ++h) {
        RotateByPairing(prefetch, in + h * tensor.in_strides.head,
                        out + h * tensor.out_strides.head, cos, sin, block);
      }
    } else {
      RotateByPairing(prefetch, in, out, cos, sin, block);
    }
    in += kTokens * tensor.in_strides.token;
    out += kTokens * tensor.out_strides.token;
    cos += kTokens * tile.row_stride;
    sin += kTokens * tile.row_stride;
  }
}

template <class E>
HWY_NOINLINE void RotateTileOf(const void* in, void* out, const void* cos,
                               const void* sin, const Tile& tile) {
  using T = Compute<E>;
  const auto* from = static_cast<const E*>(in);
  auto* to = static_cast<E*>(out);
  const auto* c = static_cast<const T*>(cos);
  const auto* s = static_cast<const T*>(sin);
  if (IsHeadMajor(tile)) {
    if (!tile.is_prefetched) {
      return RotateBlocks<true>(NoPrefetch(), from, to, c, s, tile);
    }
    const PrefetchAt prefetch{kHeadMajorPrefetchBytes};
    return RotateBlocks<true>(prefetch, from, to, c, s, tile);
  }
  if (tile.is_prefetched) {
    const PrefetchAt prefetch{kPrefetchBytes};
    return RotateBlocks<false>(prefetch, from, to, c, s, tile);
  }
  if (tile.tokens != 1) {
    return RotateBlocks<false>(NoPrefetch(), from, to, c, s, tile);
  }
  RotateByPairing(NoPrefetch(), from, to, c, s, tile);
}

// Widths that are not one chunk, and the rarer pairings.
template <class E>
HWY_NOINLINE void RotateTokenByTile(const Layout& layout, const Tensor& tensor,
                                    Direction direction, const Compute<E>* cos,
                                    const Compute<E>* sin) {
  const Tile tile{tensor,       layout, direction, 0,    pairs_of(layout),
                  tensor.heads, 1,      0,         false};
  RotateByPairing(
      NoPrefetch(), static_cast<const E*>(tensor.in) + layout.rotary_offset,
      static_cast<E*>(tensor.out) + layout.rotary_offset, cos, sin, tile);
}

template <class E>
HWY_NOINLINE void RotateTokenOf(const Layout& layout, const Tensor& tensor,
                                Direction direction, const void* cos,
                                const void* sin) {
  using T = Compute<E>;
  const auto* c = static_cast<const T*>(cos);
  const auto* s = static_cast<const T*>(sin);
  const T sign = SignOf<T>(direction);
  const std::int64_t offset = layout.rotary_offset;
  const std::size_t n = pairs_of(layout);
  if (layout.pairing == Pairing::kHalfSplit) {
    const auto rotator = FirstSplitRotator<E>(PairDistance(layout), sign);
    if (RotateIfOneChunk<E>(rotator, tensor, offset, c, s, n)) return;
  } else if (layout.pairing == Pairing::kInterleaved) {
    const auto rotator = FirstInterleavedRotator<E>(sign);
    if (RotateIfOneChunk<E>(rotator, tensor, offset, c, s, n)) return;
  }
  RotateTokenByTile<E>(layout, tensor, direction, c, s);
}

// Switches of jumps: with_element would add a call.
void RotateTile(const void* in, void* out, const void* cos, const void* sin,
                const Tile& tile) {
  switch (tile.tensor.type) {
    case Type::kF64:
      return RotateTileOf<double>(in, out, cos, sin, tile);
    case Type::kF32:
      return RotateTileOf<float>(in, out, cos, sin, tile);
    case Type::kF16:
      return RotateTileOf<F16>(in, out, cos, sin, tile);
    case Type::kBf16:
      return RotateTileOf<Bf16>(in, out, cos, sin, tile);
  }
}

void RotateToken(const Layout& layout, const Tensor& tensor,
                 Direction direction, const void* cos, const void* sin) {
  switch (tensor.type) {
    case Type::kF64:
      return RotateTokenOf<double>(layout, tensor, direction, cos, sin);
    case Type::kF32:
      return RotateTokenOf<float>(layout, tensor, direction, cos, sin);
    case Type::kF16:
      return RotateTokenOf<F16>(layout, tensor, direction, cos, sin);
    case Type::kBf16:
      return RotateTokenOf<Bf16>(layout, tensor, direction, cos, sin);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace ropeproof::fast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ropeproof::fast {
namespace {

HWY_EXPORT(RotateTile);
HWY_EXPORT(RotateToken);

}  // namespace

void rotate_tile(const void* in, void* out, const void* cos, const void* sin,
                 const Tile& tile) noexcept {
  ROPEPROOF_FAST_DISPATCH(RotateTile)(in, out, cos, sin, tile);
}

void rotate_token(const Layout& layout, const Tensor& tensor,
                  Direction direction, const void* cos,
                  const void* sin) noexcept {
  ROPEPROOF_FAST_DISPATCH(RotateToken)(layout, tensor, direction, cos, sin);
}

}  // namespace ropeproof::fast
#endif  // HWY_ONCE
