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

template <bool kIsFar, class E>
void TurnRows(const Tile& tile) {
  using T = Compute<E>;
  const T sign = tile.direction == Direction::kForward ? 1 : -1;
  const auto turn_row = [&](std::int64_t token, std::int64_t head,
                            std::int64_t tokens, std::int64_t heads) {
    const auto* in = static_cast<const E*>(tile.in) +
                     token * tile.in_token_stride + head * tile.in_head_stride;
    auto* out = static_cast<E*>(tile.out) + token * tile.out_token_stride +
                head * tile.out_head_stride;
    TurnRow<kIsFar>(tile,
                    Heads<E>{in, out, heads, tile.in_head_stride,
                             tile.out_head_stride, tokens, tile.in_token_stride,
                             tile.out_token_stride, tile.row_stride},
                    sign,
                    static_cast<const T*>(tile.cos) + token * tile.row_stride,
                    static_cast<const T*>(tile.sin) + token * tile.row_stride);
  };
  // Where a head's tokens lie closer together than a token's heads, go along.
  if (tile.tokens > 1 &&
      std::abs(tile.in_head_stride) > std::abs(tile.in_token_stride) &&
      tile.layout->pairing != Pairing::kInterleavedToHalf) {
    for (std::int64_t h = 0; h < tile.heads; ++h) {
      turn_row(0, h, tile.tokens, 1);
    }
  } else {
    for (std::int64_t t = 0; t < tile.tokens; ++t) {
      turn_row(t, 0, 1, tile.heads);
    }
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
