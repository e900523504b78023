// bound.h -- how far from the exact result a kernel may be: derived, from what
// it claims, for each pair. The one place that says so: the judge in
// conformance/ and the pipelines in reference/staged/ read the same rows.
//
// Notation: u_f the unit roundoff of a format f (2^-24 for f32, 2^-53 for f64,
// 2^-11 for f16, 2^-8 for bf16); gamma_k(u) = k u / (1 - k u), which bounds the
// relative error of k roundings in a row (Higham, "Accuracy and Stability of
// Numerical Algorithms", 2002, lemma 3.1). x = (x_u, x_v) is a pair, ||x|| its
// length, phi its exact angle, m the amplitude, y the exact result.
//
// Let R(a) be the rotation by a, a^ the kernel's angle, z the number that it
// converts to the output type and y^ = z (1 + d), |d| <= rho, its result. Then,
// for each output,
//
//     |z - y|  <= |m| ||R(a^)x - R(phi)x|| + |z - m R(a^)x|
//              <= |m| ||x|| ( min(2, |phi| gamma_k(u)) + L )
//     |y^ - y| <= |z - y| + rho |z|
//              <= (1 + rho) |m| ||x|| ( min(2, |phi| gamma_k(u)) + L )
//                 + rho |y| + eta
//
// because ||R(a^)x - R(phi)x|| = 2 |sin((a^ - phi)/2)| ||x|| is at most 2 ||x||
// and at most |a^ - phi| ||x||. k counts the roundings that form the angle
// (angle_error), L and rho those that follow it (output_error), eta what a
// rounding errs by below the normal range (underflow_error). L is relative to
// R(a^)x, which is as long as x: an angle error does not enlarge it.
//
// What is formed in f32 or f64 is bounded by the length of the pair: one
// coordinate may cancel to zero, where no relative bound on it can hold. Only
// the conversion to 16 bits, which comes last, errs relative to the coordinate
// itself: where it cancels, the bound is that of f32, and a kernel that rounds
// its products to 16 bits too is far outside. f32 and f64 results are not
// converted, rho = 0: their last rounding, that of the sum, is one of L's.
//
// A kernel that forms x itself, as by a norm before the rotation, has
// x^ = x + d with ||d|| <= g ||x||. Then ||x^|| <= (1 + g) ||x||, and the
// rotation carries d into z:
//
//     |z - y|  <= |m| ||x|| ((1 + g) (min(2, |phi| gamma_k(u)) + L) + g)
//
// A result that is converted once more, to be stored in 8 bits, has both
// conversions in rho: (1 + rho) = (1 + rho_1) (1 + rho_2).
//
// The bound assumes that nothing overflows. Every function here is the same
// number on every machine.
#pragma once

#include <cstdint>

#include "reference/format.h"

namespace ropeproof::reference::bound {

// What a kernel claims -------------------------------------------------------

enum class AngleClass {
  kExact,     // its error hides below L of f32 (f64), at any position
  kDirect,    // position x theta_j
  kIterated,  // base^(-2/r) multiplied on from pair to pair
};

// How base^(-2j/r) is formed: 1 / pow, or exp or exp2 of (2j/r) log(base).
enum class Power { kPow, kExp2 };

// Where a 16-bit result is rounded: at the end, or after each product and sum;
// or it is formed in f32 and its last bits are cut off. f32 and f64 results are
// not converted, so it says nothing of them.
//
// A kernel that truncates does so whenever it converts to 16 bits: results, and
// cos, sin and inv_freq that it holds or gives out. What it is given has been
// rounded to nearest, and a 16-bit angle arithmetic rounds to nearest too.
enum class Rounds { kOnce, kEach, kTruncate };

// Selects the rows of the bound; nothing else does.
struct Claim {
  AngleClass angle_class = AngleClass::kDirect;
  // Where frequency and angle are formed; kExact: the frequencies given out.
  Format angle_arithmetic = Format::kF32;
  Power power = Power::kPow;     // kIterated has none
  int power_ulp = 1;             // pow, exp, exp2, log are within so many ulp
  int trig_ulp = 1;              // sin and cos are
  Format table = Format::kF32;   // cos and sin, as they are held
  Format output = Format::kF32;  // of x and y
  Rounds rounds = Rounds::kOnce;
  bool computes_scaling = false;  // from its parameters, not from inv_freq

