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
// being the sum that the plan was given. See table-inl.h.
inline constexpr double kAngleBound = 0x1p-102;

// A plan from frequencies() adds at most kFrequencyBound rotary_dim |phi|. See
// plan.cc.
inline constexpr double kFrequencyBound = 0x1p-103;

// table: ulp of the exact m cos(phi), m sin(phi), each on its own, beyond what
// the angle's error does to it. See table-inl.h.
inline constexpr double kTableBound = 0.5 + 0x1p-16;

// rotate: norm-ulp, the given c and s being exact. See rotate-inl.h.
inline constexpr double kRotateBound = 1.25;

// rope: norm-ulp, for |phi| <= 2^53 and rotary_dim <= 2^12. See rotate-inl.h.
inline constexpr double kRopeBound = 3 + 0x1p-13;

}  // namespace ropeproof::fast

#endif  // ROPEPROOF_FAST_BOUNDS_H_
