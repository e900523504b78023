// One text of each loop, compiled up to twice: on x86-64 std::fma is a call into
// libm unless the compiler may assume the instruction, so a copy that may is
// chosen at run time. Elsewhere (AArch64) every processor has it.
#include "reference/sweep/rows.h"

#include <cstddef>

namespace ropeproof::reference::sweep {
namespace {

template <class Product>
[[gnu::always_inline]] inline void multiply(std::span<CosSin> row,
                                            const CosSin* factor) {
  for (std::size_t j = 0; j < row.size(); ++j) {
    row[j] = product<Product>(row[j], factor[j]);
  }
}

template <class Product>
[[gnu::always_inline]] inline void rotate(std::span<const CosSin> row,
                                          const double* x_u, const double* x_v,
                                          DoubleDouble* y_u,
                                          DoubleDouble* y_v) {
  for (std::size_t j = 0; j < row.size(); ++j) {
    const CosSin& t = row[j];
    y_u[j] = sum(scaled<Product>(t.c, x_u[j]),
                 negated(scaled<Product>(t.s, x_v[j])));
    y_v[j] = sum(scaled<Product>(t.s, x_u[j]), scaled<Product>(t.c, x_v[j]));
  }
}

#if defined(__x86_64__)
[[gnu::target("fma")]] void multiply_fused(std::span<CosSin> row,
                                           const CosSin* factor) {
  multiply<FusedProduct>(row, factor);
}
[[gnu::target("fma")]] void rotate_fused(std::span<const CosSin> row,
                                         const double* x_u, const double* x_v,
                                         DoubleDouble* y_u, DoubleDouble* y_v) {
  rotate<FusedProduct>(row, x_u, x_v, y_u, y_v);
}

const bool kHasFused = __builtin_cpu_supports("fma") != 0;
#elif defined(__FP_FAST_FMA)
constexpr bool kHasFused = true;
void multiply_fused(std::span<CosSin> row, const CosSin* factor) {
  multiply<FusedProduct>(row, factor);
}
void rotate_fused(std::span<const CosSin> row, const double* x_u,
                  const double* x_v, DoubleDouble* y_u, DoubleDouble* y_v) {
  rotate<FusedProduct>(row, x_u, x_v, y_u, y_v);
}
#else
constexpr bool kHasFused = false;
constexpr auto multiply_fused = multiply_row_split;
constexpr auto rotate_fused = rotate_row_split;
#endif

}  // namespace

void multiply_row_split(std::span<CosSin> row, const CosSin* factor) {
  multiply<SplitProduct>(row, factor);
}

void rotate_row_split(std::span<const CosSin> row, const double* x_u,
                      const double* x_v, DoubleDouble* y_u, DoubleDouble* y_v) {
  rotate<SplitProduct>(row, x_u, x_v, y_u, y_v);
}

void multiply_row(std::span<CosSin> row, const CosSin* factor) {
  kHasFused ? multiply_fused(row, factor) : multiply_row_split(row, factor);
}

void rotate_row(std::span<const CosSin> row, const double* x_u,
                const double* x_v, DoubleDouble* y_u, DoubleDouble* y_v) {
  kHasFused ? rotate_fused(row, x_u, x_v, y_u, y_v)
            : rotate_row_split(row, x_u, x_v, y_u, y_v);
}

}  // namespace ropeproof::reference::sweep
