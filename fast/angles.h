// angles.h -- the cosines and sines of a tile of tokens, formed by the best
// SIMD target.
//
// A row holds pairs [first, first + n) of a plan; entry i is pair first + i.
// Rows are `stride` apart.
#pragma once

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

// A row for each token, rounded correctly. `is_streamed`: consecutive positions
// go past the caches, to be followed by end_stream(); rows then begin and end
// with a line of 64 bytes.
void form_rows(const Angles& angles, const Tokens& tokens, std::size_t first,
               std::size_t n, std::size_t stride, float* cos, float* sin,
               bool is_streamed = false) noexcept;
void form_rows(const Angles& angles, const Tokens& tokens, std::size_t first,
               std::size_t n, std::size_t stride, double* cos,
               double* sin) noexcept;
void end_stream() noexcept;

// One row at one position, with an amplitude per pair.
void form_row(const Plan& plan, std::size_t first, std::size_t n,
              double position, const double* amplitude, float* cos,
              float* sin) noexcept;

// cos and sin, without amplitude, of `rows` positions from `first` on that
// are `distance` apart, for Plan's constructor.
void form_spaced(const Plan& plan, std::size_t rows, double first,
                 double distance, double* cos, double* sin) noexcept;

// n elements of any type, and f32 to an element type, rounded once.
void read_row(Type type, const void* from, std::size_t n, float* to) noexcept;
void read_row(Type type, const void* from, std::size_t n, double* to) noexcept;
void narrow(const float* from, std::size_t n, Type type, void* to) noexcept;

}  // namespace ropeproof::fast
