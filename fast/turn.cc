#include "fast/turn.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

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
                                 const T* sin, const Tile& tile, T sign) {
  E turned[kMaxReordered];
  const Heads one{tile, 1, 1};
  for (std::int64_t h = 0; h < tile.heads; ++h) {
    if (tile.direction == Direction::kForward) {
      TurnInterleaved<false>(in, turned, cos, sin, one, sign, tile.n);
      for (std::size_t j = 0; j < tile.n; ++j) {
        out[j] = turned[2 * j];
        out[tile.n + j] = turned[2 * j + 1];
      }
    } else {
      TurnSplit<false>(in, turned, cos, sin, one, sign, tile.n, tile.n);
      for (std::size_t j = 0; j < tile.n; ++j) {
        out[2 * j] = turned[j];
        out[2 * j + 1] = turned[tile.n + j];
      }
    }
    in += tile.in_strides.head;
    out += tile.out_strides.head;
  }
}

// Heads of one token, or one head of several tokens.
template <bool kIsFar, class E, class T>
HWY_INLINE void TurnRow(const E* in, E* out, const T* cos, const T* sin,
                        const Heads& heads, T sign) {
  const Tile& tile = heads.tile;
  const Layout& layout = *tile.layout;
  const std::size_t half = static_cast<std::size_t>(layout.rotary_dim / 2);
  const std::size_t first = tile.first;
  switch (layout.pairing) {
    case Pairing::kInterleaved:
      return TurnInterleaved<kIsFar>(in + 2 * first, out + 2 * first, cos, sin,
                                     heads, sign, tile.n);
    case Pairing::kHalfSplit: {
      const auto given = static_cast<std::size_t>(layout.pair_distance);
      return TurnSplit<kIsFar>(in + first, out + first, cos, sin, heads, sign,
                               tile.n, given == 0 ? half : given);
    }
    case Pairing::kInterleavedToHalf:
      return TurnAndReorder(in, out, cos, sin, tile, sign);
    case Pairing::kNestedHalfSplit: {
      const auto in_block = half / static_cast<std::size_t>(layout.blocks);
      for (std::size_t i = 0; i < tile.n;) {
        const std::size_t within = (first + i) % in_block;
        const std::size_t channel = 2 * (first + i) - within;
        const std::size_t n = std::min(in_block - within, tile.n - i);
        TurnSplit<kIsFar>(in + channel, out + channel, cos + i, sin + i, heads,
                          sign, n, in_block);
        i += n;
      }
      return;
    }
  }
}

// Tokens of a head that are turned before the next head: their cosines and
// sines, 16 KiB for head_dim 128 in f32, stay in the first-level cache.
constexpr std::int64_t kTokensAlong = 32;

// Where a head's tokens lie closer together than a token's heads.
HWY_INLINE bool LiesAlong(const Tile& tile) {
  return tile.tokens > 1 &&
         std::abs(tile.in_strides.head) > std::abs(tile.in_strides.token) &&
         tile.layout->pairing != Pairing::kInterleavedToHalf;
}

// Some tokens of a head, then the same tokens of the next one.
template <bool kIsFar, class E, class T>
HWY_NOINLINE void TurnAlong(const E* in, E* out, const T* cos, const T* sin,
                            const Tile& tile, T sign) {
  Tile along = tile;
  along.ahead = kAheadAlong;
  for (std::int64_t t = 0; t < tile.tokens; t += kTokensAlong) {
    const Heads heads{along, 1, std::min(kTokensAlong, tile.tokens - t)};
    for (std::int64_t h = 0; h < tile.heads; ++h) {
      TurnRow<kIsFar>(in + h * tile.in_strides.head,
                      out + h * tile.out_strides.head, cos, sin, heads, sign);
    }
    in += kTokensAlong * tile.in_strides.token;
    out += kTokensAlong * tile.out_strides.token;
    cos += kTokensAlong * tile.row_stride;
    sin += kTokensAlong * tile.row_stride;
  }
}

template <bool kIsFar, class E, class T>
HWY_INLINE void TurnRows(const E* in, E* out, const T* cos, const T* sin,
                         const Tile& tile) {
  const T sign = tile.direction == Direction::kForward ? 1 : -1;
  if (HWY_UNLIKELY(LiesAlong(tile))) {
    return TurnAlong<kIsFar>(in, out, cos, sin, tile, sign);
  }
  const Heads heads{tile, tile.heads, 1};
  for (std::int64_t t = tile.tokens; t > 0; --t) {
    TurnRow<kIsFar>(in, out, cos, sin, heads, sign);
    in += tile.in_strides.token;
    out += tile.out_strides.token;
    cos += tile.row_stride;
    sin += tile.row_stride;
  }
}

void TurnTile(const void* in, void* out, const void* cos, const void* sin,
              const Tile& tile) {
  with_element(tile.type, [&](auto element) {
    using E = decltype(element);
    using T = Compute<E>;
    const auto* from = static_cast<const E*>(in);
    auto* to = static_cast<E*>(out);
    const auto* c = static_cast<const T*>(cos);
    const auto* s = static_cast<const T*>(sin);
    if (tile.ahead != 0) {
      TurnRows<true>(from, to, c, s, tile);
    } else {
      TurnRows<false>(from, to, c, s, tile);
    }
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace ropeproof::fast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ropeproof::fast {
namespace {

HWY_EXPORT(TurnTile);

}  // namespace

void turn(const void* in, void* out, const void* cos, const void* sin,
          const Tile& tile) noexcept {
  HWY_DYNAMIC_DISPATCH(TurnTile)(in, out, cos, sin, tile);
}

}  // namespace ropeproof::fast
#endif  // HWY_ONCE
