#include "conformance/wrong/pipeline.h"

#include <cmath>
#include <numbers>

#include "conformance/judge/codec.h"

namespace ropeproof::conformance::wrong {

double position_on(const ropeproof_problem& p, const HeadIndex& index,
                   std::int64_t axis) {
  // A bug may look for another token or axis than there is.
  const bool is_there = axis >= 0 && axis < p.position_axes &&
                        index.batch >= 0 && index.batch < p.batch &&
                        index.token >= 0 && index.token < p.seq;
  if (!is_there) return 0;
  const std::int64_t at = axis * p.position_axis_stride +
                          index.batch * p.position_batch_stride + index.token;
  return p.real_positions != nullptr ? p.real_positions[at]
                                     : static_cast<double>(p.positions[at]);
}

namespace {

using judge::fast_round_to;
using reference::Format;

// A sum and what binary64 has lost of it: each rounding's error is a binary64
// number, and only the sum of these is rounded.
struct Sum {
  double high = 0, low = 0;

  void add_product(double a, double b) {
    const double product = a * b;
    low += std::fma(a, b, -product);
    const double sum = high + product;
    const double added = sum - high;
    low += (high - (sum - added)) + (product - added);
    high = sum;
  }
};

Sum weighted_position(const PairIndex& at) {
  const ropeproof_problem& p = at.p;
  Sum sum;
  for (std::int64_t axis = 0; axis < p.position_axes; ++axis) {
    sum.add_product(p.axis_weights[axis * (p.rotary_dim / 2) + at.j],
                    position_on(p, at, axis));
  }
  return sum;
}

double given_position(const PairIndex& at) {
  const ropeproof_problem& p = at.p;
  if (p.axis_weights != nullptr) return weighted_position(at).high;
  return position_on(p, at,
                     p.axis_of_pair == nullptr ? 0 : p.axis_of_pair[at.j]);
}

}  // namespace

double position_remainder(const PairIndex& at, double position) {
  if (at.p.axis_weights == nullptr) return 0;
  const Sum sum = weighted_position(at);
  return sum.high == position ? sum.low : 0;
}

double truncated(Format format, double value) {
  return decode(format, truncate(format, value));
}

double rounded_to_bits(double value, int bits) {
  if (!std::isfinite(value)) return value;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, bits)),
                    exponent - bits);
}

double rounded_half_away(Format format, double value) {
  const double below = truncated(format, value);
  const double up = std::copysign(ulp(format, below), value);
  return 2 * std::abs(value - below) < std::abs(up) ? below : below + up;
}

double reduced_in_f32(double angle) {
  constexpr float kCircle = 2 * std::numbers::pi_v<float>;
  constexpr auto kLow =
      static_cast<float>(2 * std::numbers::pi - double{kCircle});
  const auto phi = static_cast<float>(angle);
  const float circles = std::nearbyint(phi / kCircle);
  const float rest = phi - circles * kCircle;
  return double{rest - circles * kLow};
}

AngleForm wide_product() {
  return [](double position, double theta) { return position * theta; };
}

AngleForm product_in(Format format) {
  return [=](double position, double theta) {
    return fast_round_to(
        format, fast_round_to(format, position) * fast_round_to(format, theta));
  };
}

AngleForm rounded_product(Format format) {
  return [=](double position, double theta) {
    return fast_round_to(format, position * theta);
  };
}

double power(double base, std::int64_t j, std::int64_t dim) {
  return std::pow(base,
                  -2.0 * static_cast<double>(j) / static_cast<double>(dim));
}

double due_frequency(const ropeproof_problem& p, std::int64_t j) {
  return p.inv_freq != nullptr ? p.inv_freq[j] : power(p.base, j, p.rotary_dim);
}

Pipeline exact_pipeline() {
  Pipeline pipeline;
  pipeline.frequency = due_frequency;
  pipeline.angle = wide_product();
  pipeline.uses_low_part = true;
  pipeline.position = given_position;
  pipeline.pair = reference::source_pair;
  pipeline.adjust_rotation = [](const PairIndex&, CosSin&) {};
  pipeline.adjust_directed = [](const PairIndex&, CosSin&) {};
  pipeline.amplitude = [](double m) { return m; };
  return pipeline;
}

std::span<const F32Power> f32_powers() {
  static constexpr F32Power kForms[] = {
      {"in f32 by 1 / pow(base, 2j/r)", ROPEPROOF_A1, ROPEPROOF_POW,
       [](float base, float r, float j) {
         return 1.0f / std::pow(base, 2 * j / r);
       }},
      {"in f32 by pow(base, -2j/r)", ROPEPROOF_A1, ROPEPROOF_POW,
       [](float base, float r, float j) {
         return std::pow(base, -(2 * j) / r);
       }},
      {"in f32 by exp2(-2j/r log2(base))", ROPEPROOF_A1, ROPEPROOF_EXP2,
       [](float base, float r, float j) {
         return std::exp2(-(2 * j) / r * std::log2(base));
       }},
      {"in f32 by exp(-2j/r ln(base))", ROPEPROOF_A1, ROPEPROOF_EXP2,
       [](float base, float r, float j) {
         return std::exp(-(2 * j) / r * std::log(base));
       }},
      {"in f32, multiplied on from pair to pair", ROPEPROOF_A2, ROPEPROOF_POW,
       [](float base, float r, float j) {
         const float step = std::pow(base, -2.0f / r);
         float theta = 1;
         for (float i = 0; i < j; ++i) theta *= step;
         return theta;
       }}};
  return kForms;
}

// By the formula where base says it all, else as given, in f32.
Pipeline f32_pipeline(PowerForm form) {
  Pipeline pipeline = exact_pipeline();
  pipeline.frequency = [&power = f32_powers()[static_cast<std::size_t>(form)]](
                           const ropeproof_problem& p, std::int64_t j) {
    if (p.base == 0 || p.scaling != nullptr) {
      return double{static_cast<float>(p.inv_freq[j])};
    }
    return double{power.theta(static_cast<float>(p.base),
                              static_cast<float>(p.rotary_dim),
                              static_cast<float>(j))};
  };
  pipeline.angle = product_in(Format::kF32);
  return pipeline;
}

}  // namespace ropeproof::conformance::wrong
