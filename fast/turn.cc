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
void TurnAndReorder(const Tile& tile, const Heads<E>& heads, T sign,
                    const T* cos, const T* sin) {
  E turned[kMaxReordered];
  for (std::int64_t h = 0; h < heads.count; ++h) {
    const Heads<E> one{heads.in + h * heads.in_stride, turned, 1, 0, 0};
    E* out = heads.out + h * heads.out_stride;
    if (tile.direction == Direction::kForward) {
      TurnInterleaved<false>(one, 0, sign, tile.n, cos, sin);
      for (std::size_t j = 0; j < tile.n; ++j) {
        out[j] = turned[2 * j];
        out[tile.n + j] = turned[2 * j + 1];
      }
    } else {
      TurnSplit<false>(one, 0, tile.n, sign, tile.n, cos, sin);
      for (std::size_t j = 0; j < tile.n; ++j) {
        out[2 * j] = turned[j];
        out[2 * j + 1] = turned[tile.n + j];
      }
    }
  }
}

// The heads of one token, or one head of all tokens.
template <bool kIsFar, class E, class T>
HWY_INLINE void TurnRow(const Tile& tile, const Heads<E>& heads, T sign,
                        const T* cos, const T* sin) {
  const Layout& layout = *tile.layout;
  const auto half = static_cast<std::size_t>(layout.rotary_dim / 2);
  switch (layout.pairing) {
    case Pairing::kInterleaved:
      return TurnInterleaved<kIsFar>(heads, 2 * tile.first, sign, tile.n, cos,
                                     sin);
    case Pairing::kHalfSplit: {
      const auto given = static_cast<std::size_t>(layout.pair_distance);
      return TurnSplit<kIsFar>(heads, tile.first, given == 0 ? half : given,
                               sign, tile.n, cos, sin);
    }
    case Pairing::kInterleavedToHalf:
      return TurnAndReorder(tile, heads, sign, cos, sin);
    case Pairing::kNestedHalfSplit: {
      const auto in_block = half / static_cast<std::size_t>(layout.blocks);
      for (std::size_t i = 0; i < tile.n;) {
        const std::size_t pair = tile.first + i;
        const std::size_t within = pair % in_block;
        const std::size_t n = std::min(in_block - within, tile.n - i);
        TurnSplit<kIsFar>(heads, 2 * pair - within, in_block, sign, n, cos + i,
                          sin + i);
        i += n;
      }
      return;
    }
  }
}

// Bytes to fetch ahead of the channels at hand, where they come from beyond the
// second-level cache: the processor's own prefetcher stops at each page. Along a
// head less, for after kTokensAlong another head's memory follows.
constexpr std::ptrdiff_t kAhead = 4096, kAheadAlong = 2048;

// Tokens of a head that are turned before the next head: their cosines and
// sines, 16 KiB for head_dim 128 in f32, stay in the first-level cache.
constexpr std::int64_t kTokensAlong = 32;

// Where a head's tokens lie closer together than a token's heads.
bool LiesAlong(const Tile& tile) {
  return tile.tokens > 1 &&
         std::abs(tile.in_head_stride) > std::abs(tile.in_token_stride) &&
         tile.layout->pairing != Pairing::kInterleavedToHalf;
}

// Some tokens of a head, then the same tokens of the next one.
template <bool kIsFar, class E, class T>
HWY_NOINLINE void TurnAlong(const Tile& tile, Heads<E> heads, T sign,
                            const T* cos, const T* sin) {
  heads.count = 1;
  heads.ahead = kAheadAlong;
  const E* in = heads.in;
  E* out = heads.out;
  for (std::int64_t t = 0; t < tile.tokens; t += kTokensAlong) {
    heads.tokens = std::min(kTokensAlong, tile.tokens - t);
    heads.in = in + t * tile.in_token_stride;
    heads.out = out + t * tile.out_token_stride;
    for (std::int64_t h = tile.heads; h > 0; --h) {
      TurnRow<kIsFar>(tile, heads, sign, cos, sin);
      heads.in += tile.in_head_stride;
      heads.out += tile.out_head_stride;
    }
    cos += kTokensAlong * tile.row_stride;
    sin += kTokensAlong * tile.row_stride;
  }
}

template <bool kIsFar, class E>
void TurnRows(const Tile& tile) {
  using T = Compute<E>;
  const T sign = tile.direction == Direction::kForward ? 1 : -1;
  const auto* cos = static_cast<const T*>(tile.cos);
  const auto* sin = static_cast<const T*>(tile.sin);
  Heads<E> heads{static_cast<const E*>(tile.in),
                 static_cast<E*>(tile.out),
                 tile.heads,
                 tile.in_head_stride,
                 tile.out_head_stride,
                 1,
                 tile.in_token_stride,
                 tile.out_token_stride,
                 tile.row_stride,
                 kAhead};
  if (HWY_UNLIKELY(LiesAlong(tile))) {
    TurnAlong<kIsFar>(tile, heads, sign, cos, sin);
    return;
  }
  for (std::int64_t t = tile.tokens; t > 0; --t) {
    TurnRow<kIsFar>(tile, heads, sign, cos, sin);
    heads.in += tile.in_token_stride;
    heads.out += tile.out_token_stride;
    cos += tile.row_stride;
    sin += tile.row_stride;
  }
}

void TurnTile(const Tile& tile) {
  with_element(tile.type, [&](auto element) {
    using E = decltype(element);
    if (tile.is_far) {
      TurnRows<true, E>(tile);
    } else {
      TurnRows<false, E>(tile);
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

void turn(const Tile& tile) noexcept { HWY_DYNAMIC_DISPATCH(TurnTile)(tile); }

}  // namespace ropeproof::fast
#endif  // HWY_ONCE