  // What kernels have that do more than rotate (reference/fused): g of an x
  // that they form, and what of it is subnormal; rho_2 and the smallest half
  // step of the type that results are stored in.
  double formed_x = 0, formed_x_underflow = 0;
  double stored = 0, stored_underflow = 0;
  double scale = 1;  // results are y / scale: what underflows is, too
};

// The angle ------------------------------------------------------------------

// Which quotient spares the rounding of the exponent, if it is exact in the
// angle's arithmetic.
enum class Quotient { k2jOverR, k2OverR, kNone };

// k = constant + per_pair j + exponent |ln theta_j| + [base is inexact]: the
// roundings in theta_j.
struct AngleRow {
  double constant, per_pair, exponent;
  Quotient exact;  // where it is, exponent counts 0
};

AngleRow angle_row(const Claim& claim);

// A set of formats.
using Formats = unsigned;
constexpr Formats bit_of(Format format) {
  return 1u << static_cast<unsigned>(format);
}
inline constexpr Formats kAllFormats = ~0u;

// The formats that hold `x`.
Formats formats_that_hold(double x);

// One pair of a RoPE: all that its angle's error depends on.
struct PairAngle {
  std::int64_t j = 0, rotary_dim = 2;
  double inv_freq = 1;             // theta_j, rad per position
  double position = 0;             // sum of |W[k,j] p_k|: |p| with one axis
  Formats exact_in = kAllFormats;  // hold every position and weight
  Formats base_in = kAllFormats;   // hold the base
  std::int64_t axes = 1;           // that a sum is formed over
  double scaling = 0;  // scaling_roundings, where the kernel computes it
};

// k of the row, in units of the arithmetic's u. 0 for theta_0 = 1, which every
// power gives exactly.
double frequency_roundings(const Claim& claim, const PairAngle& pair);

// gamma_k(u); infinite where it bounds nothing: that many roundings may give
// anything.
double gamma(double k, double u);

// (1 + a)(1 + b) - 1, without forming 1 + a: that would absorb f64's u.
double composed(double a, double b);

// A bound this large accepts any rotation: it says nothing.
inline constexpr double kVacuous = 2;

// min(2, |phi| gamma_k(u)) over the frequency's roundings, the product with the
// position, and the position itself where the arithmetic cannot hold it. A sum
// over several axes has a product and an addition for each. theta and the angle
// may be subnormal, in f16 above all: half of the smallest number each, theta's
// times the position. 0 for kExact. Radians.
double angle_error(const Claim& claim, const PairAngle& pair);

// The angle error of a pair at any position, in radians per position.
struct AngleSlope {
  double exact = 0, rounded = 0;  // by whether the position is rounded
  double underflow = 0;           // radians, times |p| + 1
  double largest_exact = 0;       // integers up to here are exact
  Formats arithmetic = 0;

  double error(double position, Formats exact_in) const {
    if (position == 0) return 0;
    const bool is_rounded =
        (exact_in & arithmetic) == 0 || position > largest_exact;
    const double radians =
        position * (is_rounded ? rounded : exact) + (position + 1) * underflow;
    return radians < kVacuous ? radians : kVacuous;  // also if infinite
  }
};
// Reads no position of `pair`.
AngleSlope angle_slope(const Claim& claim, const PairAngle& pair);

// Relative error of an inv_freq that a kernel gives out in claim.table: k of
// the row, without the product, and one more rounding to a narrower type.
double frequency_error(const Claim& claim, const PairAngle& pair);

// What is added where theta is subnormal, in that type or in the arithmetic.
double frequency_underflow(const Claim& claim);

// What follows the angle -----------------------------------------------------

// The roundings between the stored cosine or sine and z.
struct LocalRow {
  int in_arithmetic;  // to W: f64 for f64 outputs, else f32
  int in_output;      // to the output type, where that has 16 bits
};

LocalRow local_row(const Claim& claim);

// L, rho and g.
struct LocalError {
  double length = 0;  // relative to the pair's length
  double result = 0;  // relative to the result itself
  double input = 0;   // g, of x

  // What multiplies |m| ||x|| where the angle is off by so many radians.
  double with_angle(double angle) const {
    return (1 + result) * ((1 + input) * (angle + length) + input);
  }
};

// L and rho of cos and sin as the kernel forms them, whose pair is (1, 0): in
// f32, or in f64 for an f64 table.
//   trig_ulp n  an n-ulp function is within 2n u
//   amplitude   m rounded, times cos: 2 u
//   16 bits     rho = u_t, or 2 u_t truncated
LocalError entry_error(const Claim& claim, bool has_amplitude);

// L and rho of an output. L has the stored entries' factors, of a given table
// one rounding, u_t; then those of the LocalRow. rho of 16 bits is u, or 2u
// truncated.
LocalError output_error(const Claim& claim, bool given, bool has_amplitude);

// eta: roundings below the smallest normal number, half of the smallest
// subnormal one each, all of it truncated or in f64, whose half is no binary64:
// of a stored cosine or sine, times |x_u| + |x_v|; of two products and a sum;
// of the result.
double underflow_error(const Claim& claim, double sum_of_magnitudes);

// eta of an entry of a table.
double table_underflow(const Claim& claim);

}  // namespace ropeproof::reference::bound
