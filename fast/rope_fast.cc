#include "fast/rope_fast.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "fast/heads.h"

// foreach_target.h includes this very file once per SIMD target, and the
// *-inl.h files with it: the order below matters.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fast/rope_fast.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "fast/rotate-inl.h"
#include "fast/table-inl.h"
// clang-format on

#if defined(__FAST_MATH__)
#error "the bounds of fast/ do not survive -ffast-math"
#endif

HWY_BEFORE_NAMESPACE();
namespace ropeproof::fast {
namespace HWY_NAMESPACE {

// Pairs whose angles are formed before they are used: at most 4 KiB of stack.
constexpr std::size_t kBlock = 256;

template <class Body>
HWY_INLINE void ForEachBlock(std::size_t pairs, const Body& body) {
  for (std::size_t first = 0; first < pairs; first += kBlock) {
    body(first, std::min(kBlock, pairs - first));
  }
}

// cos and sin of pairs [first, first + n) for one token; `position` points at
// its position on axis 0.
void FormBlock(const Plan& plan, const std::int64_t* position,
               std::int64_t axis_stride, std::size_t first, std::size_t n,
               float* cos, float* sin) {
  double of_pair[kBlock];
  if (plan.axis_of_pair().empty()) {
    std::fill_n(of_pair, n, static_cast<double>(*position));
  } else {
    const std::int32_t* axis = plan.axis_of_pair().data() + first;
    for (std::size_t i = 0; i < n; ++i) {
      of_pair[i] = static_cast<double>(position[axis[i] * axis_stride]);
    }
  }
  TableBlock(plan, first, n, of_pair, cos, sin);
}

void TurnBlock(const Layout& layout, Direction direction, const Heads& heads,
               std::size_t first, std::size_t n, const float* cos,
               const float* sin) {
  if (layout.pairing == Pairing::kInterleaved) {
    RotateBlock(InterleavedPairs(), heads, direction, first, n, cos, sin);
  } else {
    const auto half = static_cast<std::size_t>(layout.rotary_dim) / 2;
    RotateBlock(HalfSplitPairs{half}, heads, direction, first, n, cos, sin);
  }
}

void TableToken(const Plan& plan, const std::int64_t* position,
                std::int64_t axis_stride, float* cos, float* sin) {
  ForEachBlock(plan.pairs(), [&](std::size_t first, std::size_t n) {
    FormBlock(plan, position, axis_stride, first, n, cos + first, sin + first);
  });
}

void RotateToken(const Layout& layout, Direction direction, Token token,
                 const float* cos, const float* sin,
                 std::span<const Tensor> tensors) {
  const auto pairs = static_cast<std::size_t>(layout.rotary_dim) / 2;
  for (const Tensor& tensor : tensors) {
    TurnBlock(layout, direction, heads_of(tensor, layout, token), 0, pairs, cos,
              sin);
  }
}

void RopeToken(const Plan& plan, const Layout& layout, Direction direction,
               Token token, const std::int64_t* position,
               std::int64_t axis_stride, std::span<const Tensor> tensors) {
  float cos[kBlock], sin[kBlock];
  ForEachBlock(plan.pairs(), [&](std::size_t first, std::size_t n) {
    FormBlock(plan, position, axis_stride, first, n, cos, sin);
    for (const Tensor& tensor : tensors) {
      TurnBlock(layout, direction, heads_of(tensor, layout, token), first, n,
                cos, sin);
    }
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace ropeproof::fast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ropeproof::fast {
namespace {

HWY_EXPORT(TableToken);
HWY_EXPORT(RotateToken);
HWY_EXPORT(RopeToken);

// Waking the other threads costs a few microseconds, which is what one thread
// needs for this many channels.
constexpr std::int64_t kParallelChannels = 1 << 15;

// Calls body(token) for every token. No token sees another one's data, hence
// the result cannot depend on who computes what.
template <class Body>
void for_each_token(const Shape& shape, std::int64_t channels_per_token,
                    const Body& body) noexcept {
  const std::int64_t tokens = shape.batch * shape.seq;
  const auto visit = [&](std::int64_t t) {
    body(Token{t / shape.seq, t % shape.seq});
  };
  // Not an if clause: a team of one costs 0.3 us, as much as a whole token.
  if (tokens == 1 || tokens * channels_per_token < kParallelChannels) {
    for (std::int64_t t = 0; t < tokens; ++t) visit(t);
    return;
  }
#pragma omp parallel for schedule(static)
  for (std::int64_t t = 0; t < tokens; ++t) visit(t);
}

std::int64_t channels_per_token(const Layout& layout,
                                std::span<const Tensor> tensors) {
  std::int64_t heads = 0;
  for (const Tensor& tensor : tensors) heads += tensor.heads;
  return heads * layout.head_dim;
}

void copy_outside_windows(const Layout& layout, Token token,
                          std::span<const Tensor> tensors) {
  for (const Tensor& tensor : tensors) {
    copy_outside_window(heads_of(tensor, layout, token), layout);
  }
}

const std::int64_t* position_of(const Positions& positions, Token token) {
  return positions.data + token.batch * positions.batch_stride + token.seq;
}

template <class Float>
std::int64_t row_of(const Table<Float>& table, Token token) {
  return token.batch * table.batch_stride + token.seq * table.token_stride;
}

}  // namespace

void table(const Plan& plan, const Shape& shape, const Positions& positions,
           const Table<float>& out) noexcept {
  // An angle costs about as much as eight channels of a rotation.
  const auto channels = 8 * static_cast<std::int64_t>(plan.pairs());
  for_each_token(shape, channels, [&](Token token) {
    const std::int64_t row = row_of(out, token);
    HWY_DYNAMIC_DISPATCH(TableToken)
    (plan, position_of(positions, token), positions.axis_stride, out.cos + row,
     out.sin + row);
  });
}

void rotate(const Layout& layout, Direction direction, const Shape& shape,
            const Table<const float>& given,
            std::span<const Tensor> tensors) noexcept {
  for_each_token(shape, channels_per_token(layout, tensors), [&](Token token) {
    const std::int64_t row = row_of(given, token);
    HWY_DYNAMIC_DISPATCH(RotateToken)
    (layout, direction, token, given.cos + row, given.sin + row, tensors);
    copy_outside_windows(layout, token, tensors);
  });
}

void rope(const Plan& plan, const Layout& layout, Direction direction,
          const Shape& shape, const Positions& positions,
          std::span<const Tensor> tensors) noexcept {
  for_each_token(shape, channels_per_token(layout, tensors), [&](Token token) {
    HWY_DYNAMIC_DISPATCH(RopeToken)
    (plan, layout, direction, token, position_of(positions, token),
     positions.axis_stride, tensors);
    copy_outside_windows(layout, token, tensors);
  });
}

}  // namespace ropeproof::fast
#endif  // HWY_ONCE
