// heads.h -- the heads of one token, as the kernels walk them.
#ifndef ROPEPROOF_FAST_HEADS_H_
#define ROPEPROOF_FAST_HEADS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "fast/rope_fast.h"

namespace ropeproof::fast {

struct Token {
  std::int64_t batch, seq;
};

// `in` and `out` point at the window of head 0: channel rotary_offset.
struct Heads {
  const float* in;
  float* out;
  std::int64_t count, in_stride, out_stride;
};

inline Heads heads_of(const Tensor& tensor, const Layout& layout,
                      Token token) noexcept {
  const auto at = [&](const Strides& strides) {
    return token.batch * strides.batch + token.seq * strides.token +
           layout.rotary_offset;
  };
  return {tensor.in + at(tensor.in_strides),
          tensor.out + at(tensor.out_strides), tensor.heads,
          tensor.in_strides.head, tensor.out_strides.head};
}

// Copies the channels outside the window, unless the rotation is in place.
inline void copy_outside_window(const Heads& heads,
                                const Layout& layout) noexcept {
  if (heads.in == heads.out || layout.head_dim == layout.rotary_dim) return;
  const auto copy = [](const float* in, float* out, std::int64_t channels) {
    std::memcpy(out, in, static_cast<std::size_t>(channels) * sizeof(float));
  };
  const std::int64_t before = layout.rotary_offset;
  const std::int64_t end = layout.rotary_dim;
  const std::int64_t after = layout.head_dim - before - end;
  for (std::int64_t h = 0; h < heads.count; ++h) {
    const float* in = heads.in + h * heads.in_stride;
    float* out = heads.out + h * heads.out_stride;
    copy(in - before, out - before, before);
    copy(in + end, out + end, after);
  }
}

}  // namespace ropeproof::fast

#endif  // ROPEPROOF_FAST_HEADS_H_
