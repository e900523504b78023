#include "reference/bound/bound.h"

#include <cmath>
#include <limits>

#include "reference/bound/log_bound.h"

namespace ropeproof::reference::bound {
namespace {

double roundoff(Format format) { return traits(format).unit_roundoff; }

// Half of the smallest subnormal number; all of f64's: no binary64 is smaller.
double half_smallest(Format format) {
  return format == Format::kF64 ? ulp(format, 0) : ulp(format, 0) / 2;
}

// (1 + u)^count - 1.
double rounded(int count, double u) {
  double error = 0;
  for (int i = 0; i < count; ++i) error = composed(error, u);
  return error;
}

// How far a conversion to `format` may be off, in halves of an ulp. An ulp is
// at most 2u of the number.
int half_ulps(const Claim& claim, Format format) {
  return is_16_bit(format) && claim.rounds == Rounds::kTruncate ? 2 : 1;
}

// The error of a conversion: relative, and of subnormal numbers.
double conversion_error(const Claim& claim, Format format) {
  return half_ulps(claim, format) * roundoff(format);
}
double conversion_underflow(const Claim& claim, Format format) {
  return half_ulps(claim, format) * half_smallest(format);
}

// Where products and sums of this output are formed; and cos and sin of this
// table.
Format arithmetic_of(Format format) {
  return format == Format::kF64 ? Format::kF64 : Format::kF32;
}

// Whether numerator / denominator is a number of `format`.
bool is_exact(Format format, std::int64_t numerator, std::int64_t denominator) {
  const double quotient =
      static_cast<double>(numerator) / static_cast<double>(denominator);
  // A quotient of small integers is a binary64 only if its last bits are zero,
  // so the product shows an inexact one in any format.
  const double rounded = round_to(format, quotient);
  return rounded == quotient &&
         std::fma(rounded, static_cast<double>(denominator),
                  -static_cast<double>(numerator)) == 0;
}

bool is_exact(Quotient quotient, Format format, const PairAngle& pair) {
  switch (quotient) {
    case Quotient::k2jOverR:
      return is_exact(format, 2 * pair.j, pair.rotary_dim);
    case Quotient::k2OverR:
      return is_exact(format, 2, pair.rotary_dim);
    case Quotient::kNone:
      break;
  }
  return false;
}

}  // namespace

double gamma(double k, double u) {
  return k * u < 1 ? k * u / (1 - k * u)
                   : std::numeric_limits<double>::infinity();
}

double composed(double a, double b) { return a + b + a * b; }

// From base to theta_j. An error of the exponent e counts |ln theta| times:
// d(base^-e) / base^-e = -ln(base) de, |de| <= u e; and exp(t) <= 1 / (1 - t).
//
// With n = power_ulp, and n ulp <= 2n u:
//
//   by pow    2n  pow(base, e)
//             1   its reciprocal
//             |ln theta|  unless e = 2j/r is exact
//   by exp2   2n  exp2
//             |ln theta| times 2 + 2n, of the argument e log2(base): e rounded,
//                the logarithm (2n), the product rounded
//   iterated  1   theta_0, where it is given and not 1
//             j times: 2n  base^(-2/r); 1  product
//             |ln theta|  unless 2/r is exact: j roundings of ln(base) 2/r
//   all       1   unless the arithmetic holds the base: off by u, it moves
//                 base^-e by e u, and e < 1
AngleRow angle_row(const Claim& claim) {
  const double power = 2.0 * claim.power_ulp;
  if (claim.angle_class == AngleClass::kIterated) {
    return {1, power + 1, 1, Quotient::k2OverR};
  }
  if (claim.power == Power::kExp2) {
    return {power, 0, 2 + power, Quotient::kNone};
  }
  return {power + 1, 0, 1, Quotient::k2jOverR};
}

Formats formats_that_hold(double x) {
  Formats formats = 0;
  for (const Format format :
       {Format::kF64, Format::kF32, Format::kF16, Format::kBF16}) {
    if (round_to(format, x) == x) formats |= bit_of(format);
  }
  return formats;
}

double frequency_roundings(const Claim& claim, const PairAngle& pair) {
  if (pair.j == 0 && pair.inv_freq == 1) return 0;
  const AngleRow row = angle_row(claim);
  const bool has_base = (pair.base_in & bit_of(claim.angle_arithmetic)) != 0;
  const double k = row.constant + row.per_pair * static_cast<double>(pair.j) +
                   (has_base ? 0 : 1);
  return is_exact(row.exact, claim.angle_arithmetic, pair)
             ? k
             : k + row.exponent * abs_ln_bound(pair.inv_freq);
}

AngleSlope angle_slope(const Claim& claim, const PairAngle& pair) {
  if (claim.angle_class == AngleClass::kExact) return {};
  const double u = roundoff(claim.angle_arithmetic);
  const double sum = pair.axes > 1 ? 2.0 * static_cast<double>(pair.axes) : 0;
  const double k = frequency_roundings(claim, pair) + pair.scaling + 1 + sum;
  const double theta = std::abs(pair.inv_freq);
  return {theta * gamma(k, u), theta * gamma(k + 1, u),
          half_smallest(claim.angle_arithmetic), 1 / u,
          bit_of(claim.angle_arithmetic)};
}

double angle_error(const Claim& claim, const PairAngle& pair) {
  return angle_slope(claim, pair).error(pair.position, pair.exact_in);
}

double frequency_error(const Claim& claim, const PairAngle& pair) {
  const double u = roundoff(claim.angle_arithmetic);
  const double formed =
      gamma(frequency_roundings(claim, pair) + pair.scaling, u);
  return roundoff(claim.table) <= u
             ? formed
             : composed(formed, conversion_error(claim, claim.table));
}

double frequency_underflow(const Claim& claim) {
  return half_smallest(claim.angle_arithmetic) +
         conversion_underflow(claim, claim.table);
}

// The kernel adds x_u c and x_v s, each times factors 1 + d, |d| <= u, for
// every rounding on its way; so the result is within ((product of (1 + u)) - 1)
// (|x_u c| + |x_v s|), and that sum is at most ||x|| (Cauchy-Schwarz). A fused
// multiply-add has one factor fewer on one side.
LocalRow local_row(const Claim& claim) {
  const bool each = is_16_bit(claim.output) && claim.rounds == Rounds::kEach;
  // A cast of the entry to W.
  const int cast =
      claim.table == Format::kF64 && claim.output != Format::kF64 ? 1 : 0;
  // Two 16-bit significands have together at most 22 of the 24 bits of f32.
  const int product = is_16_bit(claim.table) && is_16_bit(claim.output) ? 0 : 1;
  // The sum of two 16-bit numbers, rounded to f32 and then to their type, is
  // rounded once (24 >= 2 p + 2): with every operation rounded that is rho.
  const int sum = each ? 0 : 1;
  return {cast + product + sum, each ? 1 : 0};
}

LocalError entry_error(const Claim& claim, bool has_amplitude) {
  const double u = roundoff(arithmetic_of(claim.table));
  const double trig = 2 * claim.trig_ulp * u;
  return {composed(trig, rounded(has_amplitude ? 2 : 0, u)),
          is_16_bit(claim.table) ? conversion_error(claim, claim.table) : 0};
}

LocalError output_error(const Claim& claim, bool given, bool has_amplitude) {
  const LocalError formed = entry_error(claim, has_amplitude);
  const double entry =
      given ? roundoff(claim.table) : composed(formed.length, formed.result);
  const LocalRow row = local_row(claim);
  return {
      composed(entry, composed(rounded(row.in_arithmetic,
                                       roundoff(arithmetic_of(claim.output))),
                               rounded(row.in_output, roundoff(claim.output)))),
      composed(
          is_16_bit(claim.output) ? conversion_error(claim, claim.output) : 0,
          claim.stored),
      claim.formed_x};
}

double underflow_error(const Claim& claim, double sum_of_magnitudes) {
  const double arithmetic = half_smallest(arithmetic_of(claim.output));
  const double result = conversion_underflow(claim, claim.output);
  const bool each = is_16_bit(claim.output) && claim.rounds == Rounds::kEach;
  // An entry formed in f32 and stored in 16 bits underflows twice at most.
  const double entry = conversion_underflow(claim, claim.table) +
                       half_smallest(arithmetic_of(claim.table));
  const double operations =
      (2 * (each ? result : arithmetic) + result) / claim.scale;
  return (entry * sum_of_magnitudes + operations) *
             (1 + 4 * roundoff(claim.output)) * (1 + claim.stored) +
         claim.stored_underflow;
}

double table_underflow(const Claim& claim) {
  return conversion_underflow(claim, claim.table) +
         2 * half_smallest(arithmetic_of(claim.table));
}

}  // namespace ropeproof::reference::bound
