#include "conformance/verdict/tolerance.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <variant>

#include "conformance/corpus/words.h"
#include "reference/log_bound.h"

namespace ropeproof::conformance {
namespace {

using reference::abs_ln_bound;
using reference::Format;
using reference::traits;

double gamma(double k, double u) {
  return k * u < 1 ? k * u / (1 - k * u) : kVacuous;
}

// The arithmetic of products and sums before the last rounding.
double compute_roundoff(const Claim& claim) {
  return claim.output == Format::kF64 ? traits(Format::kF64).unit_roundoff
                                      : traits(Format::kF32).unit_roundoff;
}

Format angle_format(const Claim& claim) {
  return claim.angle_class == ROPEPROOF_A3 ? claim.angle_dtype : Format::kF32;
}

double angle_roundoff(const Claim& claim) {
  return traits(angle_format(claim)).unit_roundoff;
}

// Whether numerator / denominator is exact in the angle's arithmetic.
bool quotient_is_exact(const Claim& claim, std::int64_t numerator,
                       std::int64_t denominator) {
  const Format format = angle_format(claim);
  const double quotient =
      static_cast<double>(numerator) / static_cast<double>(denominator);
  const double rounded = decode(format, encode(format, quotient));
  return rounded * static_cast<double>(denominator) ==
         static_cast<double>(numerator);
}

}  // namespace

Claim claim_of(const Description& description, Format dtype) {
  Claim claim;
  claim.angle_class = description.angle_class;
  if (description.angle_class == ROPEPROOF_A3) {
    claim.angle_dtype = format_of(description.angle_dtype);
  }
  claim.power = description.power;
  claim.trig_ulp = std::max(description.trig_ulp, 1u);
  claim.output = dtype;
  claim.table =
      description.table_dtype == 0 ? dtype : format_of(description.table_dtype);
  claim.rounding = description.rounding;
  claim.computes_scaling = (description.features & ROPEPROOF_INV_FREQ) == 0;
  return claim;
}

double scaling_roundings(const reference::Scaling& scaling,
                         std::int64_t rotary_dim) {
  const auto d = static_cast<double>(rotary_dim);
  const auto ntk = [&](double factor, double alpha) {
    if (d <= 2) return 0.0;
    return (3 * factor + abs_ln_bound(alpha)) * d / (d - 2) + 3;
  };
  return std::visit(
      [&](const auto& s) -> double {
        using S = std::decay_t<decltype(s)>;
        if constexpr (std::is_same_v<S, reference::Default>) {
          return 0;
        } else if constexpr (std::is_same_v<S, reference::Yarn>) {
          return 5 + 3 * (s.factor - 1);
        } else if constexpr (std::is_same_v<S, reference::Llama3>) {
          const double width = s.high_freq_factor - s.low_freq_factor;
          const double sigma = width > 0 ? 3 * s.high_freq_factor / width : 0;
          return 6 + (sigma + 2) * (s.factor - 1);
        } else if constexpr (std::is_same_v<S, reference::Ntk>) {
          return ntk(1, s.alpha);
        } else if constexpr (std::is_same_v<S, reference::DynamicNtk>) {
          if (s.seq_len <= s.max_position) return 0;
          const double ratio = static_cast<double>(s.seq_len) /
                               static_cast<double>(s.max_position);
          return ntk(s.factor, s.factor * ratio - s.factor + 1);
        } else {
          return 1;
        }
      },
      scaling);
}

double frequency_roundings(const Claim& claim, const PairAngle& pair) {
  const double ln_theta = abs_ln_bound(pair.inv_freq);
  const auto j = static_cast<double>(pair.j);
  switch (claim.angle_class) {
    case ROPEPROOF_A0:
      return 0;
    case ROPEPROOF_A2:
      if (pair.j == 0) return pair.inv_freq == 1 ? 0 : 1;
      return 3 * j +
             (quotient_is_exact(claim, 2, pair.rotary_dim) ? 0 : ln_theta);
    default:
      if (claim.power == ROPEPROOF_EXP2) return 2 + 4 * ln_theta;
      return 3 + (quotient_is_exact(claim, 2 * pair.j, pair.rotary_dim)
                      ? 0
                      : ln_theta);
  }
}

double angle_error(const Claim& claim, const PairAngle& pair) {
  if (claim.angle_class == ROPEPROOF_A0 || pair.position == 0) return 0;
  const double u = angle_roundoff(claim);
  // Integers up to 1/u are exact in the angle's arithmetic.
  const bool position_is_rounded = !pair.is_f32 || pair.position > 1 / u;
  const double sum = pair.axes > 1 ? 2.0 * static_cast<double>(pair.axes) : 0;
  const double k = frequency_roundings(claim, pair) + pair.scaling + 1 +
                   (position_is_rounded ? 1 : 0) + sum;
  const double underflow =
      (pair.position + 1) * reference::ulp(angle_format(claim), 0) / 2;
  return std::min(
      kVacuous,
      pair.position * std::abs(pair.inv_freq) * gamma(k, u) + underflow);
}

double table_error(const Claim& claim, bool given, bool has_amplitude) {
  const double u = compute_roundoff(claim);
  const double u_t = traits(claim.table).unit_roundoff;
  if (given) return u_t;
  const double trig = 1 + gamma(2.0 * claim.trig_ulp, u);
  const double amplitude = has_amplitude ? 1 + gamma(2, u) : 1;
  const double narrowed = u_t > u ? 1 + u_t : 1;
  return trig * amplitude * narrowed - 1;
}

double local_error(const Claim& claim, bool given, bool has_amplitude) {
  const double u = compute_roundoff(claim);
  const double u_o = traits(claim.output).unit_roundoff;
  const double table = 1 + table_error(claim, given, has_amplitude);
  const bool narrow = u_o > u;
  if (narrow && claim.rounding == ROPEPROOF_ROUND_EACH) {
    return table * (1 + u_o) * (1 + u_o) - 1;
  }
  return table * (1 + gamma(2, u)) * (narrow ? 1 + u_o : 1) - 1;
}

double underflow_error(const Claim& claim, double sum_of_magnitudes) {
  // Half of the smallest subnormal number.
  const auto half = [](Format format) { return reference::ulp(format, 0) / 2; };
  const double u_o = traits(claim.output).unit_roundoff;
  const double operations = (sum_of_magnitudes + 2) * (1 + 4 * u_o);
  if (claim.rounding == ROPEPROOF_ROUND_EACH) {
    return half(claim.output) * operations;
  }
  return half(claim.output) + half(Format::kF32) * operations;
}

}  // namespace ropeproof::conformance
