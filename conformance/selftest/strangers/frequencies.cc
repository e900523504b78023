#include "conformance/selftest/strangers/frequencies.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ropeproof::conformance::selftest::strangers {
namespace {

constexpr double kPi = std::numbers::pi;

// Where a ramp of YaRN begins and ends, in pairs.
struct Ends {
  double low = 0, high = 0;
};

Ends ends_of(const ropeproof_scaling& s, double base, double dimension,
             const Here& here) {
  const double length = here.number(Point::kOriginalLength, s.original_length);
  const auto place = [&](double rotations) {
    return dimension * std::log(length / (2 * kPi * rotations)) /
           (2 * std::log(base));
  };
  Ends ends{place(here.number(Point::kBetaFast, s.beta_fast)),
            place(here.number(Point::kBetaSlow, s.beta_slow))};
  if (s.truncate != 0) {
    ends = {std::floor(ends.low), std::ceil(ends.high)};
  }
  if (here.find(Point::kRampLow, Op::kUnclamped) == nullptr) {
    ends.low = std::max(ends.low, 0.0);
  }
  if (here.find(Point::kRampHigh, Op::kUnclamped) == nullptr) {
    ends.high = std::min(ends.high, dimension - 1);
  }
  ends = {here.number(Point::kRampLow, ends.low),
          here.number(Point::kRampHigh, ends.high)};
  if (ends.low == ends.high) ends.high += 0.001;
  return ends;
}

double blended(double theta, double factor, double part, const Here& here) {
  if (here.find(Point::kRampPart, Op::kUnclamped) == nullptr) {
    part = std::clamp(part, 0.0, 1.0);
  }
  part = here.number(Point::kRampPart, part);
  return (1 - part) * theta + part * theta / factor;
}

double scaled(const ropeproof_scaling& s, double theta, double pair,
              const Ends& ends, const Here& here) {
  const double factor = here.number(Point::kFactor, s.factor);
  switch (s.kind) {
    case ROPEPROOF_LINEAR:
      return theta / factor;
    case ROPEPROOF_YARN:
      return blended(theta, factor, (pair - ends.low) / (ends.high - ends.low),
                     here);
    case ROPEPROOF_LLAMA3: {
      const double turns =
          here.number(Point::kOriginalLength, s.original_length) * theta /
          (2 * kPi);
      const double low = here.number(Point::kLowFactor, s.low_freq_factor);
      const double high = here.number(Point::kHighFactor, s.high_freq_factor);
      if (turns >= high) return theta;
      if (turns <= low) return theta / factor;
      return blended(theta, factor, (high - turns) / (high - low), here);
    }
    case ROPEPROOF_LONG_ROPE: {
      const bool is_long =
          here.number(Point::kLength, s.seq_len) >
          here.number(Point::kOriginalLength, s.original_length);
      return theta /
             (is_long ? s.long_factor : s.short_factor)[static_cast<int>(pair)];
    }
    default:  // another base
      return theta;
  }
}

// Dynamic NTK and NTK-aware scaling are another base.
double base_of(const ropeproof_scaling* s, double base, double dimension,
               const Here& here) {
  if (s == nullptr) return base;
  const double factor = here.number(Point::kFactor, s->factor);
  double alpha = 1;
  if (s->kind == ROPEPROOF_NTK) alpha = factor;
  if (s->kind == ROPEPROOF_DYNAMIC_NTK) {
    const double length = here.number(Point::kLength, s->seq_len);
    const double trained =
        here.number(Point::kOriginalLength, s->original_length);
    if (length > trained) alpha = factor * length / trained - factor + 1;
  }
  return alpha == 1 ? base
                    : base * std::pow(alpha, dimension / (dimension - 2));
}

}  // namespace

Frequencies frequencies_of(const ropeproof_problem& p, const Here& here,
                           bool takes_inv_freq) {
  Frequencies result;
  const bool is_mine =
      p.scaling != nullptr && (p.scaling->kind & kFormedScalings) != 0;
  const ropeproof_scaling* const s = is_mine ? p.scaling : nullptr;
  const bool forms = s != nullptr || !takes_inv_freq;
  const double dimension =
      here.number(Point::kDimension, static_cast<double>(p.rotary_dim));
  const double base =
      base_of(s, here.number(Point::kBase, p.base), dimension, here);
  const Ends ends = s != nullptr && s->kind == ROPEPROOF_YARN
                        ? ends_of(*s, base, dimension, here)
                        : Ends{};
  for (std::int64_t j = 0; j < p.rotary_dim / 2; ++j) {
    const auto pair = static_cast<double>(j);
    double theta =
        forms ? std::pow(base, -2 * pair / dimension) : p.inv_freq[j];
    if (s != nullptr) theta = scaled(*s, theta, pair, ends, here);
    result.of_pairs.push_back(static_cast<float>(theta));
  }
  result.amplitude = static_cast<float>(
      s == nullptr ? p.amplitude
                   : here.number(Point::kScalingAmplitude, p.amplitude));
  return result;
}

}  // namespace ropeproof::conformance::selftest::strangers
