#include "fast/rotate_heads.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "fast/dispatch.h"

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fast/rotate_heads.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "fast/stream-inl.h"
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
  const Strides &from = tile.tensor.in_strides, &to = tile.tensor.out_strides;
  Tile one = tile;
  one.heads = one.tokens = 1;
  for (std::int64_t i = 0; i < tile.tokens * tile.heads; ++i) {
    const std::int64_t t = i / tile.heads, h = i % tile.heads;
    const E* x = in + t * from.token + h * from.head;
    E* y = out + t * to.token + h * to.head;
    const T *c = cos + t * tile.row_stride, *s = sin + t * tile.row_stride;
    if (tile.direction == Direction::kForward) {
      RotateInterleaved(x, rotated, c, s, one);
      for (std::size_t j = 0; j < tile.n; ++j) {
        y[j] = rotated[2 * j];
        y[tile.n + j] = rotated[2 * j + 1];
      }
    } else {
      RotateHalfSplit(x, rotated, c, s, one, tile.n);
      for (std::size_t j = 0; j < tile.n; ++j) {
        y[2 * j] = rotated[j];
        y[2 * j + 1] = rotated[tile.n + j];
      }
    }
  }
}

// Blocks of pairs, each half-split in itself.
template <class E, class T>
HWY_NOINLINE void RotateNested(const E* in, E* out, const T* cos, const T* sin,
                               const Tile& tile) {
  const Layout& layout = tile.layout;
  const auto in_block =
      static_cast<std::size_t>(layout.rotary_dim / 2 / layout.blocks);
  Tile block = tile;
  for (std::size_t i = 0; i < tile.n; i += block.n) {
    const std::size_t within = (tile.first + i) % in_block;
    const std::size_t channel = 2 * (tile.first + i) - within;
    block.n = std::min(in_block - within, tile.n - i);
    RotateHalfSplit(in + channel, out + channel, cos + i, sin + i, block,
                    in_block);
  }
}

HWY_INLINE std::size_t PairDistance(const Layout& layout) {
  const auto distance = static_cast<std::size_t>(layout.pair_distance);
  return distance == 0 ? pairs_of(layout) : distance;
}

template <class E, class T>
HWY_INLINE void RotateByPairing(const E* in, E* out, const T* cos, const T* sin,
                                const Tile& tile) {
  const std::size_t first = tile.first;
  switch (tile.layout.pairing) {
    case Pairing::kInterleaved:
      return RotateInterleaved(in + 2 * first, out + 2 * first, cos, sin, tile);
    case Pairing::kHalfSplit:
      return RotateHalfSplit(in + first, out + first, cos, sin, tile,
                             PairDistance(tile.layout));
    case Pairing::kInterleavedToHalf:
      return RotateAndReorder(in, out, cos, sin, tile);
    case Pairing::kNestedHalfSplit:
      return RotateNested(in, out, cos, sin, tile);
  }
}

template <class E>
HWY_NOINLINE void RotateTileOf(const void* in, void* out, const void* cos,
                               const void* sin, const Tile& tile) {
  RotateByPairing(static_cast<const E*>(in), static_cast<E*>(out),
                  static_cast<const Compute<E>*>(cos),
                  static_cast<const Compute<E>*>(sin), tile);
}

// Widths that are not one chunk, and the rarer pairings.
template <class E>
HWY_NOINLINE void RotateTokenByTile(const Layout& layout, const Tensor& tensor,
                                    Direction direction, const Compute<E>* cos,
                                    const Compute<E>* sin) {
  const Tile tile{tensor,       layout, direction, 0, pairs_of(layout),
                  tensor.heads, 1,      0,         0};
  RotateByPairing(static_cast<const E*>(tensor.in) + layout.rotary_offset,
                  static_cast<E*>(tensor.out) + layout.rotary_offset, cos, sin,
                  tile);
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
    const InterleavedRotator<E> rotator{{}, sign};
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

ROPEPROOF_FAST_EXPORT(RotateTile);
ROPEPROOF_FAST_EXPORT(RotateToken);

#if HWY_ARCH_X86
bool find_gains_by_prefetching() {
  unsigned version = 0, b, c, d;
  __get_cpuid(1, &version, &b, &c, &d);
  const unsigned family = (version >> 8 & 0xf) + (version >> 20 & 0xff);
  return __builtin_cpu_is("intel") || (__builtin_cpu_is("amd") && family >= 26);
}
const bool does_gain_by_prefetching = find_gains_by_prefetching();
#else
constexpr bool does_gain_by_prefetching = false;
#endif

}  // namespace

bool gains_by_prefetching() noexcept { return does_gain_by_prefetching; }

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
