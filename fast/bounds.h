// bounds.h -- what the kernels promise, in numbers.
//
// Each constant is derived beside the code that earns it and asserted, under
// its name, by the tests. All bounds hold for every SIMD target, with and
// without FMA, while no result underflows.
//
// One norm-ulp of a pair (x_u, x_v) is the distance between the floats around
// m |(x_u, x_v)|, m being the amplitude or, where the table is given, |(c, s)|.
#ifndef ROPEPROOF_FAST_BOUNDS_H_
#define ROPEPROOF_FAST_BOUNDS_H_

namespace ropeproof::fast {

// The angle phi = p theta has an error of at most kAngleBound |phi|, theta
// being the sum that the plan was given. See angles-inl.h.
inline constexpr double kAngleBound = 0x1p-102;

// A plan from frequencies() adds at most kFrequencyBound rotary_dim |phi|. See
// plan.cc.
inline constexpr double kFrequencyBound = 0x1p-103;

// Cosines and sines are off by so much of their value, beyond what the angle's
// error does to them: as the vector kernels form them first, again next to a
// tie (both angles-inl.h), and at last in double-double (exact_cos_sin.cc).
inline constexpr double kQuickCosSinBound = 0x1.6ap-44;
inline constexpr double kCosSinBound = 8.9 * 0x1p-53;
inline constexpr double kExactCosSinBound = 0x1p-101;

// table in f32 and f64: ulp of the exact m cos(phi), m sin(phi), each on its
// own, beyond what the angle's error does to it: rounded correctly. See
// angles-inl.h.
inline constexpr double kTableBound = 0.5;

// table in f16 and bf16, likewise: the correctly rounded f32 rounded once more,
// whose half ulp is 2^-14 of an f16's and 2^-17 of a bf16's.
inline constexpr double kTableBoundF16 = 0.5 + 0x1p-14;
inline constexpr double kTableBoundBf16 = 0.5 + 0x1p-17;

// rotate: norm-ulp, the given c and s being exact. See rotate-inl.h. In 16-bit
// types: half of one's own and what 1.25 norm-ulp of f32 are in it.
inline constexpr double kRotateBound = 1.25;
inline constexpr double kRotateBoundF16 = 0.5 + 1.25 * 0x1p-13;
inline constexpr double kRotateBoundBf16 = 0.5 + 1.25 * 0x1p-16;

// rope: norm-ulp, for |phi| <= 2^53 and rotary_dim <= 2^12; in f64, whose ulps
// are finer, for |phi| <= 2^24. See rotate-inl.h.
inline constexpr double kRopeBound = 3 + 0x1p-13;
inline constexpr double kRopeBoundF16 = 0.5 + kRopeBound * 0x1p-13;
inline constexpr double kRopeBoundBf16 = 0.5 + kRopeBound * 0x1p-16;

}  // namespace ropeproof::fast

#endif  // ROPEPROOF_FAST_BOUNDS_H_
