// One text of each loop. On x86-64 std::fma is a call into libm, correct and
// slow, unless the compiler may assume the instruction: a copy that may is
// chosen at run time. Elsewhere (AArch64) every processor has it.
#include "reference/sweep/rows.h"

#include <bit>
#include <cstddef>

namespace ropeproof::reference::sweep {
namespace {

[[gnu::always_inline]] inline void multiply(std::span<CosSin> row,
                                            const CosSin* factor) {
  for (std::size_t j = 0; j < row.size(); ++j) {
    row[j] = product(row[j], factor[j]);
  }
}

[[gnu::always_inline]] inline void rotate(std::span<const CosSin> row,
                                          const double* x_u, const double* x_v,
                                          DoubleDouble* y_u,
                                          DoubleDouble* y_v) {
  for (std::size_t j = 0; j < row.size(); ++j) {
    const CosSin& t = row[j];
    y_u[j] = sum(scaled(t.c, x_u[j]), negated(scaled(t.s, x_v[j])));
    y_v[j] = sum(scaled(t.s, x_u[j]), scaled(t.c, x_v[j]));
  }
}

// round_to_odd without a branch.
[[gnu::always_inline]] inline std::uint64_t odd(DoubleDouble y) {
  const auto bits = std::bit_cast<std::uint64_t>(y.hi);
  const auto low = std::bit_cast<std::uint64_t>(y.lo);
  const std::uint64_t is_inward = (bits ^ low) >> 63;
  return bits + ((~bits & 1) & (1 - is_inward)) - ((~bits & 1) & is_inward);
}

[[gnu::always_inline]] inline bool rotate_to_odd(
    std::span<const CosSin> row, const CosSinError* errors, const double* x_u,
    const double* x_v, std::uint64_t* y_u, std::uint64_t* y_v) {
  std::uint64_t undecided = 0;
  for (std::size_t j = 0; j < row.size(); ++j) {
    const CosSin& t = row[j];
    const double u = x_u[j], v = x_v[j];
    const DoubleDouble to_u = sum(scaled(t.c, u), negated(scaled(t.s, v)));
    const DoubleDouble to_v = sum(scaled(t.s, u), scaled(t.c, v));
    const double size_u = pair_size(u, v, t), size_v = pair_size(v, u, t);
    const bool is_decided =
        (std::abs(to_u.lo) > pair_margin(u, v, size_u, errors[j])) &
        (std::abs(to_v.lo) > pair_margin(v, u, size_v, errors[j])) &
        (size_u < kHuge) & (size_v < kHuge);
    undecided |= is_decided ? 0u : 1u;
    y_u[j] = odd(to_u), y_v[j] = odd(to_v);
  }
  return undecided == 0;
}

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void multiply_fused(std::span<CosSin> row,
                                                const CosSin* factor) {
  multiply(row, factor);
}
[[gnu::target("avx2,fma")]] void rotate_fused(std::span<const CosSin> row,
                                              const double* x_u,
                                              const double* x_v,
                                              DoubleDouble* y_u,
                                              DoubleDouble* y_v) {
  rotate(row, x_u, x_v, y_u, y_v);
}
[[gnu::target("avx2,fma")]] bool rotate_to_odd_fused(
    std::span<const CosSin> row, const CosSinError* errors, const double* x_u,
    const double* x_v, std::uint64_t* y_u, std::uint64_t* y_v) {
  return rotate_to_odd(row, errors, x_u, x_v, y_u, y_v);
}
#endif

}  // namespace

void multiply_row(std::span<CosSin> row, const CosSin* factor) {
#if defined(__x86_64__)
  if (kHasFused) return multiply_fused(row, factor);
#endif
  multiply(row, factor);
}

void rotate_row(std::span<const CosSin> row, const double* x_u,
                const double* x_v, DoubleDouble* y_u, DoubleDouble* y_v) {
#if defined(__x86_64__)
  if (kHasFused) return rotate_fused(row, x_u, x_v, y_u, y_v);
#endif
  rotate(row, x_u, x_v, y_u, y_v);
}

bool rotate_row_to_odd(std::span<const CosSin> row, const CosSinError* errors,
                       const double* x_u, const double* x_v, std::uint64_t* y_u,
                       std::uint64_t* y_v) {
#if defined(__x86_64__)
  if (kHasFused) return rotate_to_odd_fused(row, errors, x_u, x_v, y_u, y_v);
#endif
  return rotate_to_odd(row, errors, x_u, x_v, y_u, y_v);
}

}  // namespace ropeproof::reference::sweep
