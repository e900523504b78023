// rows.h -- the cosines and sines of a tile of tokens, as the kernels take them.
#ifndef ROPEPROOF_FAST_ROWS_H_
#define ROPEPROOF_FAST_ROWS_H_

#include <cstddef>
#include <cstdint>

#include "fast/rope_fast.h"

namespace ropeproof::fast {

// What cosines and sines are formed from.
struct Angles {
  const Plan& plan;
  const Positions& positions;
  const Amplitudes& amplitudes;
};

// Consecutive tokens of one batch row.
struct Tokens {
  std::int64_t batch, first, count;
};

// The position on axis `axis` of token `t` of the tile.
inline double position_of(const Positions& positions, const Tokens& tokens,
                          std::int64_t t, std::int64_t axis) {
  const std::int64_t i = axis * positions.axis_stride +
                         tokens.batch * positions.batch_stride + tokens.first +
                         t;
  return positions.real != nullptr ? positions.real[i]
                                   : static_cast<double>(positions.data[i]);
}

// Forms rows of pairs [first, first + n), `stride` apart, rounded correctly.
// `is_streamed`: as form_run (angles.h).
void form_rows(const Angles& angles, const Tokens& tokens, std::size_t first,
               std::size_t n, std::size_t stride, float* cos, float* sin,
               bool is_streamed = false) noexcept;
void form_rows(const Angles& angles, const Tokens& tokens, std::size_t first,
               std::size_t n, std::size_t stride, double* cos,
               double* sin) noexcept;

// Reads n elements of any type.
void read_row(Type type, const void* from, std::size_t n, float* to) noexcept;
void read_row(Type type, const void* from, std::size_t n, double* to) noexcept;

}  // namespace ropeproof::fast

#endif  // ROPEPROOF_FAST_ROWS_H_
