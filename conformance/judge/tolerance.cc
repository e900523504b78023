#include "conformance/judge/tolerance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "conformance/plugin/words.h"
#include "conformance/text/words.h"
#include "reference/log_bound.h"

namespace ropeproof::conformance::judge {
namespace {

using reference::Format;

double roundoff(Format format) {
  return reference::traits(format).unit_roundoff;
}

// Half of the smallest subnormal number.
double half_smallest(Format format) { return reference::ulp(format, 0) / 2; }

// Infinite where it bounds nothing: that many roundings may give anything.
double gamma(double k, double u) {
  return k * u < 1 ? k * u / (1 - k * u)
                   : std::numeric_limits<double>::infinity();
}

// (1 + a)(1 + b) - 1, not by way of 1: beside it, f64's u is nothing.
double composed(double a, double b) { return a + b + a * b; }

// (1 + u)^count - 1.
double rounded(int count, double u) {
  double error = 0;
  for (int i = 0; i < count; ++i) error = composed(error, u);
  return error;
}

bool is_narrow(Format format) {
  return format == Format::kF16 || format == Format::kBF16;
}

Format arithmetic_of(Format output) {
  return output == Format::kF64 ? Format::kF64 : Format::kF32;
}

// Where cos and sin are formed.
Format trig_arithmetic(const Claim& claim) {
  return arithmetic_of(claim.table);
}

// Whether numerator / denominator is a number of `format`.
bool is_exact(Format format, std::int64_t numerator, std::int64_t denominator) {
  const double quotient =
      static_cast<double>(numerator) / static_cast<double>(denominator);
  // A quotient of small integers is a binary64 only if its last bits are zero,
  // so the product shows an inexact one in any format.
  const double rounded = decode(format, encode(format, quotient));
  return rounded == quotient &&
         std::fma(rounded, static_cast<double>(denominator),
                  -static_cast<double>(numerator)) == 0;
}

bool is_exact(const AngleRow& row, const PairAngle& pair) {
  switch (row.exact) {
    case Quotient::k2jOverR:
      return is_exact(row.arithmetic, 2 * pair.j, pair.rotary_dim);
    case Quotient::k2OverR:
      return is_exact(row.arithmetic, 2, pair.rotary_dim);
    case Quotient::kNone:
      break;
  }
  return false;
}

}  // namespace

Claim claim_of(const plugin::Description& description, Format dtype) {
  Claim claim;
  claim.angle_class = description.angle_class;
  if (description.angle_dtype != 0) {
    claim.angle_dtype = plugin::format_of(description.angle_dtype);
  }
  claim.power = description.power;
  claim.trig_ulp = std::max(description.trig_ulp, 1u);
  claim.output = dtype;
  claim.table = description.table_dtype == 0
                    ? dtype
                    : plugin::format_of(description.table_dtype);
  claim.rounding = description.rounding;
  claim.computes_scaling = (description.features & ROPEPROOF_INV_FREQ) == 0;
  return claim;
}

const AngleRow& angle_row(const Claim& claim) {
  const bool has_dtype =
      claim.angle_class == ROPEPROOF_A1 || claim.angle_class == ROPEPROOF_A3;
  const bool has_power = claim.angle_class != ROPEPROOF_A2;
  for (const AngleRow& row : angle_rows()) {
    if (row.angle_class == claim.angle_class &&
        (!has_power || row.power == claim.power) &&
        (!has_dtype || row.arithmetic == claim.angle_dtype)) {
      return row;
    }
  }
  throw std::logic_error("no row of the tolerance table for an angle class");
}

const LocalRow& local_row(const Claim& claim) {
  for (const LocalRow& row : local_rows()) {
    if (row.table == claim.table && row.output == claim.output &&
        (!is_narrow(claim.output) || row.rounding == claim.rounding)) {
      return row;
    }
  }
  throw std::logic_error("no row of the tolerance table for a rounding");
}

std::uint32_t formats_that_hold(double x) {
  std::uint32_t bits = 0;
  for (const auto& [format, name] : text::kFormatWords) {
    if (decode(format, encode(format, x)) == x)
      bits |= plugin::abi_dtype(format);
  }
  return bits;
}

double frequency_roundings(const Claim& claim, const PairAngle& pair) {
  if (pair.j == 0 && pair.inv_freq == 1) return 0;
  const AngleRow& row = angle_row(claim);
  const double k = row.constant + row.per_pair * static_cast<double>(pair.j);
  return is_exact(row, pair)
             ? k
             : k + row.exponent * reference::abs_ln_bound(pair.inv_freq);
}

AngleSlope angle_slope(const Claim& claim, const PairAngle& pair) {
  if (claim.angle_class == ROPEPROOF_A0) return {};
  const Format arithmetic = angle_row(claim).arithmetic;
  const double u = roundoff(arithmetic);
  const double sum = pair.axes > 1 ? 2.0 * static_cast<double>(pair.axes) : 0;
  const double k = frequency_roundings(claim, pair) + pair.scaling + 1 + sum;
  const double theta = std::abs(pair.inv_freq);
  return {theta * gamma(k, u), theta * gamma(k + 1, u),
          half_smallest(arithmetic), 1 / u, plugin::abi_dtype(arithmetic)};
}

double angle_error(const Claim& claim, const PairAngle& pair) {
  return angle_slope(claim, pair).error(pair.position, pair.exact_in);
}

double frequency_error(const Claim& claim, const PairAngle& pair) {
  const Format arithmetic = angle_row(claim).arithmetic;
  const double formed = gamma(frequency_roundings(claim, pair) + pair.scaling,
                              roundoff(arithmetic));
  const double u_t = roundoff(claim.table);
  return u_t <= roundoff(arithmetic) ? formed : composed(formed, u_t);
}

double table_error(const Claim& claim, bool given, bool has_amplitude) {
  const double u_t = roundoff(claim.table);
  if (given) return u_t;
  const double u = roundoff(trig_arithmetic(claim));
  const double trig = 2 * claim.trig_ulp * u;
  const double formed = composed(trig, rounded(has_amplitude ? 2 : 0, u));
  return is_narrow(claim.table) ? composed(formed, u_t) : formed;
}

double local_error(const Claim& claim, bool given, bool has_amplitude) {
  const LocalRow& row = local_row(claim);
  return composed(
      table_error(claim, given, has_amplitude),
      composed(rounded(row.in_arithmetic, roundoff(arithmetic_of(row.output))),
               rounded(row.in_output, roundoff(row.output))));
}

double underflow_error(const Claim& claim, double sum_of_magnitudes) {
  const double arithmetic = half_smallest(arithmetic_of(claim.output));
  const double result = half_smallest(claim.output);
  const bool each =
      is_narrow(claim.output) && claim.rounding == ROPEPROOF_ROUND_EACH;
  // An entry formed in f32 and stored in 16 bits underflows twice at most.
  const double entry =
      half_smallest(claim.table) + half_smallest(trig_arithmetic(claim));
  const double operations = 2 * (each ? result : arithmetic) + result;
  return (entry * sum_of_magnitudes + operations) *
         (1 + 4 * roundoff(claim.output));
}

double table_underflow(const Claim& claim) {
  return half_smallest(claim.table) + 2 * half_smallest(trig_arithmetic(claim));
}

char phase_grade(double rho) {
  if (rho <= kGradeA) return 'A';
  if (rho <= kGradeB) return 'B';
  if (rho <= kGradeC) return 'C';
  return rho <= kGradeD ? 'D' : 'F';
}

}  // namespace ropeproof::conformance::judge
