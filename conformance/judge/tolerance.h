// tolerance.h -- how far from the exact result a kernel may be: derived, from
// what it claims, for each pair.
//
// Notation: u_f the unit roundoff of a format f (2^-24 for f32, 2^-53 for f64,
// 2^-11 for f16, 2^-8 for bf16); gamma_k(u) = k u / (1 - k u), which bounds k
// roundings in a row (Higham, "Accuracy and Stability of Numerical Algorithms",
// 2002, lemma 3.1). x = (x_u, x_v) is a pair, ||x|| its length, phi its angle.
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
// The first term depends on how the angle is formed (AngleRow), L on how cosine
// and sine are held and where products are rounded (LocalRow), neither on the
// other. So a row of the tolerance is an AngleRow beside a LocalRow: angle
// class x table dtype x rounding x output dtype. tolerance_table.cc has them
// all; nothing else decides a bound, and no flag changes one.
//
// The bound is per pair and relative to ||x||: one coordinate may cancel to
// zero, where no relative bound on it can hold. It knows nothing of other
// pairs, of the order of cases or of what a kernel did before.
#ifndef ROPEPROOF_CONFORMANCE_JUDGE_TOLERANCE_H_
#define ROPEPROOF_CONFORMANCE_JUDGE_TOLERANCE_H_

#include <cstdint>
#include <span>
#include <string>

#include "conformance/plugin/kernel.h"
#include "reference/format.h"
#include "reference/spec.h"

namespace ropeproof::conformance::judge {

// What a description claims for one dtype: selects the rows.
struct Claim {
  std::uint32_t angle_class = ROPEPROOF_A1;
  reference::Format angle_dtype = reference::Format::kF32;  // A1, A3
  std::uint32_t power = ROPEPROOF_POW;
  std::uint32_t trig_ulp = 1;
  reference::Format table = reference::Format::kF32;
  reference::Format output = reference::Format::kF32;
  std::uint32_t rounding = ROPEPROOF_ROUND_ONCE;
  bool computes_scaling = false;  // from its parameters, not from inv_freq
};

Claim claim_of(const plugin::Description& description, reference::Format dtype);

// The table -------------------------------------------------------------------

// Which quotient spares the rounding of the exponent, if it is exact in the
// angle's arithmetic.
enum class Quotient { k2jOverR, k2OverR, kNone };

// k = constant + per_pair j + exponent |ln theta_j|: the roundings in theta_j;
// none in theta_0 = 1, which every power gives exactly.
struct AngleRow {
  std::uint32_t angle_class, power;
  reference::Format arithmetic;
  double constant, per_pair, exponent;
  Quotient exact;  // where it is, exponent counts 0
};

// The roundings that follow the stored cosine or sine.
struct LocalRow {
  reference::Format table;
  std::uint32_t rounding;  // f32 and f64 know only ROPEPROOF_ROUND_ONCE
  reference::Format output;
  int in_arithmetic;  // f64 for f64 outputs, else f32
  int in_output;      // to the output dtype, where that is narrower
};

std::span<const AngleRow> angle_rows();
std::span<const LocalRow> local_rows();
const AngleRow& angle_row(const Claim& claim);
const LocalRow& local_row(const Claim& claim);

// "A1 pow f32", "table f32 once bf16".
std::string name_of(const AngleRow& row);
std::string name_of(const LocalRow& row);

// The whole table with its bounds in numbers: `ropeproof list tolerances`.
std::string tolerance_text();

// Its terms -------------------------------------------------------------------

// One pair of a RoPE: all that its angle's error depends on.
struct PairAngle {
  std::int64_t j = 0, rotary_dim = 2;
  double inv_freq = 1;  // theta_j, rad per position
  double position = 0;  // sum of |W[k,j] p_k|: |p| with one axis
  // Whether f64, f32, f16, bf16 holds every position and weight: ABI bits.
  std::uint32_t exact_in = ~0u;
  std::int64_t axes = 1;  // that a sum is formed over
  double scaling = 0;     // scaling_roundings, where the kernel computes it
};

// The ABI bits of the formats that hold `x`.
std::uint32_t formats_that_hold(double x);

// k of the row, in units of its arithmetic's u.
double frequency_roundings(const Claim& claim, const PairAngle& pair);

// min(2, |phi| gamma_k(u)) over the frequency's roundings, the product with the
// position, and the position itself where the arithmetic cannot hold it. A sum
// over several axes has a product and an addition for each. theta and the angle
// may be subnormal, in f16 above all: half of the smallest number each, theta's
// times the position. 0 for A0: such a kernel forms its angle so that the error
// hides below L.
double angle_error(const Claim& claim, const PairAngle& pair);

// The same for all positions of a pair: radians per position.
struct AngleSlope {
  double exact = 0, rounded = 0;  // by whether the position is rounded
  double underflow = 0;           // radians, times |p| + 1
  double largest_exact = 0;       // integers up to here are exact
  std::uint32_t format = 0;       // of the arithmetic: an ABI bit

