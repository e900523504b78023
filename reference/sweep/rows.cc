// One text of each loop. On x86-64 std::fma is a call into libm, correct and
// slow, unless the compiler may assume the instruction: a copy that may is
// chosen at run time. Elsewhere (AArch64) every processor has it.
#include "reference/sweep/rows.h"

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

#if defined(__x86_64__)
const bool kHasFused = __builtin_cpu_supports("fma") != 0;
[[gnu::target("fma")]] void multiply_fused(std::span<CosSin> row,
                                           const CosSin* factor) {
  multiply(row, factor);
}
[[gnu::target("fma")]] void rotate_fused(std::span<const CosSin> row,
                                         const double* x_u, const double* x_v,
                                         DoubleDouble* y_u, DoubleDouble* y_v) {
  rotate(row, x_u, x_v, y_u, y_v);
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

}  // namespace ropeproof::reference::sweep
