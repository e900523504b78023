// call_layout.h -- where the elements of a problem lie, and how they get there.
#ifndef ROPEPROOF_CONFORMANCE_CHECK_CALL_LAYOUT_H_
#define ROPEPROOF_CONFORMANCE_CHECK_CALL_LAYOUT_H_

#include <cstddef>
#include <cstdint>

#include "reference/spec.h"

namespace ropeproof::conformance::check {

// What inputs' gaps and the zones around them are filled with: about -3e-16 in
// f32 and bf16.
inline constexpr std::byte kFinite{0xa5};

// `width` bytes, little-endian.
inline void store(std::byte* target, std::uint64_t bits, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) {
    target[i] = static_cast<std::byte>(bits >> (8 * i) & 0xff);
  }
}

inline std::uint64_t load(const std::byte* source, std::size_t width) {
  std::uint64_t bits = 0;
  for (std::size_t i = width; i-- > 0;) {
    bits = bits << 8 | std::to_integer<std::uint64_t>(source[i]);
  }
  return bits;
}

// Distances in elements; channels lie back to back.
struct Strides {
  std::int64_t batch = 0, token = 0, head = 0;
};

// Strides of a tensor with gaps after each head, token and batch row.
inline Strides with_gaps(const reference::Shape& shape, std::int64_t head_dim,
                         const Strides& gaps) {
  const std::int64_t head = head_dim + gaps.head;
  const std::int64_t token = shape.heads * head + gaps.token;
  return {shape.seq * token + gaps.batch, token, head};
}

// Calls f(element offset) for every element, in row-major order.
template <class F>
void for_each_element(const reference::Shape& shape, const Strides& strides,
                      std::int64_t head_dim, const F& f) {
  for (std::int64_t b = 0; b < shape.batch; ++b) {
    for (std::int64_t s = 0; s < shape.seq; ++s) {
      for (std::int64_t h = 0; h < shape.heads; ++h) {
        for (std::int64_t t = 0; t < head_dim; ++t) {
          f(static_cast<std::size_t>(b * strides.batch + s * strides.token +
                                     h * strides.head + t));
        }
      }
    }
  }
}

}  // namespace ropeproof::conformance::check

#endif  // ROPEPROOF_CONFORMANCE_CHECK_CALL_LAYOUT_H_