  double error(double position, std::uint32_t exact_in) const {
    if (position == 0) return 0;
    const bool is_rounded =
        (exact_in & format) == 0 || position > largest_exact;
    const double radians =
        position * (is_rounded ? rounded : exact) + (position + 1) * underflow;
    return radians < 2 ? radians : 2;  // also where it is infinite
  }
};
// Takes no position.
AngleSlope angle_slope(const Claim& claim, const PairAngle& pair);

// Relative error of an inv_freq that a kernel gives out in claim.table: k of
// the row, without the product, and one more rounding to a narrower type. A0
// forms frequencies in f64.
double frequency_error(const Claim& claim, const PairAngle& pair);

// L of cos and sin as the kernel holds them, relative to 1. They are formed in
// f32, or in f64 for an f64 table:
//   trig_ulp n  an n-ulp function is within 2n u
//   amplitude   m rounded, times cos: 2 u
//   16 bits     one more rounding, u_t
// A given table has been rounded once: u_t.
double table_error(const Claim& claim, bool given, bool has_amplitude);

// L of the whole: the table's factors, then those of the LocalRow.
double local_error(const Claim& claim, bool given, bool has_amplitude);

// eta: roundings below the smallest normal number, half of the smallest
// subnormal one each: of a stored cosine or sine, times |x_u| + |x_v|; of two
// products and a sum; of the result.
double underflow_error(const Claim& claim, double sum_of_magnitudes);

// The same for an entry of a table.
double table_underflow(const Claim& claim);

// The golden is rounded to odd, off by less than an ulp of binary64; that of an
// f64 case is a pair, off by less than 2^-105.
inline constexpr double kGoldenError = 0x1p-52;
inline constexpr double kGoldenPairError = 0x1p-105;

// A bound this large accepts any rotation: the check says nothing.
inline constexpr double kVacuous = 2;

// L0: the structure is right. What arithmetic may cost in any type that kernels
// use, four roundings to bf16; beside it, the angle may be off as in class A1.
inline constexpr double kStructuralBound = 0x1p-6;

// The phase grade: rho = phase error / (4 |phi| 2^-24 + 2^-22), the largest of
// any pair. 4 u |phi| is k = 4 of A1 by pow with an exact exponent; 2^-22 rad
// is L of f32. Measured on bases 1e4 to 1e6, 64 to 256 channels, positions up to
// 2^20: f32 direct 0.63, formed by exp2 3.1, iterated 14.2, and any part of the
// angle in f16 or bf16 at least 184. The grades' limits lie in the gaps.
inline constexpr double kPhaseSlope = 0x1p-22, kPhaseFloor = 0x1p-22;
inline constexpr double kGradeA = 1, kGradeB = 4, kGradeC = 16, kGradeD = 64;

// "A" direct f32 or better, "B" exp2-formed, "C" iterated, "D" suspicious, "F"
// half precision or wrong.
char phase_grade(double rho);

}  // namespace ropeproof::conformance::judge

#endif  // ROPEPROOF_CONFORMANCE_JUDGE_TOLERANCE_H_
