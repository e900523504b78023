// tolerance.h -- how far from the exact result a kernel may be: derived, from
// what it claims, for each pair.
//
// Notation: u = 2^-24 (f32), u_o the unit roundoff of the output dtype, u_t of
// the dtype that holds cos and sin, gamma_k(u) = k u / (1 - k u), which bounds
// k roundings in a row (Higham, "Accuracy and Stability of Numerical
// Algorithms", 2002, lemma 3.1). x = (x_u, x_v) is a pair, ||x|| its length,
// phi its angle.
//
// Let R(a) be the rotation by a, a^ the kernel's angle and y^ its result. Then
//
//     |y^ - y| <= ||R(a^)x - R(phi)x|| + |y^ - R(a^)x|
//              <= ||x|| ( min(2, |a^ - phi|) + L ) + eta            (each
//              output)
//
// because ||R(a^)x - R(phi)x|| = 2 |sin((a^ - phi)/2)| ||x||. With amplitude m
// everything but eta is multiplied by |m|.
//
// The bound is per pair and relative to ||x||: one coordinate may cancel to
// zero, where no relative bound on it can hold. It knows nothing of other
// pairs, of the order of cases or of what a kernel did before.
#ifndef ROPEPROOF_CONFORMANCE_VERDICT_TOLERANCE_H_
#define ROPEPROOF_CONFORMANCE_VERDICT_TOLERANCE_H_

#include <cstdint>

#include "conformance/kernels/kernel.h"
#include "reference/format.h"
#include "reference/spec.h"

namespace ropeproof::conformance {

// One row of the tolerance table: what a description claims for one dtype.
struct Claim {
  std::uint32_t angle_class = ROPEPROOF_A1;
  reference::Format angle_dtype = reference::Format::kF32;  // A3
  std::uint32_t power = ROPEPROOF_POW;
  std::uint32_t trig_ulp = 1;
  reference::Format table = reference::Format::kF32;
  reference::Format output = reference::Format::kF32;
  std::uint32_t rounding = ROPEPROOF_ROUND_ONCE;
  bool computes_scaling = false;  // from its parameters, not from inv_freq
};

Claim claim_of(const Description& description, reference::Format dtype);

// One pair of a RoPE: all that its angle's error depends on.
struct PairAngle {
  std::int64_t j = 0, rotary_dim = 2;
  double inv_freq = 1;    // theta_j, rad per position
  double position = 0;    // sum of |W[k,j] p_k|: |p| with one axis
  bool is_f32 = true;     // f32 holds every position and weight
  std::int64_t axes = 1;  // that a sum is formed over
  double scaling = 0;     // scaling_roundings, where the kernel computes it
};

// k: the number of roundings in theta_j, in units of the angle arithmetic's u.
//
//   A0  0
//   A1  2 pow, within 1 ulp <= 2u | 1 reciprocal | |ln theta| if the exponent
//       2j/r is no f32: d(base^-e)/base^-e = -ln(base) de, |de| <= u e
//       EXP2: 2 exp2, within 1 ulp | 4 |ln theta| for exponent, logarithm
//       (1 ulp) and product
//   A2  j times (2 pow within 1 ulp | 1 product) | |ln theta| if 2/r is no f32;
//       for j = 0 nothing, or 1 for a given theta_0 other than 1
//   A3  as A1, in the arithmetic of angle_dtype
double frequency_roundings(const Claim& claim, const PairAngle& pair);

// What a scaling adds to k if a kernel computes it in f32 from theta. With s
// the factor, each relative to the scaled theta':
//
//   linear, LongRoPE, frequency factors   one division
//   YaRN      theta' = theta ((1 - g) + g/s). The ramp g is off by 3u, and
//             d theta'/theta' = g (1 - 1/s) / ((1 - g) + g/s) dg/g
//             <= (s - 1) dg/g; three products, a sum and a division
//   llama3    the same with sigma; t = L theta / 2 pi is off by 3u, so sigma by
//             3u high/(high - low), and two roundings of its own
//   NTK       alpha = s N/M - (s - 1) is off by 3u s N/M <= 3 s u alpha; base' =
//             b alpha^e, e = d/(d - 2), by e times that, u e ln alpha for the
//             exponent, 2u for the power and u for the product
double scaling_roundings(const reference::Scaling& scaling,
                         std::int64_t rotary_dim);

// min(2, |phi| gamma(u)) over the frequency's roundings, the product with the
// position, and the position itself where the arithmetic cannot hold it. A sum
// over several axes has a product and an addition for each. theta and the angle
// may be subnormal, in f16 above all: half of the smallest number each, theta's
// times the position.
double angle_error(const Claim& claim, const PairAngle& pair);

// L of cos and sin as the kernel holds them, relative to 1:
//   trig_ulp n: an n-ulp function is within 2n u; given tables are rounded once
//   amplitude: m rounded, times cos
//   table dtype narrower than the arithmetic: one more rounding, u_t
double table_error(const Claim& claim, bool given, bool has_amplitude);

// L of the whole: table, then
//   once  product and sum in f32 (f64 for f64): gamma_2(u); u_o if narrower
//   each  product and sum rounded to the output dtype: (1 + u_o)^2
// using |x_u c| + |x_v s| <= ||x|| (Cauchy-Schwarz). Covers every FMA form.
double local_error(const Claim& claim, bool given, bool has_amplitude);

// The absolute term: roundings below the smallest normal number.
double underflow_error(const Claim& claim, double sum_of_magnitudes);

// The golden is rounded to odd, off by less than an ulp of binary64.
inline constexpr double kGoldenError = 0x1p-52;

// A bound this large accepts any rotation: the check says nothing.
inline constexpr double kVacuous = 2;

// L0: the structure is right. What arithmetic may cost in any type that kernels
// use, four roundings to bf16; beside it, the angle may be off as in class A1.
inline constexpr double kStructuralBound = 0x1p-6;

}  // namespace ropeproof::conformance

#endif  // ROPEPROOF_CONFORMANCE_VERDICT_TOLERANCE_H_
