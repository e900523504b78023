// angles.h -- rows of cosines and sines, formed by the best SIMD target.
//
// A row holds pairs [first, first + n) of a plan; entry i is pair first + i.
#ifndef ROPEPROOF_FAST_ANGLES_H_
#define ROPEPROOF_FAST_ANGLES_H_

#include <cstddef>

#include "fast/rope_fast.h"

namespace ropeproof::fast {

// One row at one position, or with a position per pair; an amplitude per pair.
void form_row(const Plan& plan, std::size_t first, std::size_t n,
              double position, const double* amplitude, float* cos,
              float* sin) noexcept;
void form_row(const Plan& plan, std::size_t first, std::size_t n,
              const double* position, const double* amplitude, float* cos,
              float* sin) noexcept;

// Rows at any positions, at most Plan::kRun of them, each `stride` after the last,
// of the plan's amplitude.
void form_rows_at(const Plan& plan, std::size_t first, std::size_t n,
                  const double* position, std::size_t rows, std::size_t stride,
                  float* cos, float* sin) noexcept;

// Rows of the positions p, p + 1, ..., at most Plan::kRun of them, each `stride`
// after the last: bit for bit what form_row says. Needs plan.can_add_angles(),
// |p| plan.max_circles() < 2^40 and |p| < 2^51. `is_streamed`: past the caches, to
// be followed by end_stream(); rows then begin and end with a line of 64 bytes.
void form_run(const Plan& plan, std::size_t first, std::size_t n, double p,
              std::size_t rows, std::size_t stride, bool is_streamed,
              float* cos, float* sin) noexcept;
void end_stream() noexcept;

// cos and sin, without amplitude, of `rows` positions from `first` on that
// are `distance` apart, for Plan's constructor.
void form_spaced(const Plan& plan, std::size_t rows, double first,
                 double distance, double* cos, double* sin) noexcept;

// f32 to an element type, rounded once, and back.
void narrow(const float* from, std::size_t n, Type type, void* to) noexcept;
void widen(Type type, const void* from, std::size_t n, float* to) noexcept;

}  // namespace ropeproof::fast

#endif  // ROPEPROOF_FAST_ANGLES_H_
