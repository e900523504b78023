// double_double.h -- numbers of about 106 bits, as unevaluated sums of doubles,
// and pairs (cos, sin) of them.
//
// u = 2^-53; a DoubleDouble is normalized, hi = RN(hi + lo). Every bound holds
// for rounding to nearest (arithmetic.h), without overflow. Underflow adds a
// few 2^-1074, which no bound below notices, relative to numbers near 1.
//
// [JMP17] Joldes, Muller, Popescu, "Tight and rigorous error bounds for basic
//         building blocks of double-word arithmetic", ACM TOMS 44(2), 2017.
// [MR22]  Muller, Rideau, "Formalization of double-word arithmetic, and
//         comments on [JMP17]", ACM TOMS 48(1), 2022: the same, proved in Coq,
//         some constants smaller.
#pragma once

#include <cmath>

#ifdef __FAST_MATH__
#error "error-free transformations need IEEE arithmetic: drop -ffast-math"
#endif

namespace ropeproof::reference::sweep {

inline constexpr double kU2 = 0x1p-106;  // u^2

#if defined(__x86_64__)
// Whether the processor has the instruction of std::fma, and the vectors of
// integers that came with it; rows.cc says why.
inline const bool kHasFused =
    __builtin_cpu_supports("fma") != 0 && __builtin_cpu_supports("avx2") != 0;
#endif

struct DoubleDouble {
  double hi = 0, lo = 0;
};

// The product of two doubles, exactly: hi + lo = a * b.
[[gnu::always_inline]] inline DoubleDouble exact_product(double a, double b) {
  const double hi = a * b;
  return {hi, std::fma(a, b, -hi)};
}

// a + b exactly ([JMP17] algorithms 2 and 1). The second needs |a| >= |b| or a
// = 0.
[[gnu::always_inline]] inline DoubleDouble exact_sum(double a, double b) {
  const double hi = a + b;
  const double b_part = hi - a;
  return {hi, (a - (hi - b_part)) + (b - b_part)};
}
[[gnu::always_inline]] inline DoubleDouble ordered_sum(double a, double b) {
  const double hi = a + b;
  return {hi, b - (hi - a)};
}

// x + y, relative error <= 3 u^2 + 13 u^3 ([JMP17] algorithm 6, theorem 3.1).
// With opposite signs, too.
inline constexpr double kSumError = 3.001 * kU2;
[[gnu::always_inline]] inline DoubleDouble sum(DoubleDouble x, DoubleDouble y) {
  const DoubleDouble s = exact_sum(x.hi, y.hi);
  const DoubleDouble t = exact_sum(x.lo, y.lo);
  const DoubleDouble v = ordered_sum(s.hi, s.lo + t.hi);
  return ordered_sum(v.hi, t.lo + v.lo);
}

// x * y, relative error <= 5 u^2 ([JMP17] algorithm 10; the constant of
// [MR22]).
inline constexpr double kProductError = 5 * kU2;
[[gnu::always_inline]] inline DoubleDouble product(DoubleDouble x,
                                                   DoubleDouble y) {
  const DoubleDouble c = exact_product(x.hi, y.hi);
  return ordered_sum(c.hi, c.lo + (x.hi * y.lo + x.lo * y.hi));
}

// x * b, relative error <= 1.5 u^2 + 4 u^3 ([JMP17] algorithm 7, theorem 4.1).
inline constexpr double kScaledError = 1.501 * kU2;
[[gnu::always_inline]] inline DoubleDouble scaled(DoubleDouble x, double b) {
  const DoubleDouble c = exact_product(x.hi, b);
  const DoubleDouble t = ordered_sum(c.hi, x.lo * b);
  return ordered_sum(t.hi, t.lo + c.lo);
}

[[gnu::always_inline]] inline DoubleDouble negated(DoubleDouble x) {
  return {-x.hi, -x.lo};
}

// cos(phi) and sin(phi), as a vector: its error is the length of the
// difference.
struct CosSin {
  DoubleDouble c, s;
};

// The rotation by the sum of two angles, e^(i(a+b)) = e^(ia) e^(ib):
//     c = c_a c_b - s_a s_b,   s = s_a c_b + c_a s_b.
// Each component is off by at most (kProductError + kSumError) (1 + 5 u^2)
// (|c_a c_b| + |s_a s_b|), and the last factor is at most |a| |b| (Cauchy-
// Schwarz). Two components: sqrt(2) 8.002 u^2 <= 11.33 u^2 relative to |a| |b|.
inline constexpr double kCosSinProductError = 11.33 * kU2;
[[gnu::always_inline]] inline CosSin product(const CosSin& a, const CosSin& b) {
  return {sum(product(a.c, b.c), negated(product(a.s, b.s))),
          sum(product(a.s, b.c), product(a.c, b.s))};
}

}  // namespace ropeproof::reference::sweep
